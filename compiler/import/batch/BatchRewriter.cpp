// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BatchRewriter.h. The parts of this file are:
// 1. Places of values.
// 2. One operand: moved to another axis, or repeated for all rows.
// 3. Operators: all operands and results along one axis.

#include "compiler/import/batch/BatchRewriter.h"
#include "dialects/TensorTypes.h"

#include "dialects/nn/ConstantData.h"
#include "dialects/nn/NnDialect.h"

#include <cstring>

using namespace mlir;

namespace nacre::importer {

//===----------------------------------------------------------------------===//
// 1. Values
//===----------------------------------------------------------------------===//

const BatchAxis *BatchRewriter::find(Value value) const {
  auto place = places.find(value);
  return place == places.end() ? nullptr : &place->second;
}

SmallVector<int64_t> BatchRewriter::getStatedShape(Value value) const {
  SmallVector<int64_t> shape(shapeOf(value));
  if (const BatchAxis *place = find(value))
    shape[place->axis] = place->sizeFor(stated);
  return shape;
}

RankedTensorType BatchRewriter::getWantedType(RankedTensorType type, const BatchPlace &place) const {
  SmallVector<int64_t> shape(type.getShape());
  shape[place.axis] = place.sizeFor(wanted);
  return type.clone(shape);
}

void BatchRewriter::set(Value value, const BatchAxis &place) {
  assert(shapeOf(value)[place.axis] == place.sizeFor(stated) && "rows must fit to the stated shape");
  value.setType(getWantedType(typeOf(value), place));
  places[value] = place;
}

std::optional<BatchAxis> BatchRewriter::guess(Value value, ArrayRef<Value> likely) const {
  const ArrayRef<int64_t> shape = shapeOf(value);
  for (Value other : likely)
    if (const BatchAxis *place = find(other); place && getStatedShape(other) == shape)
      return *place;
  const auto *axis = llvm::find(shape, stated);
  if (axis == shape.end())
    return std::nullopt;
  const BatchPlace place = {axis - shape.begin()};
  return withChoices(shape, place, findPlaces(shape, countOuter(shape, place), stated));
}

LogicalResult BatchRewriter::refuse(Location loc, const Twine &reason) const {
  InFlightDiagnostic error = emitError(loc);
  error << "each row of the batch must be computed separately for --shape to change the batch from " << stated << " to "
        << wanted << ", but " << reason << "; export the model with a batch of " << wanted;
  if (isTrained)
    return error << ", or pass --train-batch=" << wanted << " instead of --shape if only training needs it";
  return error << ", or run it once per row";
}

LogicalResult BatchRewriter::refuse(Operation *op, const Twine &reason) const {
  return refuse(op->getLoc(), "this operator " + reason);
}

//===----------------------------------------------------------------------===//
// 2. One operand
//===----------------------------------------------------------------------===//

/// True if all stated rows of a value without rows are equal, so that the number of rows can change.
bool BatchRewriter::hasEqualRows(Value value, const BatchPlace &place) const {
  if (stated == 1)
    return true;
  if (auto broadcast = value.getDefiningOp<nn::BroadcastOp>()) {
    const int64_t axis = place.axis - typeOf(value).getRank() + typeOf(broadcast.getOperand()).getRank();
    return place.isAxisOfItsOwn() && (axis < 0 || shapeOf(broadcast.getOperand())[axis] == 1);
  }
  auto constant = value.getDefiningOp<nn::ConstantOp>();
  return constant && bool(repeat(constant.getValue(), place));
}

ElementsAttr BatchRewriter::repeat(ElementsAttr elements, const BatchPlace &place) const {
  auto type = cast<RankedTensorType>(elements.getType());
  const RankedTensorType wantedType = getWantedType(type, place);
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(elements);
  if (failed(view))
    return {};
  const int64_t outer = countOuter(type.getShape(), place);
  const int64_t inner = outer == 0 ? 0 : type.getNumElements() / (outer * stated);
  nn::ConstantBuilder builder(wantedType, view->isSplat());
  const size_t width = builder.getElementBytes();
  if (view->isSplat()) {
    std::memcpy(builder.at(0), view->at(0), width);
    return std::move(builder).take();
  }
  for (int64_t block = 0; block < outer; ++block) {
    const char *row = view->at(block * stated * inner);
    for (int64_t other = 1; other < stated; ++other)
      if (std::memcmp(row, view->at((block * stated + other) * inner), inner * width) != 0)
        return {};
    for (int64_t copy = 0; copy < wanted; ++copy)
      std::memcpy(builder.at((block * wanted + copy) * inner), row, inner * width);
  }
  return std::move(builder).take();
}

Value BatchRewriter::repeat(OpBuilder &builder, Value value, const BatchPlace &place) {
  const RankedTensorType type = typeOf(value), wantedType = getWantedType(type, place);
  const Location loc = value.getLoc();
  if (auto constant = value.getDefiningOp<nn::ConstantOp>())
    if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()); dense && dense.isSplat())
      return nn::ConstantOp::create(builder, loc, dense.resizeSplat(wantedType));
  if (stated == 1 && place.isAxisOfItsOwn())
    return nn::BroadcastOp::create(builder, loc, wantedType, value);
  const int64_t outer = countOuter(type.getShape(), place), inner = type.getNumElements() / (outer * stated);
  auto make = [&](int64_t rows) { return type.clone({outer, rows, inner}); };
  Value rows = nn::ReshapeOp::create(builder, loc, make(stated), value);
  if (stated != 1)
    rows = nn::SliceOp::create(builder, loc, make(1), rows, ArrayRef<int64_t>{0, 0, 0},
                               ArrayRef<int64_t>{outer, 1, inner}, ArrayRef<int64_t>{1, 1, 1});
  rows = nn::BroadcastOp::create(builder, loc, make(wanted), rows);
  return nn::ReshapeOp::create(builder, loc, wantedType, rows);
}

