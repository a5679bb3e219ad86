// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  verifies operators with regions. Operands, region arguments, yielded values and results must have the same
//        types.
// Why:   an error in a pass that changes only some of these types must be found early.

#include "dialects/TensorTypes.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;

namespace nacre::nn {

namespace {

/// Returns the type of a stack of `rows` tensors, each of type `row`.
RankedTensorType stackOf(Type row, int64_t rows) {
  SmallVector<int64_t> shape{rows};
  llvm::append_range(shape, cast<RankedTensorType>(row).getShape());
  return RankedTensorType::get(shape, cast<RankedTensorType>(row).getElementType());
}

LogicalResult verifyOneElement(Operation *op, Value value, StringRef what) {
  if (typeOf(value).getNumElements() == 1)
    return success();
  return op->emitOpError() << what << " must have one element, but is " << value.getType();
}

/// Verifies that `types` equal `wanted`. `what` is the plural noun for the values in messages.
LogicalResult verifyTypes(Operation *op, StringRef what, TypeRange types, ArrayRef<Type> wanted) {
  if (types.size() != wanted.size())
    return op->emitOpError() << what << " must be " << wanted.size() << ", but are " << types.size();
  for (auto [index, type, want] : llvm::enumerate(types, wanted))
    if (type != want)
      return op->emitOpError() << "number " << index << " of the " << what << " must be " << want << ", but is "
                               << type;
  return success();
}

template <typename TerminatorT> FailureOr<TerminatorT> findTerminator(Operation *op, Region &region) {
  if (auto terminator = dyn_cast<TerminatorT>(region.front().back()))
    return terminator;
  op->emitOpError() << "region " << region.getRegionNumber() << " must end in '" << TerminatorT::getOperationName()
                    << "'";
  return failure();
}

/// Verifies that loops are nested no deeper than the runtime can count.
LogicalResult verifyDepth(Operation *op) {
  unsigned depth = 0;
  for (Operation *around = op; around; around = around->getParentOp())
    depth += isa<ForOp, WhileOp>(around);
  if (depth <= maxLoopDepth)
    return success();
  return op->emitOpError() << "must nest at most " << maxLoopDepth << " deep, but is " << depth << " deep";
}

LogicalResult verifyBranch(IfOp op, Region &region, StringRef what) {
  if (region.getNumArguments() != 0)
    return op.emitOpError() << "branches must have no arguments, but " << what << " has " << region.getNumArguments();
  FailureOr<YieldOp> yield = findTerminator<YieldOp>(op, region);
  if (failed(yield))
    return failure();
  if (!yield->getStacked().empty())
    return op.emitOpError() << "branches must stack nothing, but " << what << " does";
  return verifyTypes(*yield, "values of a branch", yield->getCarried().getTypes(),
                     llvm::to_vector(op->getResultTypes()));
}

/// Verifies the arguments of a region that each iteration executes: the counter, carried values and rows.
LogicalResult verifyArguments(Operation *op, Region &region, ValueRange initial, ArrayRef<Type> rows) {
  SmallVector<Type> wanted{RankedTensorType::get({}, IntegerType::get(op->getContext(), 64))};
  llvm::append_range(wanted, initial.getTypes());
  llvm::append_range(wanted, rows);
  return verifyTypes(op, "arguments of a region", region.getArgumentTypes(), wanted);
}

/// Verifies the values that the body of a loop of at most `bound` iterations yields, and the loop's results.
LogicalResult verifyYield(Operation *op, Region &body, ValueRange initial, TypeRange results, int64_t bound) {
  FailureOr<YieldOp> yield = findTerminator<YieldOp>(op, body);
  if (failed(yield) || failed(verifyTypes(*yield, "carried values", yield->getCarried().getTypes(),
                                          llvm::to_vector(initial.getTypes()))))
    return failure();
  SmallVector<Type> wanted(initial.getTypes());
  for (Type row : yield->getStacked().getTypes())
    wanted.push_back(stackOf(row, bound));
  return verifyTypes(op, "results of a loop", results, wanted);
}

} // namespace

LogicalResult IfOp::verifyRegions() {
  return success(succeeded(verifyOneElement(*this, getCondition(), "the condition")) &&
                 succeeded(verifyBranch(*this, getThenRegion(), "then")) &&
                 succeeded(verifyBranch(*this, getElseRegion(), "else")));
}

LogicalResult ForOp::verifyRegions() {
  if (Value count = getCount();
      count && (typeOf(count).getNumElements() != 1 || !typeOf(count).getElementType().isInteger(64)))
    return emitOpError("the count must be one element of i64, but is ") << count.getType();
  if (getCount() && getReverse())
    return emitOpError("must not be reversed if a count states the number of rows");
  SmallVector<Type> rows;
  for (Value scanned : getScanned()) {
    RankedTensorType type = typeOf(scanned);
    if (type.getRank() == 0 || type.getDimSize(0) != getTripCount())
      return emitOpError("a scanned operand must have a row for each of ")
             << getTripCount() << " iterations, but is " << type;
    rows.push_back(RankedTensorType::get(type.getShape().drop_front(), type.getElementType()));
  }
  return success(succeeded(verifyDepth(*this)) && succeeded(verifyArguments(*this, getBody(), getInitial(), rows)) &&
                 succeeded(verifyYield(*this, getBody(), getInitial(), getValues().getTypes(), getTripCount())));
}

LogicalResult WhileOp::verifyRegions() {
  FailureOr<ConditionOp> condition = findTerminator<ConditionOp>(*this, getConditionRegion());
  if (failed(condition) || failed(verifyOneElement(*condition, condition->getCondition(), "the condition")) ||
      failed(verifyDepth(*this)) || failed(verifyArguments(*this, getConditionRegion(), getInitial(), {})) ||
      failed(verifyArguments(*this, getBody(), getInitial(), {})))
    return failure();
  FailureOr<YieldOp> yield = findTerminator<YieldOp>(*this, getBody());
  if (succeeded(yield) && !yield->getStacked().empty() && !getBound())
    return emitOpError("must have a bound if its body stacks rows");
  return verifyYield(*this, getBody(), getInitial(), getValues().getTypes(), getBound().value_or(0));
}

LogicalResult GradientOp::verifyRegions() {
  FailureOr<YieldOp> yield = findTerminator<YieldOp>(*this, getBody());
  if (failed(yield) || failed(verifyTypes(*this, "arguments of a region", getBody().getArgumentTypes(),
                                          llvm::to_vector(getPoint().getTypes()))))
    return failure();
  auto isFloat = [](Type type) { return isa<FloatType>(cast<RankedTensorType>(type).getElementType()); };
  if (yield->getCarried().size() != 1 || !yield->getStacked().empty() || !isFloat(yield->getCarried()[0].getType()))
    return emitOpError("must yield one tensor of floats");
  if (getGradients().size() > getPoint().size())
    return emitOpError("must have at most as many results as operands, but has ") << getGradients().size();
  if (!llvm::all_of(getGradients().getTypes(), isFloat))
    return emitOpError("must have results of floats");
  return verifyTypes(*this, "results", getGradients().getTypes(),
                     llvm::to_vector(getPoint().take_front(getGradients().size()).getTypes()));
}

//===----------------------------------------------------------------------===//
// Terminators by name
//===----------------------------------------------------------------------===//

YieldOp IfOp::getThenYield() { return cast<YieldOp>(getThenRegion().front().back()); }
YieldOp IfOp::getElseYield() { return cast<YieldOp>(getElseRegion().front().back()); }
YieldOp ForOp::getYield() { return cast<YieldOp>(getBody().front().back()); }
YieldOp WhileOp::getYield() { return cast<YieldOp>(getBody().front().back()); }
YieldOp GradientOp::getYield() { return cast<YieldOp>(getBody().front().back()); }
ConditionOp WhileOp::getConditionOp() { return cast<ConditionOp>(getConditionRegion().front().back()); }

} // namespace nacre::nn
