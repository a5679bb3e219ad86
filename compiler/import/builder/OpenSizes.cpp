// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of NnBuilder that handles sizes that are known only at run time. If an operand has an open axis, the result
// must have the same count, or must not depend on elements after the count. Handlers need not check this. Counts are
// noted per value. Every new operator either propagates the counts, or is an error at its node. Operators that combine
// elements get neutral ones after the count, such as zeros for the depth of a product.

#include "compiler/import/builder/NnBuilder.h"

#include "dialects/nn/Axes.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/nn/evaluate/ScalarFunctions.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nacre::importer {

/// Returns the number that does not change what `op` computes of the others along `axis` of an operand, wherever it is
/// after them. Null if there is no such number.
static TypedAttr neutralNumber(Operation *op, unsigned operand, int64_t axis) {
  const Type element = getElementType(op->getOperand(operand));
  using nn::ReduceKind;
  return llvm::TypeSwitch<Operation *, TypedAttr>(op)
      .Case([&](nn::SoftmaxOp softmax) {
        return axis == int64_t(softmax.getAxis()) ? nn::getIdentity(ReduceKind::Max, element) : TypedAttr();
      })
      .Case([&](nn::ArgReduceOp index) {
        // Of equal numbers, the last one would be among those after the count.
        const bool isMax = index.getKind() == nn::ArgKind::Max;
        return axis == int64_t(index.getAxis()) && !index.getSelectLast()
                   ? nn::getIdentity(isMax ? ReduceKind::Max : ReduceKind::Min, element)
                   : TypedAttr();
      })
      .Case([&](nn::TopKOp largest) {
        if (axis != int64_t(largest.getAxis()))
          return TypedAttr();
        auto type = dyn_cast<FloatType>(element);
        if (largest.getSmallest() && type) // NaN counts as larger than infinity.
          return TypedAttr(FloatAttr::get(type, APFloat::getNaN(type.getFloatSemantics())));
        return nn::getIdentity(largest.getSmallest() ? ReduceKind::Min : ReduceKind::Max, element);
      })
      .Case([&](nn::CumulateOp sums) {
        const bool isSum = sums.getKind() == nn::CumulateKind::Sum;
        return axis == int64_t(sums.getAxis()) ? nn::getIdentity(isSum ? ReduceKind::Sum : ReduceKind::Prod, element)
                                               : TypedAttr();
      })
      .Case([&](nn::MatMulOp) {
        const nn::Axes axes = nn::getIterationAxes(op);
        const nn::Axis *own = nn::findAxisOfOperand(axes, operand, axis);
        return own && own->kind == nn::AxisKind::Reduced ? nn::getIdentity(ReduceKind::Sum, element) : TypedAttr();
      })
      .Default(TypedAttr());
}

/// True if counts of the first result are those of all results.
static bool hasCounts(Operation *op) { return op->getNumResults() == 1 || isa<nn::TopKOp>(op); }

/// True if all operands along `axis` have this count, or are constants.
static bool haveCount(Operation *op, const nn::Axis &axis, ArrayRef<nn::AxisCounts> counts, Value count) {
  for (auto [operand, own, known] : llvm::zip_equal(op->getOperands(), axis.operands, counts)) {
    if (own == nn::Axis::absent)
      continue;
    Value ofOperand = known.empty() ? Value() : known[own];
    if (ofOperand != count && (ofOperand || !operand.getDefiningOp<nn::ConstantOp>()))
      return false;
  }
  return true;
}

SmallVector<NnBuilder::OpenAxis> NnBuilder::findNeutral(Operation *op) const {
  SmallVector<OpenAxis> found;
  if (!llvm::any_of(op->getOperands(), [&](Value operand) { return isOpen(operand); }))
    return found;
  auto counts = llvm::map_to_vector(op->getOperands(), [&](Value operand) { return getCounts(operand); });
  if (hasCounts(op) && nn::transferCounts(op, counts))
    return found;
  const nn::Axes axes = nn::getIterationAxes(op);
  for (auto [number, operand] : llvm::enumerate(counts))
    for (auto [axis, count] : llvm::enumerate(operand)) {
      TypedAttr neutral = count ? neutralNumber(op, number, axis) : TypedAttr();
      if (!neutral)
        continue;
      const nn::Axis *own = nn::findAxisOfOperand(axes, number, axis);
      if (!own || !haveCount(op, *own, counts, count))
        return {};
      const int64_t ofResult = !isa<nn::TopKOp, nn::ArgReduceOp>(op) ? own->results[0] : nn::Axis::absent;
      found.push_back({unsigned(number), int64_t(axis), ofResult, count, neutral});
    }
  return found;
}

