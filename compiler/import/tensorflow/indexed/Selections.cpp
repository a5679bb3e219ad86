// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The largest elements, elements selected by a condition, unique elements, and boxes that do not overlap.

#include "compiler/import/compositions/Selections.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/tensorflow/indexed/Handlers.h"
#include "compiler/import/tensorflow/operands/IndexType.h"
#include "dialects/NumberText.h"

#include <limits>

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

using nn::BinaryKind;

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Imports TopK: the k largest elements of each row. They are always sorted, which is also valid if `sorted` is false.
void importTopK(OperandBinder &node) {
  node.ignore({"sorted"});
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  Type type = readIndexType(node, "index_type", 32, /*hasNarrow=*/true);
  FailureOr<int64_t> k = node.getOperand(1) ? node.getInteger(1) : node.getInt("k", -1);
  if (!type || failed(k) || !node.checkRank(0, 1))
    return;
  if (*k < 0 || *k > getShape(x).back()) {
    node.error() << "k must lie between 0 and the " << describeCount(getShape(x).back(), "element") << " of a row of "
                 << describe(x) << ", but is " << *k;
    return;
  }
  auto [values, indices] = nn.topK(x, getRank(x) - 1, *k, /*smallest=*/false);
  node.setResult(0, values);
  node.setResult(1, indices ? nn.cast(indices, type) : Value());
}

/// Imports NthElement: the element at index n of each sorted row.
void importNthElement(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  bool fromLargest = node.getFlag("reverse", false);
  FailureOr<int64_t> n = node.getInteger(1);
  if (failed(n) || !node.checkRank(0, 1))
    return;
  if (*n < 0 || *n >= getShape(x).back()) {
    node.error() << node.nameOf(1) << " must lie between 0 and " << getShape(x).back() - 1 << ", but is " << *n;
    return;
  }
  const int64_t axis = getRank(x) - 1;
  Value first = nn.topK(x, axis, *n + 1, /*smallest=*/!fromLargest)[0];
  node.setResult(nn.reshape(nn.slice(first, axis, *n, 1), getShape(x).drop_back()));
}

/// Imports InTopK: true for each row in which fewer than k classes are likelier than the target. It is false if the
/// target is not a class or its likelihood is not finite.
void importInTopK(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), targets = node.getOperand(1);
  FailureOr<int64_t> k = node.getOperand(2) ? node.getInteger(2) : node.getInt("k", 0);
  if (failed(k) || !node.checkRank(0, 2, 2) || !node.checkShape(1, getShape(x).front(), "a class for each row"))
    return;
  const int64_t rows = getShape(x)[0], classes = getShape(x)[1];
  if (classes == 0) {
    node.error() << node.nameOf(0) << " must have classes, but is " << describe(x);
    return;
  }
  Value isClass = nn.binary(BinaryKind::And, nn.binary(BinaryKind::GreaterEqual, targets, 0.0),
                            nn.binary(BinaryKind::Less, targets, static_cast<double>(classes)));
  Value safe = nn.select(isClass, targets, nn.scalar(targets, 0));
  Value own = nn.infer<nn::GatherElementsOp>(x, nn.reshape(safe, {rows, 1}), 1);
  Value likelier = nn.cast(nn.binary(BinaryKind::Greater, x, own), nn.types().getI32Type());
  Value before = nn.reduce(nn::ReduceKind::Sum, likelier, {1}, /*keepDims=*/false);
  Value isNumber = nn.binary(BinaryKind::Less, nn.unary(nn::UnaryKind::Abs, nn.reshape(own, rows)),
                             std::numeric_limits<double>::infinity());
  Value isNear = nn.binary(BinaryKind::Less, before, static_cast<double>(*k));
  node.setResult(nn.binary(BinaryKind::And, isNear, nn.binary(BinaryKind::And, isNumber, isClass)));
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// Imports Where: one row with the coordinates of each element that is not 0.
void importWhere(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  if (!node.checkRank(0, 1))
    return;
  Value columns = findNonZero(nn, node.getOperand(0));
  node.setResult(columns ? nn.transpose(columns, {1, 0}) : Value());
}

/// Imports Unique: the different elements, in the order of their first occurrence.
void importUnique(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Type type = readIndexType(node, "out_idx");
  if (!type || !node.checkRank(0, 1, 1))
    return;
  UniqueParts unique = findUnique(nn, node.getOperand(0), /*axis=*/0, /*sorted=*/false);
  node.setResult(0, unique.parts);
  node.setResult(1, unique.inverse ? nn.cast(unique.inverse, type) : Value());
  if (node.getNumResults() > 2)
    node.setResult(2, unique.counts ? nn.cast(unique.counts, type) : Value());
}

