// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shapes of scales and zero points.

#include "dialects/nn/shapes/RejectedShape.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace nacre::nn {

Error checkCodeParameter(const char *name, Dims operand, Dims parameter, int64_t axis, int64_t block) {
  if (block < 0)
    return reject("block must be 0 or more, but is {0}", block);
  if (parameter.empty())
    return Error::success();
  if (Error error = checkAxis(axis, operand.size()))
    return error;
  Shape wanted = {operand[axis]};
  if (block > 0) {
    wanted = Shape(operand);
    wanted[axis] = int64_t(divideCeil(uint64_t(operand[axis]), uint64_t(block)));
  }
  if (parameter == Dims(wanted))
    return Error::success();
  return reject("{0} must be a scalar or have shape {1}, but has shape {2}", name, print(wanted), print(parameter));
}

} // namespace nacre::nn
