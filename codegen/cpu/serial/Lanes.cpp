// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/serial/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace nacre::codegen::cpu {
namespace {

class LaneFinder {
public:
  explicit LaneFinder(const SerialForm &form) : points(form.points), form(form) {
    counter = points.getInductionVar(points.getRank() - 1);
  }

  std::optional<Lanes> find() {
    if ((form.loops() == 1 && form.grain != 1) || !countsElements())
      return std::nullopt;
    size_t known;
    do {
      known = lanes.varying.size();
      points.getBody()->walk([&](Operation *op) { spread(op); });
    } while (lanes.varying.size() != known);
    if (!isUniform())
      return std::nullopt;
    for (Value value : lanes.varying)
      if (value.getType().isIntOrFloat())
        lanes.widestBits = std::max(lanes.widestBits, value.getType().getIntOrFloatBitWidth());
    return lanes;
  }

private:
  //===--------------------------------------------------------------------===//
  // 1. The counter of the points
  //===--------------------------------------------------------------------===//

  /// Whether the counter is used as an index of contiguous axes alone.
  bool countsElements() {
    for (OpOperand &use : counter.getUses()) {
      if (isa<tensor::ParallelInsertSliceOp>(use.getOwner())) // the same as the part that was taken
        continue;
      if (auto part = dyn_cast<tensor::ExtractSliceOp>(use.getOwner())) {
        auto whole = dyn_cast<BlockArgument>(part.getSource());
        if (!whole ||
            !isContiguous(part,
                          form.written[points.getTiedOpResult(points.getTiedOpOperand(whole)).getResultNumber()].slice))
          return false;
        continue;
      }
      auto read = dyn_cast<tensor::ExtractOp>(use.getOwner());
      if (!read || points.getRegion().isAncestor(read.getTensor().getParentRegion()))
        return false;
      FailureOr<StridedSlice> slice = findSlice(read.getTensor());
      if (failed(slice) || slice->strides[use.getOperandNumber() - 1] != 1 ||
          llvm::count(read.getIndices(), counter) != 1)
        return false;
      lanes.varying.insert(read.getResult());
    }
    // What a point writes it must write for itself.
    return llvm::all_of(points.getRegionIterArgs(), [&](BlockArgument whole) {
      return llvm::any_of(whole.getUsers(), [&](Operation *user) {
        auto part = dyn_cast<tensor::ExtractSliceOp>(user);
        return part && llvm::is_contained(part.getOffsets(), counter);
      });
    });
  }

  bool isContiguous(tensor::ExtractSliceOp part, const StridedSlice &slice) {
    for (auto [offset, stride] : llvm::zip_equal(part.getMixedOffsets(), slice.strides))
      if (offset == OpFoldResult(counter) && stride != 1)
        return false;
    return true;
  }

  //===--------------------------------------------------------------------===//
  // 2. What depends on it
  //===--------------------------------------------------------------------===//

  bool isVarying(Value value) const { return lanes.varying.contains(value); }

  void spreadTo(ValueRange values, ValueRange from) {
    for (auto [value, source] : llvm::zip(values, from))
      if (isVarying(source) && !isa<RankedTensorType>(value.getType()))
        lanes.varying.insert(value);
  }

  void spread(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (ValueRange from : {ValueRange(loop.getInits()), ValueRange(loop.getYieldedValues())}) {
        spreadTo(loop.getRegionIterArgs(), from);
        spreadTo(loop.getResults(), loop.getRegionIterArgs());
      }
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      spreadTo(loop.getBeforeArguments(), loop.getInits());
      spreadTo(loop.getBeforeArguments(), loop.getYieldedValues());
      spreadTo(loop.getAfterArguments(), loop.getConditionOp().getArgs());
      spreadTo(loop.getResults(), loop.getConditionOp().getArgs());
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (branch.getNumResults() == 0)
        return;
      spreadTo(branch.getResults(), branch.thenYield().getOperands());
      spreadTo(branch.getResults(), branch.elseYield().getOperands());
    } else if (auto read = dyn_cast<tensor::ExtractOp>(op)) {
      // A part of a result is each point's own.
      if (points.getRegion().isAncestor(read.getTensor().getParentRegion()))
        lanes.varying.insert(read.getResult());
    } else if (isa<arith::ArithDialect>(op->getDialect()) || op->getName().getDialectNamespace() == "math") {
      if (llvm::any_of(op->getOperands(), [&](Value operand) { return isVarying(operand); }))
        lanes.varying.insert(op->getResult(0));
    }
  }

  //===--------------------------------------------------------------------===//
  // 3. What must not
  //===--------------------------------------------------------------------===//

  bool isUniform() {
    auto isSame = [&](Value value) { return !isVarying(value); };
    return !points.getBody()
                ->walk([&](Operation *op) {
                  bool fits = !isa<tensor::EmptyOp>(op);
                  if (auto loop = dyn_cast<scf::ForOp>(op))
                    fits = isSame(loop.getLowerBound()) && isSame(loop.getUpperBound()) && isSame(loop.getStep());
                  else if (auto condition = dyn_cast<scf::ConditionOp>(op))
                    fits = isSame(condition.getCondition());
                  else if (auto branch = dyn_cast<scf::IfOp>(op))
                    fits = isSame(branch.getCondition());
                  else if (auto read = dyn_cast<tensor::ExtractOp>(op))
                    fits = llvm::all_of(read.getIndices(), isSame);
                  else if (auto write = dyn_cast<tensor::InsertOp>(op))
                    fits = llvm::all_of(write.getIndices(), isSame);
                  return fits ? WalkResult::advance() : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  scf::ForallOp points;
  const SerialForm &form;
  Value counter;
  Lanes lanes;
};

} // namespace

std::optional<Lanes> findLanes(const SerialForm &form) { return LaneFinder(form).find(); }

} // namespace nacre::codegen::cpu
