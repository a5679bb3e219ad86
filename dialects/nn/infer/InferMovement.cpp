// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Infers the result types of the operators of `nn` that move, select, scatter and repeat elements.

#include "dialects/nn/ResampleTables.h"
#include "dialects/nn/infer/InferTypes.h"

using namespace mlir;

namespace nacre::nn {

namespace {

PadReach reachOf(PadMode mode) {
  switch (mode) {
  case PadMode::Constant:
    return PadReach::Any;
  case PadMode::Edge:
    return PadReach::Edge;
  case PadMode::Reflect:
    return PadReach::ExtentLessOne;
  case PadMode::Wrap:
  case PadMode::Symmetric:
    return PadReach::Extent;
  }
  llvm_unreachable("all pad modes are above");
}

LogicalResult infer(MaybeLocation location, TransposeOp::Adaptor op, Types &types) {
  return finish(location, transposeShape(shapeOf(op.getOperand()), op.getPermutation()), elementTypeOf(op.getOperand()),
                types);
}

/// Infers the result of joining `parts`, which must have one element type. `rule` computes the result's shape from
/// their shapes.
LogicalResult inferJoined(MaybeLocation location, ValueRange parts,
                          llvm::function_ref<llvm::Expected<Shape>(ArrayRef<Dims>)> rule, Types &types) {
  SmallVector<Dims> shapes(llvm::map_range(parts, shapeOf));
  for (Value part : parts)
    if (elementTypeOf(part) != elementTypeOf(parts.front()))
      return emitOptionalError(location, "operands must have the same element type, but have ",
                               elementTypeOf(parts.front()), " and ", elementTypeOf(part));
  return finish(location, rule(shapes), parts.empty() ? Type() : elementTypeOf(parts.front()), types);
}

LogicalResult infer(MaybeLocation location, ConcatOp::Adaptor op, Types &types) {
  auto rule = [&](ArrayRef<Dims> shapes) { return concatShape(shapes, op.getAxis()); };
  return inferJoined(location, op.getOperands(), rule, types);
}

LogicalResult infer(MaybeLocation location, InterleaveOp::Adaptor op, Types &types) {
  auto rule = [&](ArrayRef<Dims> shapes) { return interleaveShape(shapes, op.getStrides()); };
  return inferJoined(location, op.getOperands(), rule, types);
}

LogicalResult infer(MaybeLocation location, SliceOp::Adaptor op, Types &types) {
  return finish(location, sliceShape(shapeOf(op.getOperand()), op.getStarts(), op.getSizes(), op.getSteps()),
                elementTypeOf(op.getOperand()), types);
}

LogicalResult infer(MaybeLocation location, PadOp::Adaptor op, Types &types) {
  Type element = elementTypeOf(op.getOperand());
  if (op.getValue().getType() != element)
    return emitOptionalError(location, "value must be a scalar of the operand's element type ", element, ", but is ",
                             op.getValue());
  return finish(location, padShape(shapeOf(op.getOperand()), op.getLow(), op.getHigh(), reachOf(op.getMode())), element,
                types);
}

LogicalResult infer(MaybeLocation location, GatherOp::Adaptor op, Types &types) {
  return finish(location, gatherShape(shapeOf(op.getOperand()), shapeOf(op.getIndices()), op.getAxis()),
                elementTypeOf(op.getOperand()), types);
}

/// Limit of the entries of a table. It suffices for several entries per position of an axis longer than that of any
/// image.
constexpr int64_t maxTableEntries = int64_t(1) << 26;

LogicalResult infer(MaybeLocation location, ResampleOp::Adaptor op, Types &types) {
  if (op.getIndices().size() != op.getWeights().size())
    return emitOptionalError(location, "there must be as many tables of weights as of indices");
  SmallVector<SmallVector<int32_t, 0>> indices;
  SmallVector<SampleTable> tables;
  for (auto [indexTable, weightTable] : llvm::zip(op.getIndices(), op.getWeights())) {
    auto from = cast<DenseElementsAttr>(indexTable), by = cast<DenseElementsAttr>(weightTable);
    Dims shape = from.getType().getShape();
    if (shape.size() != 2 || by.getType().getShape() != shape || countElements(shape).value_or(-1) > maxTableEntries)
      return emitOptionalError(location, "tables must be positions by taps, ", maxTableEntries, " at most, but are ",
                               from.getType(), " and ", by.getType());
    if (!isFloat(elementTypeOf(op.getOperand())) && !isTableOfMoves(by))
      return emitOptionalError(location, "operand must hold floats to be weighted, but is ", op.getOperand().getType());
    indices.push_back(llvm::to_vector<0>(from.getValues<int32_t>()));
    tables.push_back({shape[0], shape[1], {}});
  }
  for (auto [table, values] : llvm::zip(tables, indices))
    table.indices = values;
  return finish(location, resampleShape(shapeOf(op.getOperand()), op.getAxes(), tables, ResampleOp::maxReads),
                elementTypeOf(op.getOperand()), types);
}

LogicalResult infer(MaybeLocation location, SampleOp::Adaptor op, Types &types) {
  Type element = elementTypeOf(op.getInput());
  if (op.getInterpolation() != Interpolation::Nearest && !isFloat(element))
    return emitOptionalError(location, "input must hold floats to be interpolated, but is ", op.getInput().getType());
  if (op.getInterpolation() == Interpolation::Cubic && typeOf(op.getInput()).getRank() > 4)
    return emitOptionalError(location, "cubic interpolation must be along 1 or 2 axes, but the input is ",
                             op.getInput().getType());
  std::optional<Dims> images;
  if (op.getImages())
    images = shapeOf(op.getImages());
  return finish(location, sampleShape(shapeOf(op.getInput()), shapeOf(op.getPositions()), images), element, types);
}

LogicalResult infer(MaybeLocation location, GatherNdOp::Adaptor op, Types &types) {
  return finish(location, gatherNdShape(shapeOf(op.getOperand()), shapeOf(op.getIndices()), op.getBatchDims()),
                elementTypeOf(op.getOperand()), types);
}

LogicalResult infer(MaybeLocation location, GatherElementsOp::Adaptor op, Types &types) {
  return finish(location, gatherElementsShape(shapeOf(op.getOperand()), shapeOf(op.getIndices()), op.getAxis()),
                elementTypeOf(op.getOperand()), types);
}

/// Checks the types of updates. Addition and multiplication need numbers. Minimum and maximum also support booleans.
LogicalResult checkUpdates(MaybeLocation location, ScatterKind kind, Type element, Type updates) {
  if (element != updates)
    return emitOptionalError(location, "updates must have the operand's element type ", element, ", but have ",
                             updates);
  if (isBool(element) && (kind == ScatterKind::Add || kind == ScatterKind::Mul))
    return emitOptionalError(location, "'", stringifyScatterKind(kind), "' must change numbers, but changes ", element);
  return success();
}

LogicalResult infer(MaybeLocation location, ScatterNdOp::Adaptor op, Types &types) {
  Type element = elementTypeOf(op.getOperand());
  if (failed(checkUpdates(location, op.getKind(), element, elementTypeOf(op.getUpdates()))))
    return failure();
  return finish(location, scatterNdShape(shapeOf(op.getOperand()), shapeOf(op.getIndices()), shapeOf(op.getUpdates())),
                element, types);
}

LogicalResult infer(MaybeLocation location, ScatterElementsOp::Adaptor op, Types &types) {
  Type element = elementTypeOf(op.getOperand());
  if (failed(checkUpdates(location, op.getKind(), element, elementTypeOf(op.getUpdates()))))
    return failure();
  return finish(
      location,
      scatterElementsShape(shapeOf(op.getOperand()), shapeOf(op.getIndices()), shapeOf(op.getUpdates()), op.getAxis()),
      element, types);
}

LogicalResult infer(MaybeLocation location, CumulateOp::Adaptor op, Types &types) {
  Dims shape = shapeOf(op.getOperand());
  if (llvm::Error error = checkAxis(op.getAxis(), shape.size()))
    return rejected(location, std::move(error));
  Type element = elementTypeOf(op.getOperand());
  if (isBool(element))
    return emitOptionalError(location, "operand must hold numbers, but holds ", element);
  return finish(location, Shape(shape), element, types);
}

} // namespace

NN_INFER(ResampleOp)
NN_INFER(SampleOp)
NN_INFER(TransposeOp)
NN_INFER(ConcatOp)
NN_INFER(InterleaveOp)
NN_INFER(SliceOp)
NN_INFER(PadOp)
NN_INFER(GatherOp)
NN_INFER(GatherNdOp)
NN_INFER(GatherElementsOp)
NN_INFER(ScatterNdOp)
NN_INFER(ScatterElementsOp)
NN_INFER(CumulateOp)

} // namespace nacre::nn
