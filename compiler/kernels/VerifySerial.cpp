// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/VerifySerial.h"

#include "dialects/plan/Notes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace nacre::kernels {
namespace {

using Fault = std::optional<SerialFault>;

bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// 1. The points
//===----------------------------------------------------------------------===//

/// Checks that a point takes and returns exactly one slice of a result.
Fault findFaultOfPart(scf::ForallOp points, BlockArgument whole, bool isDivided) {
  tensor::ExtractSliceOp part;
  tensor::ParallelInsertSliceOp back;
  for (Operation *user : whole.getUsers()) {
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user); slice && !part)
      part = slice;
    else if (auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(user); insert && !back)
      back = insert;
    else
      return SerialFault{user, "must not use a result of the points, but the part that its point owns"};
  }
  if (!part || !back)
    return SerialFault{points, "must take a part of every result, and give it back"};
  auto atEnd = cast<OffsetSizeAndStrideOpInterface>(back.getOperation());
  if (part.getMixedOffsets() != atEnd.getMixedOffsets() || part.getMixedSizes() != atEnd.getMixedSizes() ||
      !part.hasUnitStride() || !atEnd.hasUnitStride())
    return SerialFault{back, "must give back the part that was taken"};
  if (isDivided && !llvm::is_contained(part.getMixedOffsets(), OpFoldResult(points.getInductionVar(0))))
    return SerialFault{part, "must begin where its point is along the cut axis"};
  return std::nullopt;
}

Fault findFaultOfPoints(plan::KernelOp kernel, scf::ForallOp points) {
  auto has = [](ArrayRef<int64_t> numbers, int64_t first) { return !numbers.empty() && numbers.front() == first; };
  if (!has(points.getStaticLowerBound(), 0) || !has(points.getStaticUpperBound(), kernel.getCutExtent()) ||
      !has(points.getStaticStep(), kernel.getGrain()) || ShapedType::isDynamicShape(points.getStaticUpperBound()))
    return SerialFault{points, "must walk the cut axis first, by its grain, and be of static bounds"};
  const bool isDivided = kernel.getGrain() < kernel.getCutExtent();
  for (BlockArgument whole : points.getRegionIterArgs())
    if (Fault fault = findFaultOfPart(points, whole, isDivided))
      return fault;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// 2. Operations
//===----------------------------------------------------------------------===//

bool isOfProgram(Operation *op) {
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
         isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp, scf::InParallelOp>(op) ||
         isa<tensor::ExtractOp, tensor::InsertOp, tensor::ExtractSliceOp, tensor::ParallelInsertSliceOp,
             tensor::EmptyOp>(op);
}

Fault findFaultOfOperations(scf::ForallOp points) {
  Fault fault;
  points.getBody()->walk([&](Operation *op) {
    if (isOfProgram(op))
      return WalkResult::advance();
    fault = SerialFault{op, "must not be in the program of a serial kernel"};
    return WalkResult::interrupt();
  });
  return fault;
}

//===----------------------------------------------------------------------===//
// 3. Parallel iterations
//===----------------------------------------------------------------------===//

bool isParallel(Operation *op) { return op->hasAttr(plan::kParallel); }

bool isInParallel(Operation *op) {
  for (Operation *around = op->getParentOp(); around; around = around->getParentOp())
    if (isParallel(around))
      return true;
  return false;
}

/// Checks loops whose iterations run in parallel. In a program with such loops, all threads run the code outside of
/// them.
Fault findFaultOfParallel(scf::ForallOp points) {
  bool hasParallelLoops = false;
  points.getBody()->walk([&](Operation *op) { hasParallelLoops |= isParallel(op); });
  Fault fault;
  points.getBody()->walk([&](Operation *op) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (isParallel(op) && (!loop || !loop.getStaticTripCount() || getConstantIntValue(loop.getLowerBound()) != 0 ||
                           getConstantIntValue(loop.getStep()) != 1 || !llvm::all_of(loop.getInits(), isTensor)))
      fault = SerialFault{
          op, "must count from 0 by 1 to a known end, and carry only tensors, if its iterations run in parallel"};
    else if (hasParallelLoops && isa<tensor::InsertOp>(op) && !isInParallel(op))
      fault = SerialFault{op, "must be in a loop whose iterations run in parallel, as others in the program are"};
    else if (isa<tensor::EmptyOp>(op) && isInParallel(op))
      fault = SerialFault{op, "must not be in a loop whose iterations run in parallel"};
    return fault ? WalkResult::interrupt() : WalkResult::advance();
  });
  return fault;
}

//===----------------------------------------------------------------------===//
// 4. Tensors
//===----------------------------------------------------------------------===//

/// Returns the tensor of which `value` is a newer version within the same loop.
Value rootOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto insert = dyn_cast<tensor::InsertOp>(op)) {
      value = insert.getDest();
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      value = loop.getInits()[cast<OpResult>(value).getResultNumber()];
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      value = loop.getInits()[cast<OpResult>(value).getResultNumber()];
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      value = branch.thenYield().getOperand(cast<OpResult>(value).getResultNumber());
    } else {
      break;
    }
  }
  return value;
}