/// Packs eight comparisons into a byte, the first in its highest bit.
void importCompareAndBitpack(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), threshold = node.getOperand(1);
  if (!node.checkRank(0, 1) || !node.checkShape(1, {}, "one element"))
    return;
  SmallVector<int64_t> shape(getShape(x));
  if (shape.back() % 8) {
    node.error() << node.nameOf(0) << " must have a last axis divisible by 8, but is " << describe(x);
    return;
  }
  // Booleans are packed without a comparison; their threshold is ignored.
  Value isAbove = getElementType(x).isInteger(1) ? x : nn.binary(BinaryKind::Greater, x, threshold);
  shape.back() /= 8;
  SmallVector<int64_t> groups(shape);
  groups.push_back(8);
  Type byte = nn.types().getIntegerType(8, /*isSigned=*/false);
  Value bits =
      nn.mul(nn.cast(nn.reshape(isAbove, groups), byte), nn.cast(nn.integers({128, 64, 32, 16, 8, 4, 2, 1}), byte));
  node.setResult(nn.reduce(nn::ReduceKind::Sum, bits, static_cast<int64_t>(shape.size()), /*keepDims=*/false));
}

/// Imports OneHot. Along a new axis, the result is `on` at the index, and `off` elsewhere.
void importOneHot(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value indices = node.getOperand(0);
  FailureOr<int64_t> depth = node.getInteger(1);
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", -1), getRank(indices) + 1);
  if (failed(depth) || failed(axis) || !node.checkShape(2, {}, "one element") || !node.checkShape(3, {}, "one element"))
    return;
  SmallVector<int64_t> shape(getShape(indices));
  shape.insert(shape.begin() + *axis, *depth);
  if (*depth < 0 || !node.allowsConstant(*depth, sizeof(int64_t)) || !node.checkFits(shape)) {
    if (!node.hasFailed())
      node.error() << node.nameOf(1) << " must be 0 or more, but is " << *depth;
    return;
  }
  shape[*axis] = 1;
  Value classes = nn.cast(nn.counting(*depth), getElementType(indices));
  Value isClass =
      nn.binary(BinaryKind::Equal, nn.reshape(indices, shape), nn.alignToAxis(classes, *axis, getRank(indices) + 1));
  node.setResult(nn.select(isClass, node.getOperand(2), node.getOperand(3)));
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// Returns the operand `index`, which must have one element, as a scalar of `type`. Returns null after an error.
Value readScalar(OperandBinder &node, size_t index, Type type) {
  return node.checkShape(index, {}, "one element") ? node.nn.cast(node.getOperand(index), type) : Value();
}

/// Reads the suppression that the node describes; the threshold is an attribute or an operand. Fails after an error.
FailureOr<NnBuilder::Suppression> readSuppression(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value boxes = node.getOperand(0), scores = node.getOperand(1);
  if (!node.checkRank(0, 2, 2) || !node.checkRank(1, 1, 1) ||
      !node.checkShape(0, {getShape(scores)[0], 4}, "the corners of a box for each score"))
    return failure();
  const int64_t number = getShape(scores)[0];
  Type element = getElementType(boxes);
  NnBuilder::Suppression suppression{nn.reshape(boxes, {1, number, 4}),
                                     nn.reshape(scores, {1, 1, number}),
                                     readScalar(node, 2, nn.types().getI64Type()),
                                     {},
                                     {},
                                     number,
                                     /*centered=*/false};
  suppression.iouThreshold = node.getOperand(3)
                                 ? readScalar(node, 3, element)
                                 : nn.splat(RankedTensorType::get({}, element), node.getFloat("iou_threshold", 0.5));
  if (node.getOperand(4))
    suppression.scoreThreshold = readScalar(node, 4, element);
  if (!suppression.most || !suppression.iouThreshold || (node.getOperand(4) && !suppression.scoreThreshold))
    return failure();
  if (getConstant(suppression.most)) {
    FailureOr<int64_t> most = node.getInteger(2);
    if (failed(most))
      return failure();
    suppression.limit = std::clamp<int64_t>(*most, 0, number);
  }
  if (!node.allowsConstant(suppression.limit, sizeof(int64_t)))
    return failure();
  return suppression;
}

/// Returns the indices of the selected boxes, i32, or null after an error.
Value suppress(OperandBinder &node, const NnBuilder::Suppression &suppression) {
  NnBuilder &nn = node.nn;
  Type i32 = nn.types().getI32Type();
  if (suppression.limit == 0)
    return nn.splat(RankedTensorType::get(0, i32), 0);
  Value rows = suppressNonMaxima(nn, suppression); // each row contains the indices of an image, a class and a box
  if (!rows)
    return {};
  Value boxes = nn.slice(rows, 1, 2, 1);
  return boxes ? nn.cast(nn.reshape(boxes, getShape(boxes).front()), i32) : Value();
}

Value countOf(NnBuilder &nn, Value list) {
  return list ? nn.cast(nn.reshape(nn.sizesOf(list, 0, 1), {}), nn.types().getI32Type()) : Value();
}

void importSuppression(OperandBinder &node) {
  FailureOr<NnBuilder::Suppression> suppression = readSuppression(node);
  if (succeeded(suppression))
    node.setResult(suppress(node, *suppression));
}

/// Returns `list`, padded with zeros to the maximum number of boxes if the node requests this. Returns null after an
/// error.
Value padList(OperandBinder &node, Value list) {
  NnBuilder &nn = node.nn;
  if (!node.getFlag("pad_to_max_output_size", false) || !list)
    return list;
  FailureOr<int64_t> most = node.getInteger(2);
  if (failed(most))
    return {};
  if (nn.isOpen(list))
    list = nn.fillUp(list, 0, nn.scalar(list, 0));
  // The maximum may be larger than the number of boxes.
  const int64_t missing = list ? std::min<int64_t>(*most, INT32_MAX) - getShape(list)[0] : 0;
  return missing > 0 ? nn.pad(nn::PadMode::Constant, list, {0}, {missing}, 0) : list;
}

/// Imports a suppression that also returns the number of selected boxes.
void importCountedSuppression(OperandBinder &node) {
  FailureOr<NnBuilder::Suppression> suppression = readSuppression(node);
  if (failed(suppression))
    return;
  Value boxes = suppress(node, *suppression);
  node.setResult(0, padList(node, boxes));
  node.setResult(1, countOf(node.nn, boxes));
}

/// Imports a suppression that also returns the scores of selected boxes. Only the form that does not lower the scores
/// of overlapping boxes is supported.
void importScoredSuppression(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  FailureOr<double> sigma = node.getNumber(5);
  if (failed(sigma))
    return;
  if (*sigma != 0) {
    node.error() << node.nameOf(5) << " must be 0, because soft NMS is not supported, but is "
                 << describeNumber(*sigma);
    return;
  }
  FailureOr<NnBuilder::Suppression> suppression = readSuppression(node);
  if (failed(suppression))
    return;
  Value boxes = suppress(node, *suppression), scores = node.getOperand(1);
  if (!boxes)
    return node.setResult({});
  Value taken =
      suppression->limit ? nn.gather(scores, boxes, 0) : nn.splat(RankedTensorType::get(0, getElementType(scores)), 0);
  node.setResult(0, padList(node, boxes));
  node.setResult(1, padList(node, taken));
  node.setResult(2, countOf(nn, boxes));
}

} // namespace

