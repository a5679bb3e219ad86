// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements and rows at computed indices: gathers, scatters, and sums by segment.
//
// How:  1. gathers,
//       2. scatters by coordinates, and by rows. In a frozen graph, the target is a constant, so only the result
//          matters,
//       3. segments: rows with the same segment id are combined to one row,
//       4. counts of equal integers.

#include "compiler/import/operands/Axes.h"
#include "compiler/import/operands/JoinsAndSlices.h"
#include "compiler/import/operands/Segments.h"
#include "compiler/import/operands/Shapes.h"
#include "compiler/import/tensorflow/indexed/Handlers.h"
#include "compiler/import/tensorflow/operands/IndexType.h"

#include "dialects/nn/evaluate/ScalarFunctions.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

using nn::BinaryKind;
using nn::ScatterKind;
using nn::UnaryKind;

//===----------------------------------------------------------------------===//
// 1. Gathers
//===----------------------------------------------------------------------===//

/// Returns `indices` as coordinates, with a last axis of size 1.
Value asCoordinates(NnBuilder &nn, Value indices) {
  if (!indices)
    return {};
  SmallVector<int64_t> shape(getShape(indices));
  shape.push_back(1);
  return nn.reshape(indices, shape);
}

/// Gathers along `axis`. The first `batches` axes of both operands are batch axes. Before the gather, `axis` is moved
/// after the batch axes. In the result, the axes of the indices are moved to the place of `axis`.
void gatherInBatches(OperandBinder &node, int64_t axis, int64_t batches) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), indices = node.getOperand(1);
  if (batches > std::min(axis, getRank(indices)) ||
      getShape(x).take_front(batches) != getShape(indices).take_front(batches)) {
    node.error() << "attribute 'batch_dims' must count axes before axis " << axis << " that both operands have, but is "
                 << batches << " for " << describe(x) << " and " << describe(indices);
    return;
  }
  SmallVector<int64_t> order = axisRange(0, batches), back(order);
  order.push_back(axis);
  order.append(axisRange(batches, axis));
  order.append(axisRange(axis + 1, getRank(x)));
  Value moved = nn.transpose(x, order), places = asCoordinates(nn, indices);
  if (!moved || !places)
    return node.fail();
  if (!checkRule(node, nn::gatherNdShape(getShape(moved), getShape(places), batches)))
    return;
  Value picked = nn.infer<nn::GatherNdOp>(moved, places, batches);
  const int64_t between = axis - batches, own = getRank(indices) - batches;
  back.append(axisRange(batches + own, batches + own + between));
  back.append(axisRange(batches, batches + own));
  back.append(axisRange(batches + own + between, getRank(x) + own - 1));
  node.setResult(picked ? nn.transpose(picked, back) : Value());
}

void importGather(OperandBinder &node) {
  node.ignore({"validate_indices"});
  if (node.checkRank(0, 1))
    gatherAlong(node, 0);
}

void importGatherV2(OperandBinder &node) {
  int64_t batches = node.getInt("batch_dims", 0);
  FailureOr<int64_t> axis = readAxis(node, 2, getRank(node.getOperand(0)));
  if (failed(axis))
    return;
  if (batches < 0)
    batches += getRank(node.getOperand(1));
  if (batches == 0)
    gatherAlong(node, *axis);
  else
    gatherInBatches(node, *axis, std::max<int64_t>(batches, 0));
}

/// Gathers along the axis that follows the batches.
void importResourceGather(OperandBinder &node) {
  node.ignore({"validate_indices", "dtype"});
  int64_t batches = node.getInt("batch_dims", 0);
  batches = std::max<int64_t>(batches < 0 ? batches + getRank(node.getOperand(1)) : batches, 0);
  if (batches >= getRank(node.getOperand(0))) {
    node.error() << "attribute 'batch_dims' must leave an axis of " << node.nameOf(0) << " to take from, but is "
                 << batches << " for " << describe(node.getOperand(0));
    return;
  }
  if (batches == 0)
    gatherAlong(node, 0);
  else
    gatherInBatches(node, batches, batches);
}

void importGatherNd(OperandBinder &node) {
  node.ignore({"bad_indices_policy", "dtype"});
  Value x = node.getOperand(0), indices = node.getOperand(1);
  if (checkRule(node, nn::gatherNdShape(getShape(x), getShape(indices), /*batchDims=*/0)))
    node.setResult(node.nn.infer<nn::GatherNdOp>(x, indices, 0));
}

void importReverseSequence(OperandBinder &node) {
  const int64_t time = node.getInt("seq_dim", 0), batch = node.getInt("batch_dim", 0);
  reverseSequences(node, time, batch);
}

//===----------------------------------------------------------------------===//
// 2. Scatters
//===----------------------------------------------------------------------===//

