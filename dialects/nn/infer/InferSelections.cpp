// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  infers the result types of the operators that sort, select and compact.

#include "dialects/nn/infer/InferTypes.h"

using namespace mlir;

namespace nacre::nn {

namespace {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Adds the type of a result that has indices (i64) and shape `shape`.
LogicalResult addIndices(MaybeLocation location, MLIRContext *context, Dims shape, Types &types) {
  return finish(location, Shape(shape), IntegerType::get(context, 64), types);
}

LogicalResult infer(MaybeLocation location, TopKOp::Adaptor op, Types &types) {
  Shape shape(shapeOf(op.getOperand()));
  int64_t axis = op.getAxis(), k = op.getK();
  if (llvm::Error error = checkAxis(axis, shape.size()))
    return rejected(location, std::move(error));
  if (k < 0 || k > shape[axis])
    return emitOptionalError(location, "k must lie between 0 and the ", shape[axis], " elements along axis ", axis,
                             ", but is ", k);
  shape[axis] = k;
  if (failed(finish(location, shape, elementTypeOf(op.getOperand()), types)))
    return failure();
  return addIndices(location, op.getOperand().getContext(), shape, types);
}

LogicalResult infer(MaybeLocation location, CompactOp::Adaptor op, Types &types) {
  Dims shape = shapeOf(op.getMask());
  if (shape.size() != 1)
    return emitOptionalError(location, "the mask must have one axis, but has ", shape.size());
  return addIndices(location, op.getMask().getContext(), shape, types);
}

LogicalResult infer(MaybeLocation location, UniqueOp::Adaptor op, Types &types) {
  Dims shape = shapeOf(op.getRows());
  if (shape.size() != 2)
    return emitOptionalError(location, "the rows must be those of a matrix, but there are ", shape.size(), " axes");
  for (int result = 0; result < 3; ++result)
    if (failed(addIndices(location, op.getRows().getContext(), shape.front(), types)))
      return failure();
  return success();
}

LogicalResult infer(MaybeLocation location, NmsOp::Adaptor op, Types &types) {
  Dims boxes = shapeOf(op.getBoxes()), scores = shapeOf(op.getScores());
  if (boxes.size() != 3 || scores.size() != 3 || boxes[0] != scores[0] || boxes[1] != scores[2] || boxes[2] != 4)
    return emitOptionalError(location, "boxes must be [B, N, 4] and scores [B, C, N], but they are ",
                             op.getBoxes().getType(), " and ", op.getScores().getType());
  int64_t limit = op.getLimit();
  if (limit < 0 || limit > boxes[1])
    return emitOptionalError(location, "limit must lie between 0 and the ", boxes[1], " boxes, but is ", limit);
  for (Value scalar : {op.getMost(), op.getIouThreshold(), op.getScoreThreshold()})
    if (scalar && !shapeOf(scalar).empty())
      return emitOptionalError(location, "thresholds must be scalars, but one is ", scalar.getType());
  auto isDouble = [](Value value) { return elementTypeOf(value).isF64(); };
  for (Value value : {op.getScores(), op.getIouThreshold(), op.getScoreThreshold()})
    if (value && isDouble(value) != isDouble(op.getBoxes()))
      return emitOptionalError(location, "boxes, scores and thresholds must all be f64 or none of them, but are ",
                               elementTypeOf(op.getBoxes()), " and ", elementTypeOf(value));
  MLIRContext *context = op.getBoxes().getContext();
  if (failed(addIndices(location, context, {scores[0], scores[1], limit}, types)))
    return failure();
  return addIndices(location, context, {scores[0], scores[1], 1}, types);
}

} // namespace

NN_INFER(TopKOp)
NN_INFER(CompactOp)
NN_INFER(UniqueOp)
NN_INFER(NmsOp)

} // namespace nacre::nn
