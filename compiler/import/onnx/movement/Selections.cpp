// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that sort, select and compact. Their results have data-dependent sizes.

#include "compiler/import/compositions/Selections.h"
#include "compiler/import/compositions/Movement.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/movement/Handlers.h"

#include "mlir/IR/BuiltinTypes.h"
#include <cmath>

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

using nn::BinaryKind;

//===----------------------------------------------------------------------===//
// Largest elements
//===----------------------------------------------------------------------===//

/// Sets the results to the first `k` elements along `axis`. If `count` is not null, only the first `count` of them are
/// valid.
void setLargest(OperandBinder &node, int64_t axis, int64_t k, Value count) {
  NnBuilder &nn = node.nn;
  bool smallest = !node.getFlag("largest", true);
  node.ignore({"sorted"}); // sorted results are also valid if the node does not request sorting
  auto results = nn.topK(node.getOperand(0), axis, k, smallest);
  for (auto [index, result] : llvm::enumerate(results))
    node.setResult(index, count ? nn.limit(result, axis, count) : result);
}

void importTopK(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), given = node.getOperand(1);
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", -1), getRank(x));
  if (failed(axis))
    return;
  const int64_t length = getShape(x)[*axis];
  if (given && !getConstant(given)) {
    if (getType(given).getNumElements() != 1) {
      node.error() << node.nameOf(1) << " must have one element, but is " << describe(given);
      return;
    }
    // A minimum of sizes and a number, which exporters write, has a bound. The results are then much smaller.
    if (std::optional<SmallVector<Size>> size = nn.readSizes(given);
        size && size->front().count && size->front().bound <= length)
      return setLargest(node, *axis, size->front().bound, size->front().count);
    Value count = nn.reshape(nn.cast(given, nn.types().getI64Type()), {});
    count = nn.binary(BinaryKind::Min, nn.binary(BinaryKind::Max, count, 0.0), static_cast<double>(length));
    return setLargest(node, *axis, length, count);
  }
  FailureOr<int64_t> k = given ? node.getInteger(1) : node.getInt("k", -1);
  if (failed(k))
    return;
  if (*k < 0 || *k > length) {
    node.error() << (given ? node.nameOf(1) : "attribute 'k'") << " must lie between 0 and the "
                 << describeCount(length, "element") << " along axis " << *axis << " of " << describe(x) << ", but is "
                 << *k;
    return;
  }
  setLargest(node, *axis, *k, Value());
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Returns the axis in the node's attribute. Without the attribute, flattens `x` and returns its only axis. Fails after
/// an error.
FailureOr<int64_t> chooseAxis(OperandBinder &node, Value &x) {
  if (node.has("axis"))
    return node.getAxis(node.getInt("axis", 0), getRank(x));
  x = node.nn.reshape(x, getType(x).getNumElements());
  if (!x)
    return failure();
  return 0;
}

void importNonZero(OperandBinder &node) { node.setResult(findNonZero(node.nn, node.getOperand(0))); }

void importCompress(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), condition = node.getOperand(1);
  if (!node.checkRank(1, 1, 1))
    return;
  FailureOr<int64_t> axis = chooseAxis(node, x);
  if (failed(axis))
    return;
  if (getShape(condition)[0] > getShape(x)[*axis]) {
    node.error() << node.nameOf(1) << " must not exceed the number of candidates, " << getShape(x)[*axis] << ", but is "
                 << describe(condition);
    return;
  }
  condition = fillOpenAxes(nn, condition, 0);
  if (Value count = nn.getSizes(x)[*axis].count; count && condition) // a longer condition selects no more than there is
    condition =
        nn.binary(BinaryKind::And, condition, nn.binary(BinaryKind::Less, nn.counting(getShape(condition)[0]), count));
  node.setResult(nn.gather(x, findTrue(nn, condition), *axis));
}

//===----------------------------------------------------------------------===//
// Distinct elements
//===----------------------------------------------------------------------===//

void importUnique(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  bool sorted = node.getFlag("sorted", true);
  FailureOr<int64_t> axis = chooseAxis(node, x);
  if (failed(axis))
    return;
  UniqueParts unique = findUnique(nn, x, *axis, sorted);
  node.setResult(0, unique.parts);
  node.setResult(1, unique.first);
  node.setResult(2, unique.inverse);
  node.setResult(3, unique.counts);
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// Returns the value of an operand as a scalar of `type`, or `missing` if the operand does not exist. Null after an
/// error.
Value readScalar(OperandBinder &node, size_t index, Type type, std::optional<double> missing) {
  Value operand = node.getOperand(index);
  if (!operand)
    return node.nn.splat(RankedTensorType::get({}, type), *missing);
  if (getType(operand).getNumElements() == 1)
    return node.nn.reshape(node.nn.cast(operand, type), {});
  node.error() << node.nameOf(index) << " must have one element, but is " << describe(operand);
  return {};
}

void importNonMaxSuppression(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value boxes = node.getOperand(0), scores = node.getOperand(1);
  bool centered = node.getFlag("center_point_box", false);
  if (!node.checkRank(0, 3, 3) || !node.checkRank(1, 3, 3))
    return;
  const int64_t images = getShape(scores)[0], classes = getShape(scores)[1], number = getShape(scores)[2];
  if (!node.checkShape(0, {images, number, 4}, "the corners of a box for each score"))
    return;
  // Boxes after a count are no candidates, because their scores are NaN.
  NnBuilder::Suppression suppression{
      fillOpenAxes(nn, boxes, 0), fillOpenAxes(nn, scores, std::nan("")), {}, {}, {}, number, centered};
  Type element = getElementType(boxes);
  suppression.most = readScalar(node, 2, nn.types().getI64Type(), 0);
  suppression.iouThreshold = readScalar(node, 3, element, 0);
  if (node.getOperand(4))
    suppression.scoreThreshold = readScalar(node, 4, element, std::nullopt);
  if (!suppression.most || !suppression.iouThreshold || (node.getOperand(4) && !suppression.scoreThreshold))
    return;
  if (getConstant(suppression.most)) {
    FailureOr<int64_t> most = node.getOperand(2) ? node.getInteger(2) : FailureOr<int64_t>(0);
    if (failed(most))
      return;
    suppression.limit = std::clamp<int64_t>(*most, 0, number);
  }
  if (images * classes * suppression.limit == 0)
    return node.setResult(nn.splat(RankedTensorType::get({0, 3}, nn.types().getI64Type()), 0));
  if (node.checkFits({images, classes, suppression.limit}, "the boxes of all classes") &&
      node.allowsConstant(suppression.limit, sizeof(int64_t)))
    node.setResult(suppressNonMaxima(nn, suppression));
}

} // namespace

void registerSelections(ImportRegistry &registry) {
  registry.add("Compress", 9, {{"input"}, {"condition", Holds::Booleans}}, importCompress);
  registry.add("NonMaxSuppression", 10,
               {{"boxes", Holds::Floats, 'T'},
                {"scores", Holds::Floats, 'T'},
                {"max_output_boxes_per_class?", Holds::Integers},
                {"iou_threshold?", Holds::Floats},
                {"score_threshold?", Holds::Floats}},
               importNonMaxSuppression);
  registry.add("NonZero", 9, {{"X"}}, importNonZero);
  registry.add("TopK", 1, {{"X", Holds::Floats}}, importTopK);
  registry.add("TopK", 10, {{"X", Holds::Numbers}, {"K", Holds::Integers}}, importTopK);
  registry.add("Unique", 11, {{"X"}}, importUnique);
}

} // namespace nacre::importer::onnx_format
