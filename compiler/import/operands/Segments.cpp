// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/operands/Segments.h"

#include "compiler/import/operands/Shapes.h"

#include "dialects/nn/evaluate/ScalarFunctions.h"

using namespace mlir;

namespace nacre::importer {
namespace {

using nn::BinaryKind;
using nn::ReduceKind;
using nn::ScatterKind;

/// Returns the kind of scatter that combines a row with its segment.
ScatterKind getScatter(SegmentKind kind) {
  switch (kind) {
  case SegmentKind::Sum:
  case SegmentKind::Mean:
    return ScatterKind::Add;
  case SegmentKind::Prod:
    return ScatterKind::Mul;
  case SegmentKind::Max:
    return ScatterKind::Max;
  case SegmentKind::Min:
    return ScatterKind::Min;
  }
  llvm_unreachable("all kinds are listed");
}

/// Returns the reduction whose identity is the result of an empty segment.
ReduceKind getNeutral(SegmentKind kind) {
  switch (kind) {
  case SegmentKind::Sum:
  case SegmentKind::Mean:
    return ReduceKind::Sum;
  case SegmentKind::Prod:
    return ReduceKind::Prod;
  case SegmentKind::Max:
    return ReduceKind::Max;
  case SegmentKind::Min:
    return ReduceKind::Min;
  }
  llvm_unreachable("all kinds are listed");
}

/// Returns the initial value of a segment. For floats, a maximum starts with the smallest finite value, and a minimum
/// with the largest.
Attribute getLimit(SegmentKind kind, Type type) {
  auto real = dyn_cast<FloatType>(type);
  if (real && (kind == SegmentKind::Max || kind == SegmentKind::Min))
    return FloatAttr::get(type, llvm::APFloat::getLargest(real.getFloatSemantics(), kind == SegmentKind::Max));
  return nn::getIdentity(getNeutral(kind), type);
}

/// Returns `count` rows, or null after an error. Row i combines `begin` and the rows of `data` whose segment in `ids`
/// is i.
Value combine(OperandBinder &node, SegmentKind kind, Attribute begin, Value data, Value ids, int64_t count) {
  NnBuilder &nn = node.nn;
  if (!ids)
    return {};
  SmallVector<int64_t> column(getShape(ids)), shape{count};
  column.push_back(1);
  Value places = nn.reshape(ids, column);
  llvm::append_range(shape, getShape(data).drop_front(getRank(ids)));
  if (!places || !node.checkFits(shape))
    return {};
  auto type = RankedTensorType::get(shape, getElementType(data));
  if (!checkRule(node, nn::scatterNdShape(shape, getShape(places), getShape(data))))
    return {};
  return nn.infer<nn::ScatterNdOp>(getScatter(kind), nn.constant(DenseElementsAttr::get(type, begin)), places, data);
}

bool checkIds(OperandBinder &node) {
  Ints data = getShape(node.getOperand(0)), ids = getShape(node.getOperand(1));
  if (ids.size() <= data.size() && data.take_front(ids.size()) == ids)
    return true;
  node.error() << node.nameOf(1) << " must have the first axes of " << node.nameOf(0) << ", but is "
               << describe(node.getOperand(1)) << " for " << describe(node.getOperand(0));
  return false;
}

/// Returns the segments of the rows, which must be sorted and known, because they decide the size of the result. Fails
/// after an error.
FailureOr<SmallVector<int64_t>> readSortedIds(OperandBinder &node) {
  if (!node.checkRank(0, 1) || !node.checkRank(1, 1, 1) || !checkIds(node))
    return failure();
  FailureOr<SmallVector<int64_t>> ids = node.getIntegers(1);
  if (failed(ids))
    return failure();
  if (!llvm::is_sorted(*ids) || (!ids->empty() && (ids->front() < 0 || ids->back() >= INT32_MAX)))
    return node.error() << node.nameOf(1) << " must be sorted and hold numbers from 0 to " << INT32_MAX - 1
                        << ", but is [" << Ints(*ids) << "]";
  return ids;
}

/// Returns the number of rows of each segment.
FailureOr<SmallVector<int64_t>> countRows(OperandBinder &node, Ints ids) {
  const int64_t count = ids.empty() ? 0 : ids.back() + 1;
  if (!node.allowsConstant(count, sizeof(int64_t)))
    return failure();
  SmallVector<int64_t> counts(count, 0);
  for (int64_t id : ids)
    ++counts[id];
  return counts;
}

} // namespace

void combineSegments(OperandBinder &node, SegmentKind kind) {
  NnBuilder &nn = node.nn;
  Value data = node.getOperand(0);
  FailureOr<SmallVector<int64_t>> ids = readSortedIds(node);
  if (failed(ids))
    return;
  FailureOr<SmallVector<int64_t>> counts = countRows(node, *ids);
  if (failed(counts))
    return;
  Value rows = combine(node, kind, nn::getIdentity(getNeutral(kind), getElementType(data)), data, node.getOperand(1),
                       static_cast<int64_t>(counts->size()));
  auto align = [&](Ints numbers) {
    return nn.alignToAxis(nn.cast(nn.integers(numbers), getElementType(data)), 0, getRank(data));
  };
  if (kind == SegmentKind::Mean) {
    for (int64_t &number : *counts)
      number = std::max<int64_t>(number, 1);
    rows = nn.div(rows, align(*counts));
  } else if (kind != SegmentKind::Prod && llvm::is_contained(*counts, 0)) {
    rows = nn.select(nn.binary(BinaryKind::Equal, align(*counts), 0.0), nn.scalar(data, 0), rows);
  }
  node.setResult(rows);
}

void combineUnsortedSegments(OperandBinder &node, SegmentKind kind) {
  NnBuilder &nn = node.nn;
  Value data = node.getOperand(0), ids = node.getOperand(1);
  FailureOr<int64_t> count = node.getInteger(2);
  if (failed(count) || !checkIds(node))
    return;
  if (*count < 0 || *count > INT32_MAX) {
    node.error() << node.nameOf(2) << " must lie between 0 and " << INT32_MAX << ", but is " << *count;
    return;
  }
  // Rows with a negative segment go to an additional last row, which is removed afterwards.
  ids = nn.select(nn.binary(BinaryKind::Less, ids, 0.0), nn.scalar(ids, static_cast<double>(*count)), ids);
  Value rows = combine(node, kind, getLimit(kind, getElementType(data)), data, ids, *count + 1);
  node.setResult(nn.slice(rows, 0, 0, *count));
}

} // namespace nacre::importer