void registerSelections(ImportRegistry &registry) {
  registry.add("TopK", 1, {{"input", Holds::Numbers}}, importTopK);
  registry.add("TopKV2", 1, {{"input", Holds::Numbers}, {"k", Holds::Indices}}, importTopK);
  registry.add("NthElement", 1, {{"input", Holds::Numbers}, {"n", Holds::Indices}}, importNthElement);
  registry.add("InTopK", 1, {{"predictions", Holds::Floats}, {"targets", Holds::Indices}}, importInTopK);
  registry.add("InTopKV2", 1, {{"predictions", Holds::Floats}, {"targets", Holds::Indices}, {"k", Holds::Indices}},
               importInTopK);
  registry.add("Where", 1, {{"input"}}, importWhere);
  registry.add("Unique", 1, {{"x"}}, importUnique);
  registry.add("UniqueWithCounts", 1, {{"x"}}, importUnique);
  registry.add("CompareAndBitpack", 1, {{"input", Holds::Anything, 'T'}, {"threshold", Holds::Anything, 'T'}},
               importCompareAndBitpack);
  registry.add("OneHot", 1,
               {{"indices", Holds::Integers},
                {"depth", Holds::Indices},
                {"on_value", Holds::Anything, 'T'},
                {"off_value", Holds::Anything, 'T'}},
               importOneHot);
  const OperandRule boxes{"boxes", Holds::Floats, 'T'}, scores{"scores", Holds::Floats, 'T'},
      most{"max_output_size", Holds::Indices}, overlap{"iou_threshold", Holds::Floats},
      least{"score_threshold", Holds::Floats}, sigma{"soft_nms_sigma", Holds::Floats};
  registry.add("NonMaxSuppression", 1, {boxes, scores, most}, importSuppression);
  registry.add("NonMaxSuppressionV2", 1, {boxes, scores, most, overlap}, importSuppression);
  registry.add("NonMaxSuppressionV3", 1, {boxes, scores, most, overlap, least}, importSuppression);
  registry.add("NonMaxSuppressionV4", 1, {boxes, scores, most, overlap, least}, importCountedSuppression);
  registry.add("NonMaxSuppressionV5", 1, {boxes, scores, most, overlap, least, sigma}, importScoredSuppression);
  registry.setLimit("NonMaxSuppressionV5", "soft NMS");
}

} // namespace nacre::importer::tensorflow_format
