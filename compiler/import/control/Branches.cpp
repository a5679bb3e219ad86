// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements RegionBuilder::buildIf(). The parts of this file are:
// 1. Computes both branches in their regions.
// 2. Makes their values agree: splits lists into tensors, and pads values to the larger of both sizes, with a count.
// 3. Moves the regions into the final operator.

#include "compiler/import/control/RegionBuilder.h"

#include "compiler/import/messages/ComplexValues.h"
#include "compiler/import/messages/TypeNames.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace nacre::importer {

namespace {

/// Returns the tensors of which `values` consist.
RegionBuilder::Values takeApart(ArrayRef<Value> values) {
  RegionBuilder::Values parts;
  for (Value value : values)
    if (std::optional<ValueRange> list = getList(value))
      llvm::append_range(parts, *list);
    else
      parts.push_back(value);
  return parts;
}

/// True if both are tensors, or lists of the same length.
bool haveSameForm(Value a, Value b) {
  std::optional<ValueRange> listA = getList(a), listB = getList(b);
  if (!listA || !listB)
    return isTensor(a) && isTensor(b);
  return listA->size() == listB->size() && llvm::all_of(*listA, isTensor) && llvm::all_of(*listB, isTensor);
}

} // namespace

//===----------------------------------------------------------------------===//
// 1. Computing
//===----------------------------------------------------------------------===//

FailureOr<RegionBuilder::Values> RegionBuilder::fillBranch(Region &region, Branch compute) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&region.emplaceBlock());
  return compute();
}

//===----------------------------------------------------------------------===//
// 2. Agreeing
//===----------------------------------------------------------------------===//

LogicalResult RegionBuilder::agree(Values &onTrue, Values &onFalse, Region &thenRegion, Region &elseRegion,
                                   SmallVectorImpl<SmallVector<int64_t>> &openAxes) {
  for (auto [index, a, b] : llvm::enumerate(onTrue, onFalse)) {
    if (!isTensor(a) || !isTensor(b) || getElementType(a) != getElementType(b) || getRank(a) != getRank(b))
      return nn.error() << "output " << index << " of both branches must have the same type, but is " << describe(a)
                        << " and " << describe(b)
                        << ", chosen at run time; make the types equal, or make the condition known at compile time";
    SmallVector<int64_t> &open = openAxes.emplace_back();
    nn::AxisCounts countsA = nn.getCounts(a), countsB = nn.getCounts(b);
    for (int64_t axis = 0; axis < getRank(a); ++axis)
      if (getShape(a)[axis] != getShape(b)[axis] || (!countsA.empty() && countsA[axis]) ||
          (!countsB.empty() && countsB[axis]))
        open.push_back(axis);
  }
  Values before = onTrue;
  llvm::append_range(onTrue, measure(thenRegion, onTrue, onFalse, openAxes));
  llvm::append_range(onFalse, measure(elseRegion, onFalse, before, openAxes));
  return success(!llvm::is_contained(onTrue, Value()) && !llvm::is_contained(onFalse, Value()));
}

/// Pads `values` along open axes to the size of `others` if it is larger. Returns the counts of these axes, in order.
RegionBuilder::Values RegionBuilder::measure(Region &region, MutableArrayRef<Value> values, ArrayRef<Value> others,
                                             ArrayRef<SmallVector<int64_t>> openAxes) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&region.front());
  Values sizes;
  for (auto [value, other, axes] : llvm::zip_equal(values, others, openAxes)) {
    if (axes.empty())
      continue;
    SmallVector<int64_t> low(getRank(value), 0), high(low);
    nn::AxisCounts counts = nn.getCounts(value);
    for (int64_t axis : axes) {
      int64_t size = getShape(value)[axis];
      high[axis] = std::max<int64_t>(getShape(other)[axis] - size, 0);
      sizes.push_back(!counts.empty() && counts[axis] ? counts[axis] : nn.reshape(nn.integers(size), /*shape=*/{}));
    }
    // The builder is not used here, because it reports an error for a padding of an open axis.
    if (llvm::any_of(high, [](int64_t amount) { return amount > 0; }))
      value = nn::PadOp::create(builder, nn.getLoc(), nn::PadMode::Constant, value, low, high,
                                getScalarAttr(getElementType(value), 0));
  }
  return sizes;
}

//===----------------------------------------------------------------------===//
// 3. The operator
//===----------------------------------------------------------------------===//

FailureOr<RegionBuilder::Values> RegionBuilder::buildIf(Value condition, Branch onTrue, Branch onFalse) {
  if (!condition || failed(refuseAnyOpen(condition)))
    return failure();
  auto scaffold = nn::IfOp::create(builder, nn.getLoc(), TypeRange(), condition);
  FailureOr<Values> trueValues = fillBranch(scaffold.getThenRegion(), onTrue);
  if (failed(trueValues))
    return failure();
  FailureOr<Values> falseValues = fillBranch(scaffold.getElseRegion(), onFalse);
  if (failed(falseValues))
    return failure();
  if (trueValues->size() != falseValues->size())
    return nn.error() << "both branches must have the same number of outputs, but have " << trueValues->size()
                      << " and " << falseValues->size();
  for (auto [index, a, b] : llvm::enumerate(*trueValues, *falseValues))
    if (!a || !b || !haveSameForm(a, b))
      return nn.error() << "output " << index
                        << " of both branches must be tensors, or sequences of equal length, but is "
                        << (a ? describe(a) : "nothing") << " and " << (b ? describe(b) : "nothing")
                        << ", chosen at run time";
  Values given = *trueValues, thenYields = takeApart(*trueValues), elseYields = takeApart(*falseValues);
  SmallVector<SmallVector<int64_t>> openAxes;
  if (failed(agree(thenYields, elseYields, scaffold.getThenRegion(), scaffold.getElseRegion(), openAxes)))
    return failure();

  auto op = nn::IfOp::create(builder, nn.getLoc(), ValueRange(thenYields).getTypes(), condition);
  op.getThenRegion().takeBody(scaffold.getThenRegion());
  op.getElseRegion().takeBody(scaffold.getElseRegion());
  scaffold.erase();
  for (auto [region, yields] : {std::pair(&op.getThenRegion(), &thenYields), {&op.getElseRegion(), &elseYields}}) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&region->front());
    nn::YieldOp::create(builder, nn.getLoc(), *yields, /*stacked=*/ValueRange());
  }
  if (failed(check(op)))
    return failure();

  auto count = op.getValues().begin() + openAxes.size();
  for (auto [value, axes] : llvm::zip(op.getValues(), openAxes))
    for (int64_t axis : axes)
      nn.limit(value, axis, *count++);
  Values results;
  auto next = op.getValues().begin();
  for (Value value : given) {
    std::optional<ValueRange> list = getList(value);
    size_t parts = list ? list->size() : 1;
    results.push_back(list ? nn.list(llvm::to_vector_of<Value>(llvm::make_range(next, next + parts))) : Value(*next));
    if (isComplex(value))
      markComplex(results.back());
    next += parts;
  }
  return results;
}

} // namespace nacre::importer
