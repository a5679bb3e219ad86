// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/noise/LoopMaps.h"

using namespace mlir;

namespace nacre::encode {

std::optional<std::pair<unsigned, unsigned>> joinedLoops(AffineExpr index, ArrayRef<int64_t> extents) {
  auto sum = dyn_cast<AffineBinaryOpExpr>(index);
  if (!sum || sum.getKind() != AffineExprKind::Add)
    return std::nullopt;
  auto scaled = dyn_cast<AffineBinaryOpExpr>(sum.getLHS());
  auto inner = dyn_cast<AffineDimExpr>(sum.getRHS());
  if (!scaled || !inner || scaled.getKind() != AffineExprKind::Mul)
    return std::nullopt;
  auto outer = dyn_cast<AffineDimExpr>(scaled.getLHS());
  auto factor = dyn_cast<AffineConstantExpr>(scaled.getRHS());
  if (!outer || !factor || factor.getValue() != extents[inner.getPosition()])
    return std::nullopt;
  return std::pair(outer.getPosition(), inner.getPosition());
}

SmallVector<int64_t, 4> keptAxes(AffineMap map, ArrayRef<int64_t> shape, ArrayRef<bool> isKept) {
  SmallVector<int64_t, 4> kept;
  for (auto [index, extent] : llvm::zip_equal(map.getResults(), shape)) {
    bool isAxisKept = false;
    for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
      isAxisKept = isAxisKept || (isKept[loop] && index.isFunctionOfDim(loop));
    kept.push_back(isAxisKept ? extent : 1);
  }
  return kept;
}

void setLoops(MutableArrayRef<int64_t> loops, AffineMap map, ArrayRef<int64_t> index, ArrayRef<int64_t> extents) {
  for (auto [axis, result] : llvm::enumerate(map.getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(result)) {
      loops[loop.getPosition()] = index[axis];
    } else if (auto joined = joinedLoops(result, extents)) {
      loops[joined->first] = index[axis] / extents[joined->second];
      loops[joined->second] = index[axis] % extents[joined->second];
    }
}

bool hasPlainResults(linalg::GenericOp op) {
  return llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    const AffineMap map = op.getMatchingIndexingMap(&init);
    return map.isProjectedPermutation(/*allowZeroInResults=*/true) ||
           llvm::all_of(map.getResults(), [&](AffineExpr index) {
             return isa<AffineDimExpr>(index) || joinedLoops(index, op.getStaticLoopRanges());
           });
  });
}

} // namespace nacre::encode