SmallVector<Value> NnBuilder::finishFilled(OperationState &state, InferTypes inferTypes, ArrayRef<OpenAxis> open) {
  for (const OpenAxis &axis : open) {
    Value &operand = state.operands[axis.operand];
    auto scalar = RankedTensorType::get({}, axis.neutral.getType());
    operand = fillUp(operand, axis.axis, constant(DenseElementsAttr::get(scalar, ArrayRef<Attribute>(axis.neutral))));
    if (!operand)
      return SmallVector<Value>(state.types.size());
  }
  SmallVector<Value> results = finish(state, inferTypes);
  for (const OpenAxis &axis : open)
    if (axis.ofResult != nn::Axis::absent)
      results.front() = limit(results.front(), axis.ofResult, axis.count);
  return results;
}

FailureOr<nn::AxisCounts> NnBuilder::passCounts(Operation *op) const {
  auto open = llvm::find_if(op->getOperands(), [&](Value operand) { return isOpen(operand); });
  if (open == op->operand_end())
    return nn::AxisCounts();
  auto operands = llvm::map_to_vector(op->getOperands(), [&](Value operand) { return getCounts(operand); });
  std::optional<nn::AxisCounts> passed;
  if (hasCounts(op))
    passed = nn::transferCounts(op, operands);
  if (passed)
    return *passed;
  refuseOpen(*open);
  return failure();
}

void NnBuilder::setCounts(Value value, const nn::AxisCounts &counts) {
  if (llvm::none_of(counts, [](Value count) { return bool(count); }))
    shared.counts.erase(value);
  else
    shared.counts[value] = counts;
}

InFlightDiagnostic NnBuilder::refuseOpen(Value open) const {
  nn::AxisCounts counts = getCounts(open);
  auto count = llvm::find_if(counts, [](Value count) { return bool(count); });
  InFlightDiagnostic diagnostic = error();
  diagnostic << "must read tensors whose sizes are known at compile time, but axis " << (count - counts.begin())
             << " of one has a size that ";
  if (auto finder = dyn_cast<NameLoc>(count->getLoc()))
    diagnostic << "node '" << finder.getName().getValue() << "' determines at run time";
  else
    diagnostic << "a run finds";
  diagnostic << "; make that tensor an output of the model, and compute the rest in the app";
  return diagnostic;
}

Value NnBuilder::sizesOf(Value value, int64_t first, int64_t number) {
  if (!value)
    return {};
  Ints shape = getShape(value).slice(first, number);
  nn::AxisCounts counts = getCounts(value);
  if (counts.empty() ||
      llvm::none_of(llvm::seq(first, first + number), [&](int64_t axis) { return bool(counts[axis]); }))
    return integers(shape);
  SmallVector<Value> sizes;
  for (auto [axis, size] : llvm::enumerate(shape))
    sizes.push_back(counts[first + axis] ? reshape(counts[first + axis], 1) : integers(size));
  return concat(sizes, 0);
}

Value NnBuilder::sliceOpen(Value operand, Ints starts, Ints sizes, Ints steps) {
  const nn::AxisCounts counts = getCounts(operand);
  if (counts.empty())
    return slice(operand, starts, sizes, steps);
  nn::AxisCounts whole = counts;
  SmallVector<int64_t> cut;
  for (auto [axis, count] : llvm::enumerate(counts))
    if (count && (starts[axis] != 0 || sizes[axis] != getShape(operand)[axis] || steps[axis] != 1)) {
      cut.push_back(int64_t(axis));
      whole[axis] = Value();
    }
  // The operator itself has no rule for these axes: their counts follow from its numbers.
  setCounts(operand, whole);
  Value sliced = slice(operand, starts, sizes, steps);
  setCounts(operand, counts);
  for (int64_t axis : cut) {
    Value left = sub(counts[axis], scalar(counts[axis], double(starts[axis])));
    left = binary(nn::BinaryKind::Min, left, double(sizes[axis]));
    sliced = limit(sliced, axis, binary(nn::BinaryKind::Max, left, 0.0));
  }
  return sliced;
}

