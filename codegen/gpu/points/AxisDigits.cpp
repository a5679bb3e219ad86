// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/points/AxisDigits.h"

using namespace mlir;

namespace nacre::codegen::gpu {

AxisDigits digitsOf(const Work &work, AffineExpr expression) {
  AxisDigits digits;
  if (isa<AffineConstantExpr>(expression))
    return digits;
  StridedSlice axis;
  axis.strides = {1};
  axis.shape = {1};
  FailureOr<Access> access = composeAccess(axis, AffineMap::get(work.loops(), 0, expression), Type());
  if (failed(access) || access->offset != 0)
    return {{}, false};
  for (unsigned loop = 0; loop < work.loops(); ++loop)
    if (access->strides[loop] != 0)
      digits.loops.push_back(loop);
  llvm::stable_sort(digits.loops, [&](unsigned a, unsigned b) { return access->strides[a] > access->strides[b]; });
  int64_t expected = 1;
  for (unsigned loop : llvm::reverse(digits.loops)) {
    digits.valid &= access->strides[loop] == expected;
    expected *= work.sizes[loop];
  }
  return digits;
}

} // namespace nacre::codegen::gpu