/// The effect of a scatter. Some operators are another kind of scatter, after a unary operator on the updates.
struct Update {
  ScatterKind kind;
  UnaryKind before = UnaryKind::Abs;
  bool isPrepared = false;

  Value prepare(NnBuilder &nn, Value updates) const { return isPrepared ? nn.unary(before, updates) : updates; }
};

struct ScatterRow {
  const char *suffix;
  Update update;
  Holds holds = Holds::Numbers;
};

constexpr ScatterRow scatterRows[] = {
    {"Add", {ScatterKind::Add}},
    {"Div", {ScatterKind::Mul, UnaryKind::Reciprocal, true}, Holds::Floats},
    {"Max", {ScatterKind::Max}},
    {"Min", {ScatterKind::Min}},
    {"Mul", {ScatterKind::Mul}},
    {"Sub", {ScatterKind::Add, UnaryKind::Neg, true}},
    {"Update", {ScatterKind::Set}, Holds::Anything},
};

void scatter(OperandBinder &node, const Update &update, Value x, Value coordinates, Value updates) {
  NnBuilder &nn = node.nn;
  if (!x || !coordinates || !updates)
    return node.fail();
  if (checkRule(node, nn::scatterNdShape(getShape(x), getShape(coordinates), getShape(updates))))
    node.setResult(nn.infer<nn::ScatterNdOp>(update.kind, x, coordinates, update.prepare(nn, updates)));
}

void importScatterByCoordinates(OperandBinder &node, const Update &update) {
  node.ignore({"use_locking", "bad_indices_policy"});
  scatter(node, update, node.getOperand(0), node.getOperand(1), node.getOperand(2));
}

/// Scatters rows. The updates may be one scalar, which is used for all rows.
void importScatterRows(OperandBinder &node, const Update &update) {
  node.ignore({"use_locking"});
  Value x = node.getOperand(0), indices = node.getOperand(1), updates = node.getOperand(2);
  if (!node.checkRank(0, 1))
    return;
  SmallVector<int64_t> shape(getShape(indices));
  llvm::append_range(shape, getShape(x).drop_front());
  if (getRank(updates) == 0 && node.checkFits(shape))
    updates = node.nn.broadcast(updates, shape);
  scatter(node, update, x, asCoordinates(node.nn, indices), updates);
}

/// Scatters into zeros. Several updates of the same element are added.
void importScatterNd(OperandBinder &node) {
  node.ignore({"bad_indices_policy"});
  NnBuilder &nn = node.nn;
  FailureOr<SmallVector<int64_t>> shape = node.getIntegers(2);
  if (failed(shape))
    return;
  if (llvm::any_of(*shape, [](int64_t size) { return size < 0; })) {
    node.error() << node.nameOf(2) << " must hold sizes of 0 or more, but holds [" << Ints(*shape) << "]";
    return;
  }
  if (node.checkFits(*shape))
    scatter(node, {ScatterKind::Add}, nn.splat(RankedTensorType::get(*shape, getElementType(node.getOperand(1))), 0),
            node.getOperand(0), node.getOperand(1));
}

//===----------------------------------------------------------------------===//
// 3. Segments
//===----------------------------------------------------------------------===//

struct SegmentRow {
  const char *word;
  SegmentKind kind;
};

constexpr SegmentRow segmentRows[] = {
    {"Sum", SegmentKind::Sum},
    {"Prod", SegmentKind::Prod},
    {"Max", SegmentKind::Max},
    {"Min", SegmentKind::Min},
};

//===----------------------------------------------------------------------===//
// 4. Counts
//===----------------------------------------------------------------------===//

/// Returns a list of `size` elements: how often each integer below `size` occurs in `numbers`, or the sum of its
/// weights. Other integers are not counted.
Value countNumbers(OperandBinder &node, Value numbers, Value weights, int64_t size) {
  NnBuilder &nn = node.nn;
  if (!numbers || !weights || !node.checkFits({size + 1}))
    return {};
  Value flat = nn.reshape(numbers, getType(numbers).getNumElements());
  Value isOutside = nn.binary(BinaryKind::Or, nn.binary(BinaryKind::Less, flat, 0.0),
                              nn.binary(BinaryKind::GreaterEqual, flat, static_cast<double>(size)));
  Value place = nn.select(isOutside, nn.scalar(flat, static_cast<double>(size)), flat);
  Value zeros = nn.splat(RankedTensorType::get(size + 1, getElementType(weights)), 0);
  Value sums = nn.infer<nn::ScatterNdOp>(ScatterKind::Add, zeros, asCoordinates(nn, place),
                                         nn.reshape(weights, getType(numbers).getNumElements()));
  return nn.slice(sums, 0, 0, size);
}