/// Gathers elements along an open axis. Valid indices are smaller than the count, and negative ones count from it.
Value NnBuilder::gatherOpen(Value operand, Value indices, int64_t axis) {
  const nn::AxisCounts counts = getCounts(operand);
  nn::AxisCounts others = counts;
  others[axis] = Value();
  Value fromEnd = add(indices, cast(counts[axis], getElementType(indices)));
  indices = select(binary(nn::BinaryKind::Less, indices, 0.0), fromEnd, indices);
  setCounts(operand, others);
  Value gathered = infer<nn::GatherOp>(operand, indices, static_cast<uint64_t>(axis));
  setCounts(operand, counts);
  return gathered;
}

Value NnBuilder::limit(Value value, int64_t axis, Value count) {
  if (!value || !count)
    return {};
  int64_t bound = getShape(value)[axis];
  if (ElementsAttr known = getConstant(count)) {
    FailureOr<nn::ConstantView> view = nn::ConstantView::get(known);
    if (failed(view))
      return {};
    return slice(value, axis, 0, std::clamp<int64_t>(view->readIntegers().front(), 0, bound));
  }
  nn::AxisCounts &counts = shared.counts[value];
  counts.resize(getRank(value));
  counts[axis] = noteCount(count, bound);
  return value;
}

/// Concatenates parts that may be open along the axis. The parts are joined at full size. Then a gather skips the
/// invalid elements of all parts except the last.
Value NnBuilder::concat(ValueRange operands, int64_t axis) {
  auto isOpenAlong = [&](Value part) { return isOpen(part) && getCounts(part)[axis]; };
  if (isMissing(operands) || llvm::none_of(operands, isOpenAlong))
    return infer<nn::ConcatOp>(operands, static_cast<uint64_t>(axis));
  int64_t all = 0;
  for (Value part : operands)
    all += getShape(part)[axis];
  Value position = counting(all), index = position;
  Value count = splat(RankedTensorType::get({}, builder.getI64Type()), 0), zero = count;
  SmallVector<Value> full;
  for (Value part : operands) {
    const auto size = static_cast<double>(getShape(part)[axis]);
    if (!isOpenAlong(part)) {
      full.push_back(part);
      count = add(count, size);
      continue;
    }
    Value own = getCounts(part)[axis];
    full.push_back(fillUp(part, axis, scalar(part, 0)));
    count = add(count, own);
    Value isBehind = binary(nn::BinaryKind::GreaterEqual, position, count);
    index = add(index, select(isBehind, sub(scalar(own, size), own), zero));
  }
  Value joined = isMissing(ValueRange(full)) ? Value() : infer<nn::ConcatOp>(full, static_cast<uint64_t>(axis));
  return limit(gather(joined, index, axis), axis, count);
}

Value NnBuilder::fillUp(Value value, int64_t axis, Value filler) {
  if (!value || !filler)
    return {};
  Value count = getCounts(value)[axis];
  Value positions = counting(getShape(value)[axis]);
  if (!positions)
    return {};
  positions = alignToAxis(positions, axis, getRank(value));
  Value isThere = binary(nn::BinaryKind::Less, positions, count);
  if (!isThere)
    return {};
  nn::AxisCounts counts(getRank(isThere));
  counts.front() = count;
  shared.counts[isThere] = counts;
  Value full = select(isThere, value, filler);
  if (!full)
    return {};
  counts = getCounts(full);
  counts[axis] = Value();
  setCounts(full, counts);
  return full;
}

/// Reduces an operand with open axes. Elements after the counts are replaced by the identity of the reduction.
Value NnBuilder::reduceOpen(nn::ReduceKind kind, Value operand, Ints axes, bool keepDims) {
  const bool isMean = kind == nn::ReduceKind::Mean;
  if (isMean)
    kind = nn::ReduceKind::Sum;
  nn::AxisCounts counts = getCounts(operand);
  Type element = getElementType(operand);
  Value filler = constant(
      DenseElementsAttr::get(RankedTensorType::get({}, element), ArrayRef<Attribute>(nn::getIdentity(kind, element))));
  int64_t known = 1;
  Value number;
  for (int64_t axis : axes) {
    if (!counts[axis]) {
      known *= getShape(operand)[axis];
      continue;
    }
    operand = fillUp(operand, axis, filler);
    number = number ? mul(number, counts[axis]) : counts[axis];
    if (!operand || !number)
      return {};
  }
  Value reduced = infer<nn::ReduceOp>(kind, operand, axes, keepDims);
  if (!isMean)
    return reduced;
  number = number ? mul(number, double(known)) : splat(RankedTensorType::get({}, builder.getI64Type()), double(known));
  return div(reduced, cast(number, element));
}

} // namespace nacre::importer
