// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that write elements, rows and blocks to computed indices, and that add rows with the same segment id.

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/operands/Segments.h"
#include "compiler/import/operands/Shapes.h"
#include "compiler/import/tflite/Handlers.h"

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

using nn::ScatterKind;

/// Returns the shape of the result, which is the value of the operand `index`. Fails after an error.
FailureOr<SmallVector<int64_t>> readResultShape(TfliteNode &node, size_t index) {
  FailureOr<SmallVector<int64_t>> shape = node->getIntegers(index);
  if (failed(shape))
    return failure();
  if (shape->size() > static_cast<size_t>(maxRank) || llvm::any_of(*shape, [](int64_t size) { return size < 0; }))
    return node.error() << node->nameOf(index) << " must be a shape, but is [" << Ints(*shape) << "]";
  if (!node->checkFits(*shape))
    return failure();
  return shape;
}

/// Imports SCATTER_ND: adds updates to zeros. Several updates of the same element are added.
void importScatterNd(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  Value indices = node.getOperand(0), updates = node.getOperand(1);
  FailureOr<SmallVector<int64_t>> shape = readResultShape(node, 2);
  if (failed(shape) || !checkRule(node, nn::scatterNdShape(*shape, getShape(indices), getShape(updates))))
    return;
  Value zeros = nn.splat(RankedTensorType::get(*shape, getElementType(updates)), 0);
  node.setResult(nn.infer<nn::ScatterNdOp>(ScatterKind::Add, zeros, indices, updates));
}

/// Imports SPARSE_TO_DENSE: writes each value at the coordinates in a row of the indices, or at an index if the result
/// has one axis. A single value is written to all coordinates.
void importSparseToDense(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  Value indices = node.getOperand(0), values = node.getOperand(2), missing = node.getOperand(3);
  FailureOr<SmallVector<int64_t>> shape = readResultShape(node, 1);
  if (failed(shape) || !node->checkRank(0, 0, 2) || !node->checkShape(3, {}, "one element"))
    return;
  SmallVector<int64_t> rows(getShape(indices));
  if (rows.size() < 2)
    rows = {getType(indices).getNumElements(), 1};
  if (rows.back() != static_cast<int64_t>(shape->size())) {
    node.error() << node->nameOf(0) << " must have a coordinate for each axis of [" << Ints(*shape) << "], but is "
                 << describe(indices);
    return;
  }
  if (getRank(values) == 0)
    values = nn.broadcast(values, rows.front());
  if (checkRule(node, nn::scatterNdShape(*shape, rows, getShape(values))))
    node.setResult(
        nn.infer<nn::ScatterNdOp>(ScatterKind::Set, nn.broadcast(missing, *shape), nn.reshape(indices, rows), values));
}

/// Imports DYNAMIC_UPDATE_SLICE: writes a block over a part of operand 0. Operand 2 is the beginning of the block, and
/// is clamped so that the block is inside.
void importDynamicUpdateSlice(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), block = node.getOperand(1), begins = node.getOperand(2);
  const int64_t rank = getRank(x);
  bool isPart = getRank(block) == rank;
  for (auto [size, whole] : llvm::zip(getShape(block), getShape(x)))
    isPart &= size <= whole;
  if (!isPart) {
    node.error() << node->nameOf(1) << " must be a part of " << node->nameOf(0) << ", which is " << describe(x)
                 << ", but is " << describe(block);
    return;
  }
  if (!node->checkShape(2, rank, "the start of the part along each axis"))
    return;
  // Trailing axes that the block fills completely are written as whole rows.
  int64_t axes = rank;
  while (axes > 0 && getShape(block)[axes - 1] == getShape(x)[axes - 1])
    --axes;
  SmallVector<int64_t> shape(getShape(block).take_front(axes));
  shape.push_back(1);
  if (axes == 0 || getType(block).getNumElements() == 0)
    return node.setResult(axes == 0 ? block : x);
  if (!node->checkRank(1, 1, maxRank - 1) || !node->checkFits({shape[0], *nn::countElements(shape), axes, 8}))
    return;
  SmallVector<Value> coordinates;
  for (int64_t axis = 0; axis < axes; ++axis) {
    const int64_t room = getShape(x)[axis] - getShape(block)[axis];
    Value begin = nn.reshape(nn.slice(nn.cast(begins, nn.types().getI64Type()), 0, axis, 1), {});
    begin = clamp(nn, begin, 0, static_cast<double>(room));
    Value index = nn.add(begin, nn.counting(getShape(block)[axis]));
    coordinates.push_back(index ? nn.broadcast(nn.alignToAxis(index, axis, axes + 1), shape) : Value());
  }
  node.setResult(nn.infer<nn::ScatterNdOp>(ScatterKind::Set, x, nn.concat(coordinates, axes), block));
}

} // namespace

void registerScatters(ImportRegistry &registry) {
  add(registry, "SCATTER_ND", Integers::Plain,
      {{"indices", Holds::Indices}, {"updates", Holds::Numbers}, {"shape", Holds::Indices}}, importScatterNd);
  add(registry, "SPARSE_TO_DENSE", Integers::Plain,
      {{"indices", Holds::Indices},
       {"shape", Holds::Indices},
       {"values", Holds::Anything, 'T'},
       {"missing", Holds::Anything, 'T'}},
      importSparseToDense);
  add(registry, "DYNAMIC_UPDATE_SLICE", Integers::Moved,
      {{"x", Holds::Anything, 'T'}, {"update", Holds::Anything, 'T'}, {"begin", Holds::Indices}},
      importDynamicUpdateSlice);
  const Signature rows{{"data", Holds::Numbers}, {"segment_ids", Holds::Indices}},
      counted{{"data", Holds::Numbers}, {"segment_ids", Holds::Indices}, {"num_segments", Holds::Indices}};
  add(registry, "SEGMENT_SUM", Integers::Plain, rows,
      [](TfliteNode &node) { combineSegments(node, SegmentKind::Sum); });
  for (auto [op, kind] :
       {std::pair("UNSORTED_SEGMENT_SUM", SegmentKind::Sum), std::pair("UNSORTED_SEGMENT_PROD", SegmentKind::Prod),
        std::pair("UNSORTED_SEGMENT_MAX", SegmentKind::Max), std::pair("UNSORTED_SEGMENT_MIN", SegmentKind::Min)})
    add(registry, op, Integers::Plain, counted,
        [kind = kind](TfliteNode &node) { combineUnsortedSegments(node, kind); });
}

} // namespace nacre::importer::tflite_format
