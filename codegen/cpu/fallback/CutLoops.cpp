// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/fallback/CutLoops.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace nacre::codegen::cpu {

std::optional<int64_t> axisOfLoop(AffineMap map, unsigned loop) {
  std::optional<int64_t> axis;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (!expr.isFunctionOfDim(loop))
      continue;
    if (axis || !isa<AffineDimExpr>(expr))
      return std::nullopt;
    axis = i;
  }
  return axis;
}

/// Returns the parallel loop along `axis` of `result`.
static std::optional<unsigned> loopOfAxis(linalg::LinalgOp op, OpResult result, int64_t axis) {
  AffineMap map = op.getIndexingMapMatchingResult(result);
  if (axis >= map.getNumResults())
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(map.getResult(axis));
  if (!dim || op.getIteratorTypesArray()[dim.getPosition()] != utils::IteratorType::parallel)
    return std::nullopt;
  return dim.getPosition();
}

/// True if `use` only stores the value.
static bool isStore(OpOperand &use) {
  return isa<tensor::InsertSliceOp, bufferization::MaterializeInDestinationOp>(use.getOwner()) &&
         use.getOperandNumber() == 0;
}

/// Returns the loop of `op` that all its readers run together with their own loops. The readers are already divided.
/// `nullopt` if a reader needs the whole result. For a result without readers, this is the loop along `axis`.
static std::optional<unsigned> loopDemandedOf(linalg::LinalgOp op, const CutLoops &cut, int64_t axis) {
  std::optional<unsigned> demanded;
  auto demand = [&](std::optional<unsigned> loop) {
    bool agrees = loop && (!demanded || *demanded == *loop);
    demanded = loop;
    return agrees;
  };
  for (OpResult result : op->getResults()) {
    for (OpOperand &use : result.getUses()) {
      if (isStore(use))
        continue;
      auto reader = dyn_cast<linalg::LinalgOp>(use.getOwner());
      auto loop = cut.loops.find(use.getOwner());
      if (!reader || loop == cut.loops.end())
        return std::nullopt;
      std::optional<int64_t> readAxis = axisOfLoop(reader.getMatchingIndexingMap(&use), loop->second);
      if (!readAxis || !demand(loopOfAxis(op, result, *readAxis)))
        return std::nullopt;
    }
  }
  if (!demanded)
    demanded = loopOfAxis(op, op->getResult(0), axis);
  return demanded;
}

std::optional<CutLoops> findCutLoops(ArrayRef<Value> written, int64_t axis, int64_t extent) {
  CutLoops cut;
  auto first = dyn_cast<OpResult>(written.front());
  if (!first || !isa<linalg::LinalgOp>(first.getOwner()))
    return std::nullopt;
  for (Operation &op : llvm::reverse(*first.getOwner()->getBlock())) {
    auto work = dyn_cast<linalg::LinalgOp>(op);
    if (!work)
      continue;
    std::optional<unsigned> loop = loopDemandedOf(work, cut, axis);
    if (loop && work.getStaticLoopRanges()[*loop] == extent)
      cut.loops[work] = *loop;
  }
  for (Value value : written) {
    auto result = dyn_cast<OpResult>(value);
    auto loop = result ? cut.loops.find(result.getOwner()) : cut.loops.end();
    if (loop == cut.loops.end())
      return std::nullopt;
    AffineMap map = cast<linalg::LinalgOp>(loop->first).getIndexingMapMatchingResult(result);
    std::optional<int64_t> cutAxis = axisOfLoop(map, loop->second);
    if (!cutAxis)
      return std::nullopt;
    cut.axes.push_back(*cutAxis);
  }
  if (cut.axes.front() != axis)
    return std::nullopt;
  return cut;
}

} // namespace nacre::codegen::cpu
