// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules for operators that add, remove or reorder axes. The axis of the batch and its equivalent places are tracked by
// index.

#include "compiler/import/batch/Rules.h"
#include "dialects/TensorTypes.h"

#include "dialects/nn/Permutation.h"

using namespace mlir;

namespace nacre::importer::batch {

/// Returns the place in a result of `shape`. `moved` returns the axis of the result for an axis of the operand, or a
/// negative value if the axis is removed.
static BatchAxis movePlace(const BatchAxis &place, ArrayRef<int64_t> shape,
                           llvm::function_ref<int64_t(int64_t)> moved) {
  SmallVector<BatchPlace> choices;
  for (const BatchPlace &choice : place.choices)
    if (moved(choice.axis) >= 0)
      choices.push_back(choice.at(moved(choice.axis)));
  return withChoices(shape, place.at(moved(place.axis)), choices);
}

/// Moves the rows of an operand to an axis that `allows` accepts. Returns false if there is no such axis.
static bool settle(OpOperand &operand, BatchRewriter &rewriter, llvm::function_ref<bool(int64_t)> allows) {
  return rewriter.alignAll(MutableArrayRef<OpOperand>(operand), rewriter.getStatedShape(operand.get()), allows)
      .has_value();
}

LogicalResult apply(nn::ReshapeOp op, BatchRewriter &rewriter) {
  std::optional<BatchAxis> place = throughReshape(rewriter.getStatedShape(op.getOperand()), op.getType().getShape(),
                                                  *rewriter.find(op.getOperand()), rewriter.getStated());
  if (!place)
    return rewriter.refuse(op, "mixes the batch with other axes in a new shape");
  rewriter.set(op.getResult(), *place);
  return success();
}

LogicalResult apply(nn::TransposeOp op, BatchRewriter &rewriter) {
  const nn::Permutation positions = nn::inverse(op.getPermutation());
  rewriter.set(op.getResult(), movePlace(*rewriter.find(op.getOperand()), op.getType().getShape(),
                                         [&](int64_t axis) { return positions[axis]; }));
  return success();
}

/// Applies the rule of operators that remove `axes`, or reduce each of them to one element.
static LogicalResult applyReduction(Operation *op, ArrayRef<int64_t> axes, bool keepsDims, BatchRewriter &rewriter,
                                    StringRef reason) {
  OpOperand &operand = op->getOpOperand(0);
  if (!settle(operand, rewriter, [&](int64_t axis) { return !llvm::is_contained(axes, axis); }))
    return rewriter.refuse(op, reason);
  auto moved = [&](int64_t axis) -> int64_t {
    if (keepsDims)
      return axis;
    return llvm::is_contained(axes, axis) ? -1
                                          : axis - llvm::count_if(axes, [&](int64_t other) { return other < axis; });
  };
  rewriter.set(op->getResult(0), movePlace(*rewriter.find(operand.get()), shapeOf(op->getResult(0)), moved));
  return success();
}

LogicalResult apply(nn::ReduceOp op, BatchRewriter &rewriter) {
  return applyReduction(op, op.getAxes(), op.getKeepDims(), rewriter, "reduces along the batch");
}

LogicalResult apply(nn::ArgReduceOp op, BatchRewriter &rewriter) {
  return applyReduction(op, {int64_t(op.getAxis())}, op.getKeepDims(), rewriter, "compares elements along the batch");
}

LogicalResult apply(nn::GatherOp op, BatchRewriter &rewriter) {
  OpOperand &operand = op->getOpOperand(0), &indices = op->getOpOperand(1);
  const int64_t gathered = op.getAxis(), indexRank = rankOf(indices.get());
  const BatchAxis *table = rewriter.find(operand.get()), *rows = rewriter.find(indices.get());
  if (table && rows)
    return rewriter.refuse(op, "mixes the rows of the batch");
  if (rows) {
    auto moved = [&](int64_t axis) { return axis + gathered; };
    rewriter.set(op.getResult(), movePlace(*rows, op.getType().getShape(), moved));
    return success();
  }
  if (!settle(operand, rewriter, [&](int64_t axis) { return axis != gathered; }))
    return rewriter.refuse(op, "selects rows of the batch by number");
  auto moved = [&](int64_t axis) -> int64_t {
    return axis < gathered ? axis : axis == gathered ? -1 : axis + indexRank - 1;
  };
  rewriter.set(op.getResult(), movePlace(*rewriter.find(operand.get()), op.getType().getShape(), moved));
  return success();
}

LogicalResult apply(nn::GatherNdOp op, BatchRewriter &rewriter) {
  OpOperand &operand = op->getOpOperand(0), &indices = op->getOpOperand(1);
  const int64_t shared = op.getBatchDims(), last = rankOf(indices.get()) - 1;
  const int64_t firstSlice = shared + shapeOf(indices.get())[last];
  const ArrayRef<int64_t> shape = op.getType().getShape();
  // The batch may be one of the leading axes that both operands and the result share.
  if (std::optional<BatchAxis> place =
          rewriter.align({{&operand}, {&indices}}, shape, [&](int64_t axis) { return axis < shared; })) {
    rewriter.set(op.getResult(), *place);
    return success();
  }
  const bool hasTable = rewriter.hasRows(operand.get()), hasIndices = rewriter.hasRows(indices.get());
  if (!hasTable && settle(indices, rewriter, [&](int64_t axis) { return axis >= shared && axis < last; })) {
    auto moved = [&](int64_t axis) -> int64_t { return axis < last ? axis : -1; };
    rewriter.set(op.getResult(), movePlace(*rewriter.find(indices.get()), shape, moved));
    return success();
  }
  if (!hasIndices && settle(operand, rewriter, [&](int64_t axis) { return axis >= firstSlice; })) {
    auto moved = [&](int64_t axis) -> int64_t { return axis >= firstSlice ? axis - firstSlice + last : -1; };
    rewriter.set(op.getResult(), movePlace(*rewriter.find(operand.get()), shape, moved));
    return success();
  }
  return rewriter.refuse(op, "selects elements across rows of the batch by coordinates");
}

/// All rows are written at the same coordinates, so coordinates must not select rows.
LogicalResult apply(nn::ScatterNdOp op, BatchRewriter &rewriter) {
  OpOperand &operand = op->getOpOperand(0), &indices = op->getOpOperand(1), &updates = op->getOpOperand(2);
  const int64_t last = rankOf(indices.get()) - 1, coordinates = shapeOf(indices.get())[last];
  std::optional<BatchAxis> place;
  if (!rewriter.hasRows(indices.get()))
    place = rewriter.align({{&operand}, {&updates, coordinates - last}}, op.getType().getShape(),
                           [&](int64_t axis) { return axis >= coordinates; });
  if (!place)
    return rewriter.refuse(op, "writes elements across rows of the batch by coordinates");
  rewriter.set(op.getResult(), *place);
  return success();
}

} // namespace nacre::importer::batch
