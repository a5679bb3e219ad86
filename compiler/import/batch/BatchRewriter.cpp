// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. what is known of values,
//       2. one operand: moved to another axis, or repeated for all rows,
//       3. several operands at one place.

#include "compiler/import/batch/BatchRewriter.h"

#include "dialects/nn/ConstantData.h"
#include "dialects/nn/NnDialect.h"

#include <cstring>

using namespace mlir;

namespace nacre::importer {

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
static ArrayRef<int64_t> shapeOf(Value value) { return typeOf(value).getShape(); }

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

RankedTensorType BatchRewriter::getWantedType(RankedTensorType type, const BatchAxis &place) const {
  SmallVector<int64_t> shape(type.getShape());
  shape[place.axis] = place.sizeFor(wanted);
  return type.clone(shape);
}

void BatchRewriter::set(Value value, const BatchAxis &place) {
  assert(shapeOf(value)[place.axis] == place.sizeFor(stated) && "rows must fit to the stated shape");
  value.setType(getWantedType(typeOf(value), place));
  places[value] = place;
}

std::optional<BatchAxis> BatchRewriter::guess(Value value) const {
  for (auto [axis, size] : llvm::enumerate(shapeOf(value)))
    if (size == stated)
      return withChoices(shapeOf(value), BatchAxis::at(int64_t(axis)), stated == 1 ? ~uint32_t(0) : 0);
  return std::nullopt;
}

LogicalResult BatchRewriter::refuse(Location loc, const Twine &reason) const {
  return emitError(loc) << "each row of the batch must be computed separately for --shape to change the batch from "
                        << stated << " to " << wanted << ", but " << reason << "; export the model with a batch of "
                        << wanted << ", or run it once per row";
}

LogicalResult BatchRewriter::refuse(Operation *op, const Twine &reason) const {
  return refuse(op->getLoc(), "this operator " + reason);
}

//===----------------------------------------------------------------------===//
// 2. One operand
//===----------------------------------------------------------------------===//

/// Whether the stated rows of a value without rows are all the same, so that there may be another number of them.
bool BatchRewriter::hasEqualRows(Value value, const BatchAxis &place) const {
  if (stated == 1)
    return true;
  if (auto broadcast = value.getDefiningOp<nn::BroadcastOp>()) {
    const int64_t axis = place.axis - typeOf(value).getRank() + typeOf(broadcast.getOperand()).getRank();
    return place.isAxisOfItsOwn() && (axis < 0 || shapeOf(broadcast.getOperand())[axis] == 1);
  }
  auto constant = value.getDefiningOp<nn::ConstantOp>();
  return constant && bool(repeat(constant.getValue(), place));
}

ElementsAttr BatchRewriter::repeat(ElementsAttr elements, const BatchAxis &place) const {
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

Value BatchRewriter::repeat(OpBuilder &builder, Value value, const BatchAxis &place) {
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

/// Only axes of size 1 are between the two axes, so a reshape moves the rows.
Value BatchRewriter::move(OpBuilder &builder, Value value, int64_t axis) {
  BatchAxis place = *find(value);
  SmallVector<int64_t> shape = getStatedShape(value);
  const uint32_t choices = place.choices;
  place = withChoices(shape, BatchAxis::at(axis), choices);
  shape[axis] = wanted;
  Value moved = nn::ReshapeOp::create(builder, value.getLoc(), typeOf(value).clone(shape), value);
  places[moved] = place;
  return moved;
}

bool BatchRewriter::canConform(OpOperand &operand, const BatchAxis &place) const {
  Value value = operand.get();
  if (place.axis < 0 || place.axis >= typeOf(value).getRank())
    return false;
  if (const BatchAxis *own = find(value))
    return own->isMergedAs(place) && own->mayBe(place.axis);
  return shapeOf(value)[place.axis] == place.sizeFor(stated) && hasEqualRows(value, place);
}

LogicalResult BatchRewriter::conform(OpOperand &operand, const BatchAxis &place) {
  if (!canConform(operand, place))
    return failure();
  OpBuilder builder(operand.getOwner());
  Value value = operand.get();
  const BatchAxis *own = find(value);
  if (!own) {
    Value repeated = repeat(builder, value, place);
    BatchAxis single = place;
    single.choices = uint32_t(1) << place.axis;
    places[repeated] = single;
    operand.set(repeated);
  } else if (own->axis != place.axis) {
    operand.set(move(builder, value, place.axis));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// 3. Several operands
//===----------------------------------------------------------------------===//

std::optional<BatchAxis> BatchRewriter::align(ArrayRef<Aligned> operands, ArrayRef<int64_t> shape, Axes allows) {
  // An operand that stays as it is, although others have rows.
  auto fitsAnyway = [&](const Aligned &aligned, int64_t axis) {
    Value value = aligned.operand->get();
    const int64_t own = axis - aligned.shift;
    return aligned.broadcasts && !hasRows(value) && (own < 0 || shapeOf(value)[own] == 1);
  };
  auto isPossible = [&](BatchAxis place) {
    if (!allows(place.axis) || shape[place.axis] != place.sizeFor(stated))
      return false;
    return llvm::all_of(operands, [&](const Aligned &aligned) {
      BatchAxis own = place;
      own.axis -= aligned.shift;
      return fitsAnyway(aligned, place.axis) || canConform(*aligned.operand, own);
    });
  };
  const auto *first = llvm::find_if(operands, [&](const Aligned &aligned) { return hasRows(aligned.operand->get()); });
  if (first == operands.end())
    return std::nullopt;
  const BatchAxis *start = find(first->operand->get());
  std::optional<BatchAxis> chosen;
  uint32_t choices = 0;
  auto consider = [&](int64_t axis) {
    BatchAxis place = *start;
    place.axis = axis;
    if (axis < 0 || axis >= int64_t(shape.size()) || !isPossible(place))
      return;
    choices |= uint32_t(1) << axis;
    if (!chosen)
      chosen = place;
  };
  consider(start->axis + first->shift);
  for (int64_t axis = 0; axis < 32; ++axis)
    if (axis != start->axis && start->mayBe(axis))
      consider(axis + first->shift);
  if (!chosen)
    return std::nullopt;
  for (const Aligned &aligned : operands) {
    BatchAxis own = *chosen;
    own.axis -= aligned.shift;
    if (!fitsAnyway(aligned, chosen->axis) && failed(conform(*aligned.operand, own)))
      return std::nullopt;
  }
  return withChoices(shape, *chosen, choices);
}

std::optional<BatchAxis> BatchRewriter::alignAll(MutableArrayRef<OpOperand> operands, ArrayRef<int64_t> shape,
                                                 Axes allows) {
  SmallVector<Aligned> aligned;
  for (OpOperand &operand : operands)
    aligned.push_back({&operand});
  return align(aligned, shape, allows);
}

} // namespace nacre::importer