void importBincount(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value numbers = node.getOperand(0), weights = node.getOperand(2);
  FailureOr<int64_t> size = node.getInteger(1);
  if (failed(size))
    return;
  if (*size < 0 || *size >= INT32_MAX) {
    node.error() << node.nameOf(1) << " must be 0 or more, but is " << *size;
    return;
  }
  if (getType(weights).getNumElements() == 0 && getType(numbers).getNumElements() > 0)
    weights = nn.splat(RankedTensorType::get(getShape(numbers), getElementType(weights)), 1);
  else if (!node.checkShape(2, getShape(numbers), "one per number, or none"))
    return;
  node.setResult(countNumbers(node, numbers, weights, *size));
}

/// Counts the elements in bins of equal width between two bounds. Elements outside of the bounds count in the first or
/// last bin.
void importHistogram(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Type type = readIndexType(node, "dtype");
  Value x = node.getOperand(0);
  FailureOr<int64_t> bins = node.getInteger(2);
  if (!type || failed(bins) || !node.checkShape(1, 2, "the two bounds"))
    return;
  if (*bins < 1 || *bins >= INT32_MAX) {
    node.error() << node.nameOf(2) << " must be 1 or more, but is " << *bins;
    return;
  }
  Type wide = nn.types().getF64Type();
  Value ends = nn.cast(node.getOperand(1), wide);
  Value low = nn.reshape(nn.slice(ends, 0, 0, 1), {}), high = nn.reshape(nn.slice(ends, 0, 1, 1), {});
  Value step = nn.div(nn.sub(high, low), static_cast<double>(*bins));
  Value place = nn.unary(UnaryKind::Floor, nn.div(nn.sub(nn.cast(x, wide), low), step));
  place = nn.binary(BinaryKind::Min, nn.binary(BinaryKind::Max, place, 0.0), static_cast<double>(*bins - 1));
  Value ones = nn.splat(RankedTensorType::get(getShape(x), type), 1);
  node.setResult(countNumbers(node, nn.cast(place, nn.types().getI64Type()), ones, *bins));
}

} // namespace

void registerIndexed(ImportRegistry &registry) {
  registry.add("Gather", 1, {{"params"}, {"indices", Holds::Indices}}, importGather);
  registry.add("ResourceGather", 1, {{"resource"}, {"indices", Holds::Indices}}, importResourceGather);
  registry.add("ResourceGatherNd", 1, {{"resource"}, {"indices", Holds::Indices}}, importGatherNd);
  registry.add("GatherV2", 1, {{"params"}, {"indices", Holds::Indices}, {"axis", Holds::Indices}}, importGatherV2);
  registry.add("GatherNd", 1, {{"params"}, {"indices", Holds::Indices}}, importGatherNd);
  registry.add("ReverseSequence", 1, {{"input"}, {"seq_lengths", Holds::Indices}}, importReverseSequence);
  for (const ScatterRow &row : scatterRows) {
    const Signature operands{{"ref", row.holds, 'T'}, {"indices", Holds::Indices}, {"updates", row.holds, 'T'}};
    auto byCoordinates = [&row](OperandBinder &node) { importScatterByCoordinates(node, row.update); };
    registry.add(("Scatter" + StringRef(row.suffix)).str(), 1, operands,
                 [&row](OperandBinder &node) { importScatterRows(node, row.update); });
    if (StringRef(row.suffix) == "Div" || StringRef(row.suffix) == "Mul")
      continue;
    registry.add(("ScatterNd" + StringRef(row.suffix)).str(), 1, operands, byCoordinates);
    registry.add(("TensorScatter" + StringRef(row.suffix)).str(), 1, operands, byCoordinates);
  }
  registry.add("ScatterNd", 1, {{"indices", Holds::Indices}, {"updates", Holds::Numbers}, {"shape", Holds::Indices}},
               importScatterNd);
  for (const SegmentRow &row : segmentRows) {
    registry.add(("Segment" + StringRef(row.word)).str(), 1,
                 {{"data", Holds::Numbers}, {"segment_ids", Holds::Indices}},
                 [kind = row.kind](OperandBinder &node) { combineSegments(node, kind); });
    registry.add(("UnsortedSegment" + StringRef(row.word)).str(), 1,
                 {{"data", Holds::Numbers}, {"segment_ids", Holds::Indices}, {"num_segments", Holds::Indices}},
                 [kind = row.kind](OperandBinder &node) { combineUnsortedSegments(node, kind); });
  }
  registry.add("SegmentMean", 1, {{"data", Holds::Numbers}, {"segment_ids", Holds::Indices}},
               [](OperandBinder &node) { combineSegments(node, SegmentKind::Mean); });
  registry.add("Bincount", 1, {{"arr", Holds::Indices}, {"size", Holds::Indices}, {"weights", Holds::Numbers}},
               importBincount);
  registry.add("HistogramFixedWidth", 1,
               {{"values", Holds::Numbers, 'T'}, {"value_range", Holds::Numbers, 'T'}, {"nbins", Holds::Indices}},
               importHistogram);
}

} // namespace nacre::importer::tensorflow_format
