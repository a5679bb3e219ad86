// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/serial/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace nacre::codegen::cpu {
namespace {

/// Finds the values that depend on varying values, in a block that each lane runs.
class LaneSpread {
protected:
  explicit LaneSpread(Block *block) : block(block) {}
  ~LaneSpread() = default;

  /// Follows varying values through the block. Returns false if a value that all lanes must share depends on the lane.
  bool spreadAll() {
    size_t known;
    do {
      known = lanes.varying.size();
      block->walk([&](Operation *op) { spread(op); });
    } while (lanes.varying.size() != known);
    for (Value value : lanes.varying)
      if (value.getType().isIntOrFloat())
        lanes.widestBits = std::max(lanes.widestBits, value.getType().getIntOrFloatBitWidth());
    return isUniform();
  }

  bool isVarying(Value value) const { return lanes.varying.contains(value); }

  /// True if `read` returns a different value for each lane.
  virtual bool readsPerLane(tensor::ExtractOp read) = 0;

  Lanes lanes;

private:
  //===--------------------------------------------------------------------===//
  // 1. What depends on lanes
  //===--------------------------------------------------------------------===//

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
      if (readsPerLane(read))
        lanes.varying.insert(read.getResult());
    } else if (isa<arith::ArithDialect>(op->getDialect()) || op->getName().getDialectNamespace() == "math") {
      if (llvm::any_of(op->getOperands(), [&](Value operand) { return isVarying(operand); }))
        lanes.varying.insert(op->getResult(0));
    }
  }

  //===--------------------------------------------------------------------===//
  // 2. What must not
  //===--------------------------------------------------------------------===//

  bool isUniform() {
    auto isSame = [&](Value value) { return !isVarying(value); };
    return !block
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

  Block *block;
};

class LaneFinder final : LaneSpread {
public:
  explicit LaneFinder(const SerialForm &form)
      : LaneSpread(scf::ForallOp(form.points).getBody()), points(form.points), form(form) {
    counter = points.getInductionVar(points.getRank() - 1);
  }

  std::optional<Lanes> find() {
    if ((form.loops() == 1 && form.grain != 1) || !countsElements() || !spreadAll())
      return std::nullopt;
    return lanes;
  }

private:
  //===--------------------------------------------------------------------===//
  // 3. The counter of the points
  //===--------------------------------------------------------------------===//

  /// True if the counter of the points is only used as an index of contiguous axes.
  bool countsElements() {
    for (OpOperand &use : counter.getUses()) {
      if (isa<tensor::ParallelInsertSliceOp>(use.getOwner())) // The operation writes back a part that was extracted.
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
    // Each point must write a separate part of every result.
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

  /// True if the tensor belongs to the point: each point has its own part of a result.
  bool readsPerLane(tensor::ExtractOp read) override {
    return points.getRegion().isAncestor(read.getTensor().getParentRegion());
  }

  scf::ForallOp points;
  const SerialForm &form;
  Value counter;
};

//===----------------------------------------------------------------------===//
// 4. A loop of the program
//===----------------------------------------------------------------------===//

/// Finds lanes along a loop. The loop's counter, plus values that all lanes share, may only be the last index of
/// tensors whose elements are consecutive.
class LoopLanes final : LaneSpread {
public:
  LoopLanes(const SerialForm &form, scf::ForOp loop) : LaneSpread(loop.getBody()), form(form), loop(loop) {}

  std::optional<Lanes> find() {
    moving.insert(loop.getInductionVar());
    loop.getBody()->walk([&](arith::AddIOp sum) {
      if (moving.contains(sum.getLhs()) != moving.contains(sum.getRhs()))
        moving.insert(sum.getResult());
    });
    for (Value index : moving)
      for (OpOperand &use : index.getUses())
        if (!isContiguous(use))
          return std::nullopt;
    const bool writesByIt =
        !loop.getBody()
             ->walk([&](tensor::InsertOp write) {
               return moving.contains(write.getIndices().back()) ? WalkResult::advance() : WalkResult::interrupt();
             })
             .wasInterrupted();
    if (!writesByIt || !spreadAll())
      return std::nullopt;
    return lanes;
  }

private:
  bool readsPerLane(tensor::ExtractOp read) override {
    return !read.getIndices().empty() && moving.contains(read.getIndices().back());
  }

  bool isContiguous(OpOperand &use) const {
    Operation *user = use.getOwner();
    if (isa<arith::AddIOp>(user))
      return moving.contains(user->getResult(0));
    auto isLast = [&](ValueRange indices) {
      return indices.back() == use.get() && llvm::count(indices, use.get()) == 1;
    };
    if (auto read = dyn_cast<tensor::ExtractOp>(user))
      return isLast(read.getIndices()) && liesDensely(read.getTensor());
    auto write = dyn_cast<tensor::InsertOp>(user);
    return write && isLast(write.getIndices()) && liesDensely(write.getDest());
  }

  /// True if the elements along the last axis of `tensor` are consecutive. This holds for a point's own tensors. For
  /// storages, slices decide.
  bool liesDensely(Value tensor) const {
    scf::ForallOp points = form.points;
    while (true) {
      if (auto argument = dyn_cast<BlockArgument>(tensor); argument && argument.getOwner() == points.getBody()) {
        const unsigned result = points.getTiedOpResult(points.getTiedOpOperand(argument)).getResultNumber();
        return form.written[result].slice.strides.back() == 1;
      }
      if (auto argument = dyn_cast<BlockArgument>(tensor)) {
        auto around = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
        if (!around)
          break;
        tensor = around.getTiedLoopInit(argument)->get();
      } else if (auto around = tensor.getDefiningOp<scf::ForOp>()) {
        tensor = around.getInits()[cast<OpResult>(tensor).getResultNumber()];
      } else if (auto write = tensor.getDefiningOp<tensor::InsertOp>()) {
        tensor = write.getDest();
      } else if (auto part = tensor.getDefiningOp<tensor::ExtractSliceOp>();
                 part && points.getRegion().isAncestor(part->getParentRegion())) {
        tensor = part.getSource();
      } else {
        break;
      }
    }
    if (tensor.getDefiningOp<tensor::EmptyOp>())
      return true;
    FailureOr<StridedSlice> slice = findSlice(tensor);
    return succeeded(slice) && !slice->padding && slice->strides.back() == 1;
  }

  const SerialForm &form;
  scf::ForOp loop;
  llvm::DenseSet<Value> moving; ///< Indices that grow by one from lane to lane
};

} // namespace

std::optional<Lanes> findLanes(const SerialForm &form) { return LaneFinder(form).find(); }

std::optional<Lanes> findLanes(const SerialForm &form, scf::ForOp loop) { return LoopLanes(form, loop).find(); }

} // namespace nacre::codegen::cpu