/// True if programs may write to a tensor: an argument of a loop, the part of a result, or a tensor of the program
/// itself.
bool isWritable(Value root) {
  if (auto argument = dyn_cast<BlockArgument>(root))
    return isa<scf::ForOp, scf::WhileOp>(argument.getOwner()->getParentOp());
  if (auto part = root.getDefiningOp<tensor::ExtractSliceOp>())
    if (auto whole = dyn_cast<BlockArgument>(part.getSource()))
      return isa<scf::ForallOp>(whole.getOwner()->getParentOp());
  return isa_and_nonnull<tensor::EmptyOp>(root.getDefiningOp());
}

bool handsOn(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto insert = dyn_cast<tensor::InsertOp>(user))
    return use.get() == insert.getDest();
  return !isa<tensor::ExtractOp>(user);
}

/// True if `first` may run after `last` has returned a new version of the tensor that both use.
bool mayFollow(Operation *first, Operation *last) {
  for (Operation *a = first; a; a = a->getParentOp())
    for (Operation *b = last; b; b = b->getParentOp()) {
      if (a->getBlock() != b->getBlock())
        continue;
      // If both are in one scf.if, only one of them runs.
      return a == b ? !isa<scf::IfOp>(a) : b->isBeforeInBlock(a);
    }
  return true;
}

Fault findFaultOfUses(Value tensor) {
  for (OpOperand &use : tensor.getUses()) {
    if (!handsOn(use))
      continue;
    Operation *user = use.getOwner();
    for (Region *region = user->getParentRegion(); region != tensor.getParentRegion();
         region = region->getParentRegion())
      if (isa<LoopLikeOpInterface>(region->getParentOp()))
        return SerialFault{user, "must be given what it writes by the loop that it is in"};
    for (OpOperand &other : tensor.getUses())
      if (&other != &use && (other.getOwner() == user || mayFollow(other.getOwner(), user)))
        return SerialFault{other.getOwner(), "must use a tensor by its last name"};
  }
  return std::nullopt;
}

/// Checks that loops and branches return each tensor at the position at which they received it.
Fault findFaultOfYields(Operation *op) {
  auto differs = [](Value value, Value from) { return isTensor(value) && rootOf(value) != rootOf(from); };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [yielded, argument] : llvm::zip_equal(loop.getYieldedValues(), loop.getRegionIterArgs()))
      if (differs(yielded, argument))
        return SerialFault{op, "must carry each tensor in its own place"};
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (auto [passed, argument] : llvm::zip(loop.getConditionOp().getArgs(), loop.getBeforeArguments()))
      if (differs(passed, argument))
        return SerialFault{op, "must carry each tensor in its own place"};
    for (auto [yielded, argument] : llvm::zip(loop.getYieldedValues(), loop.getAfterArguments()))
      if (differs(yielded, argument))
        return SerialFault{op, "must carry each tensor in its own place"};
  } else if (auto branch = dyn_cast<scf::IfOp>(op); branch && branch.getNumResults() > 0) {
    for (auto [yes, no] : llvm::zip_equal(branch.thenYield().getOperands(), branch.elseYield().getOperands()))
      if (differs(yes, no))
        return SerialFault{op, "must give the same tensor from both branches"};
  }
  return std::nullopt;
}

Fault findFaultOfTensors(scf::ForallOp points) {
  Fault fault;
  auto see = [&](Fault found) {
    if (found && !fault)
      fault = found;
  };
  points.getBody()->walk([&](Operation *op) {
    see(findFaultOfYields(op));
    for (Value result : op->getResults())
      if (isTensor(result))
        see(findFaultOfUses(result));
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        if (isTensor(argument))
          see(findFaultOfUses(argument));
    if (auto insert = dyn_cast<tensor::InsertOp>(op); insert && !isWritable(rootOf(insert.getDest())))
      see(SerialFault{op, "must write a part of a result, or a tensor of its own"});
  });
  for (tensor::ParallelInsertSliceOp back : points.getTerminator().getOps<tensor::ParallelInsertSliceOp>()) {
    auto part = rootOf(back.getSource()).getDefiningOp<tensor::ExtractSliceOp>();
    if (!part || part.getSource() != back.getDest())
      see(SerialFault{back, "must give back the part that was taken"});
  }
  return fault;
}

} // namespace

std::optional<SerialFault> findSerialFault(plan::KernelOp kernel, scf::ForallOp points) {
  if (Fault fault = findFaultOfPoints(kernel, points))
    return fault;
  if (Fault fault = findFaultOfOperations(points))
    return fault;
  if (Fault fault = findFaultOfParallel(points))
    return fault;
  return findFaultOfTensors(points);
}

} // namespace nacre::kernels