/// Moves the rows by a reshape. Both places are at the same position among the elements.
Value BatchRewriter::move(OpBuilder &builder, Value value, const BatchPlace &place) {
  SmallVector<int64_t> shape = getStatedShape(value);
  const BatchAxis moved = withChoices(shape, place, find(value)->choices);
  shape[place.axis] = place.sizeFor(wanted);
  Value reshaped = nn::ReshapeOp::create(builder, value.getLoc(), typeOf(value).clone(shape), value);
  places[reshaped] = moved;
  return reshaped;
}

bool BatchRewriter::canConform(OpOperand &operand, const BatchPlace &place) const {
  Value value = operand.get();
  if (place.axis < 0 || place.axis >= typeOf(value).getRank())
    return false;
  if (const BatchAxis *own = find(value))
    return own->mayBe(place);
  return shapeOf(value)[place.axis] == place.sizeFor(stated) && hasEqualRows(value, place);
}

LogicalResult BatchRewriter::conform(OpOperand &operand, const BatchPlace &place) {
  if (!canConform(operand, place))
    return failure();
  OpBuilder builder(operand.getOwner());
  Value value = operand.get();
  if (const BatchAxis *own = find(value); !own) {
    Value repeated = repeat(builder, value, place);
    places[repeated] = BatchAxis(place);
    operand.set(repeated);
  } else if (own->axis != place.axis) {
    operand.set(move(builder, value, place));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// 3. Operators
//===----------------------------------------------------------------------===//

nn::Axes BatchRewriter::getStatedAxes(Operation *op) const {
  const SmallVector<Type> wantedTypes(op->getOperandTypes());
  for (Value operand : op->getOperands())
    operand.setType(typeOf(operand).clone(getStatedShape(operand)));
  nn::Axes axes = nn::getIterationAxes(op);
  for (auto [operand, type] : llvm::zip_equal(op->getOperands(), wantedTypes))
    operand.setType(type);
  return axes;
}

/// True unless `operand` lacks `axis`, or broadcasts along it and so is the same for all rows.
bool BatchRewriter::needsRows(OpOperand &operand, const nn::Axis &axis) const {
  const int64_t own = axis.operands[operand.getOperandNumber()];
  if (hasRows(operand.get()))
    return true;
  return own != nn::Axis::absent && !(axis.broadcasts && shapeOf(operand.get())[own] == 1);
}

/// True if all operands can have rows at `axis`, with the sizes of `place`.
bool BatchRewriter::canPass(Operation *op, const nn::Axis &axis, const BatchPlace &place) const {
  if (!axis.isParallel())
    return false;
  for (auto [result, own] : llvm::zip_equal(op->getResults(), axis.results))
    if (own == nn::Axis::absent || shapeOf(result)[own] != place.sizeFor(stated))
      return false;
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    return !needsRows(operand, axis) || canConform(operand, place.at(axis.operands[operand.getOperandNumber()]));
  });
}

bool BatchRewriter::passRows(Operation *op, ArrayRef<nn::Axis> axes) {
  auto *first = llvm::find_if(op->getOpOperands(), [&](OpOperand &operand) { return hasRows(operand.get()); });
  // The present place of the first operand is preferred.
  const BatchAxis before = *find(first->get());
  auto axisOf = [&](const BatchPlace &place) {
    return nn::findAxisOfOperand(axes, first->getOperandNumber(), place.axis);
  };
  const auto *chosen = llvm::find_if(before.choices, [&](const BatchPlace &place) {
    const nn::Axis *axis = axisOf(place);
    return axis && canPass(op, *axis, place);
  });
  if (chosen == before.choices.end())
    return false;
  const nn::Axis &axis = *axisOf(*chosen);
  for (OpOperand &operand : op->getOpOperands())
    if (needsRows(operand, axis) && failed(conform(operand, chosen->at(axis.operands[operand.getOperandNumber()]))))
      return false;
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    SmallVector<BatchPlace> choices;
    for (const BatchPlace &place : before.choices)
      if (const nn::Axis *other = axisOf(place))
        if (const int64_t own = other->results[index];
            own != nn::Axis::absent && shapeOf(result)[own] == place.sizeFor(stated))
          choices.push_back(place.at(own));
    set(result, withChoices(shapeOf(result), chosen->at(axis.results[index]), choices));
  }
  return true;
}

} // namespace nacre::importer
