// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects boxes of high score that do not overlap.
//
// How:  1. one class: selects boxes from a list,
//       2. all classes: the last operator of SSD networks, which decodes boxes and selects some of them.

#include "compiler/import/compositions/Selections.h"
#include "compiler/import/compositions/Tables.h"
#include "compiler/import/tflite/Handlers.h"
#include "compiler/import/tflite/quantized/Rescaling.h"
#include "dialects/NumberText.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

using nn::BinaryKind;

/// Returns the next float below `limit`, because `nn` compares by > and TFLite compares by >=.
float justBelow(double limit) { return std::nextafter(static_cast<float>(limit), -INFINITY); }

Value scalar(NnBuilder &nn, double value) {
  return nn.splat(RankedTensorType::get({}, nn.types().getF32Type()), value);
}

/// Returns `x`, padded with zeros at the end of the first axis to `size` elements.
Value padRows(NnBuilder &nn, Value x, int64_t size) {
  if (!x || getShape(x)[0] == size)
    return x;
  SmallVector<int64_t> low(getRank(x), 0), high(getRank(x), 0);
  high[0] = size - getShape(x)[0];
  return nn.pad(nn::PadMode::Constant, x, low, high, 0);
}

//===----------------------------------------------------------------------===//
// 1. One class
//===----------------------------------------------------------------------===//

struct Selection {
  int64_t boxes, asked, limit; ///< `limit`: largest number of selected boxes
  double overlap, score, sigma;
};

/// Reads the operands of a selection; fails after an error.
FailureOr<Selection> readSelection(TfliteNode &node, bool isSoft) {
  if (!getElementType(node.getOperand(0)).isF32())
    return node.error() << node->nameOf(0) << " must hold 32-bit floats, but is " << describe(node.getOperand(0));
  if (!node->checkRank(1, 1, 1) ||
      !node->checkShape(0, {getShape(node.getOperand(1))[0], 4}, "the corners of a box for each score"))
    return failure();
  FailureOr<int64_t> asked = node->getInteger(2);
  FailureOr<double> overlap = node->getNumber(3), score = node->getNumber(4),
                    sigma = isSoft ? node->getNumber(5) : FailureOr<double>(0);
  if (failed(asked) || failed(overlap) || failed(score) || failed(sigma))
    return failure();
  const int64_t boxes = getShape(node.getOperand(0))[0];
  if (*asked < 0 || *asked > INT32_MAX || !(*overlap >= 0) || !(*sigma >= 0) || std::isnan(*score))
    return node.error() << "the number of boxes, the overlap and the soft-NMS sigma must be 0 or more, but are "
                        << *asked << ", " << describeNumber(*overlap) << " and " << describeNumber(*sigma);
  // If the overlap is 0, the first box excludes all others.
  const int64_t limit = std::min({*asked, boxes, *overlap == 0 ? int64_t(1) : boxes});
  return Selection{boxes, *asked, limit, justBelow(*overlap), *score, *sigma};
}

/// Operands: boxes, scores, limit of boxes, limit of the overlap, limit of the score, sigma. Results: indices, scores
/// if `isSoft`, and the number of boxes. Unused elements are 0.
void importSuppression(TfliteNode &node, bool isSoft) {
  NnBuilder &nn = node.nn;
  FailureOr<Selection> read = readSelection(node, isSoft);
  if (failed(read) || !node->checkFits({read->asked}))
    return;
  Value boxes = node.getOperand(0), scores = node.getOperand(1);
  Type i32 = nn.types().getI32Type(), f32 = nn.types().getF32Type();
  TakenBoxes taken;
  if (read->limit == 0) {
    taken = {nn.splat(RankedTensorType::get(0, i32), 0), nn.splat(RankedTensorType::get(0, f32), 0),
             nn.splat(RankedTensorType::get({}, i32), 0)};
  } else if (read->sigma > 0) {
    taken = suppressSoftly(nn, boxes, scores, {read->limit, read->overlap, read->score, read->sigma});
  } else {
    auto [selected, count] =
        nn.nms({nn.reshape(boxes, {1, read->boxes, 4}), nn.reshape(scores, {1, 1, read->boxes}),
                nn.splat(RankedTensorType::get({}, nn.types().getI64Type()), static_cast<double>(read->limit)),
                scalar(nn, read->overlap), scalar(nn, read->score), read->limit,
                /*centered=*/false});
    taken.indices = nn.reshape(selected, read->limit);
    taken.count = nn.reshape(count, {});
    Value isTaken = nn.binary(BinaryKind::Less, nn.counting(read->limit), taken.count);
    taken.scores = nn.select(isTaken, nn.gather(scores, taken.indices, 0), scalar(nn, 0));
  }
  node.setResult(0, nn.cast(padRows(nn, taken.indices, read->asked), i32));
  if (isSoft)
    node.setResult(1, padRows(nn, taken.scores, read->asked));
  node.setResult(isSoft ? 2 : 1, nn.cast(taken.count, i32));
}

//===----------------------------------------------------------------------===//
// 2. All classes
//===----------------------------------------------------------------------===//

struct Detection {
  int64_t boxes, classes, background;  ///< `background` is 1 if the first score belongs to the background
  int64_t most, classesOfBox, ofClass; ///< limits of all detections, of the classes of a box, and of the boxes of a
                                       ///< class
  bool isByClass;                      ///< true if boxes are selected separately for each class
  double score, overlap;
  double center[2], size[2]; ///< divisors of the encoded centers (y, x) and sizes (height, width)
};

/// Returns an option of the operator, stored as an integer or a float. Returns `missing` if it is absent.
double readOption(TfliteNode &node, StringRef name, std::optional<double> missing) {
  Attribute told = node->getTold(name);
  if (auto integer = dyn_cast_or_null<IntegerAttr>(told))
    return static_cast<double>(integer.getInt());
  if (auto real = dyn_cast_or_null<FloatAttr>(told))
    return real.getValueAsDouble();
  if (!missing)
    node.error() << "attribute '" << name << "' must be a number, but is missing";
  return missing.value_or(1);
}

int64_t readCount(TfliteNode &node, StringRef name, std::optional<double> missing = std::nullopt) {
  const double value = readOption(node, name, missing);
  if (value >= 1 && value <= INT32_MAX && value == std::floor(value))
    return static_cast<int64_t>(value);
  node.error() << "attribute '" << name << "' must be a positive integer, but is " << describeNumber(value);
  return 1;
}

/// Reports an error unless all operands are floats or quantized integers.
bool checkAllReal(TfliteNode &node) {
  for (size_t operand = 0; operand < node->getNumOperands(); ++operand)
    if (!isFloat(node.getOperand(operand)) && !node.getQuantization(operand)) {
      node.error() << node->nameOf(operand) << " must hold floats or quantized integers, but is "
                   << describe(node.getOperand(operand));
      return false;
    }
  return true;
}

Value readSingle(TfliteNode &node, size_t operand) {
  return node.nn.cast(toReals(node, operand), node.nn.types().getF32Type());
}

/// Reads the options of the operator; fails after an error.
FailureOr<Detection> readDetection(TfliteNode &node) {
  if (!node->checkRank(0, 3, 3) || !node->checkRank(1, 3, 3) || !node->checkRank(2, 2, 2) || !checkAllReal(node))
    return failure();
  Detection read;
  read.boxes = getShape(node.getOperand(0))[1];
  read.classes = readCount(node, "num_classes");
  read.background = getShape(node.getOperand(1))[2] - read.classes;
  read.most = readCount(node, "max_detections");
  read.classesOfBox = readCount(node, "max_classes_per_detection");
  read.ofClass = readCount(node, "detections_per_class", 100);
  read.isByClass = readOption(node, "use_regular_nms", 0) != 0;
  read.score = readOption(node, "nms_score_threshold", std::nullopt);
  read.overlap = readOption(node, "nms_iou_threshold", std::nullopt);
  constexpr const char *scales[] = {"y_scale", "x_scale", "h_scale", "w_scale"};
  for (auto [place, name] : llvm::enumerate(scales)) {
    const double scale = readOption(node, name, std::nullopt);
    if (!(scale > 0) || !std::isfinite(scale))
      node.error() << "attribute '" << name << "' must be a positive number, but is " << describeNumber(scale);
    (place < 2 ? read.center : read.size)[place % 2] = static_cast<float>(scale);
  }
  if (node->hasFailed())
    return failure();
  if (!(read.overlap > 0 && read.overlap <= 1) || std::isnan(read.score))
    return node.error() << "attribute 'nms_iou_threshold' must be in (0, 1] and 'nms_score_threshold' must be a "
                           "number, but they are "
                        << describeNumber(read.overlap) << " and " << describeNumber(read.score);
  Ints codes = getShape(node.getOperand(0));
  if (codes[0] != 1 || codes[2] < 4 || read.boxes < 1 || read.background < 0 || read.background > 1 ||
      !node->checkShape(1, {1, read.boxes, read.classes + read.background}, "scores of each box") ||
      !node->checkShape(2, {read.boxes, 4}, "an anchor for each box") ||
      !node->checkFits({read.most, read.classesOfBox, 4}) || !node->checkFits({read.classes, read.boxes, 4})) {
    if (!node->hasFailed())
      node.error() << "operands must be box encodings of 4 or more numbers, and scores of 'num_classes' classes, "
                      "optionally with a background class first, but are "
                   << describe(node.getOperand(0)) << " and " << describe(node.getOperand(1));
    return failure();
  }
  return read;
}

/// Returns the corners of all boxes, [boxes, 4]. The encoded boxes are relative to anchors. Computes in double
/// precision.
Value decode(TfliteNode &node, const Detection &read) {
  NnBuilder &nn = node.nn;
  Type f64 = nn.types().getF64Type(), f32 = nn.types().getF32Type();
  Value codes = nn.cast(nn.reshape(nn.slice(readSingle(node, 0), 2, 0, 4), {read.boxes, 4}), f64),
        anchors = nn.cast(readSingle(node, 2), f64);
  auto pair = [&](const double (&numbers)[2]) {
    return makeTable<double>(nn, RankedTensorType::get(2, f64), [&](int64_t index) { return numbers[index]; });
  };
  Value size = nn.slice(anchors, 1, 2, 2);
  Value center = nn.add(nn.mul(nn.div(nn.slice(codes, 1, 0, 2), pair(read.center)), size), nn.slice(anchors, 1, 0, 2));
  Value growth = nn.unary(nn::UnaryKind::Exp, nn.div(nn.slice(codes, 1, 2, 2), pair(read.size)));
  Value half = nn.cast(nn.mul(nn.mul(growth, 0.5), size), f32);
  center = nn.cast(center, f32);
  return nn.concat({nn.sub(center, half), nn.add(center, half)}, 1);
}

/// Returns the selected boxes for each row of scores, and the number of selected boxes.
std::array<Value, 2> suppress(NnBuilder &nn, const Detection &read, Value corners, Value scores, int64_t limit) {
  Value most = nn.splat(RankedTensorType::get({}, nn.types().getI64Type()), static_cast<double>(limit));
  return nn.nms({nn.reshape(corners, {1, read.boxes, 4}), scores, most, scalar(nn, read.overlap),
                 scalar(nn, justBelow(read.score)), limit, /*centered=*/false});
}

/// Detections, [slots, columns]. Slots from `count` on are unused.
struct Found {
  Value boxes, classes, scores; ///< indices of boxes; classes and scores, with a column for each class of a box
  Value count;                  ///< number of used slots, a scalar
};

/// Selects boxes by their highest scores, and returns their best classes.
Found findBoxes(TfliteNode &node, const Detection &read, Value corners, Value scores) {
  NnBuilder &nn = node.nn;
  const int64_t columns = std::min(read.classesOfBox, read.classes), limit = std::min(read.most, read.boxes);
  auto [values, classes] = nn.topK(nn.reshape(scores, {read.boxes, read.classes}), 1, columns, /*smallest=*/false);
  if (!values)
    return {};
  Value best = nn.reshape(nn.slice(values, 1, 0, 1), {1, 1, read.boxes});
  auto [selected, counts] = suppress(nn, read, corners, best, limit);
  Value boxes = nn.reshape(selected, limit);
  return {boxes, nn.gather(classes, boxes, 0), nn.gather(values, boxes, 0), nn.reshape(counts, {})};
}

/// Selects boxes separately for each class, and returns the best of all classes.
Found findByClass(TfliteNode &node, const Detection &read, Value corners, Value scores) {
  NnBuilder &nn = node.nn;
  const int64_t limit = std::min(read.ofClass, read.boxes), slots = read.classes * limit,
                most = std::min(read.most, slots);
  if (!node->checkFits({slots}, "the boxes of all classes"))
    return {};
  Value byClass = nn.transpose(scores, {0, 2, 1});
  auto [selected, counts] = suppress(nn, read, corners, byClass, limit);
  Value own = nn.infer<nn::GatherElementsOp>(byClass, selected, /*axis=*/int64_t(2));
  Value isTaken = nn.binary(BinaryKind::Less, nn.counting(limit), counts);
  Value ranked = nn.select(isTaken, own, scalar(nn, -INFINITY));
  if (!ranked)
    return {};
  auto [values, places] = nn.topK(nn.reshape(ranked, slots), 0, most, /*smallest=*/false);
  Value all = nn.reduce(nn::ReduceKind::Sum, counts, {0, 1, 2}, /*keepDims=*/false);
  return {nn.gather(nn.reshape(selected, slots), places, 0),
          nn.reshape(nn.div(places, static_cast<double>(limit)), {most, 1}), nn.reshape(values, {most, 1}),
          nn.binary(BinaryKind::Min, all, static_cast<double>(most))};
}

/// Returns `x`, [slots, columns, numbers], in the shape [rows, numbers], with `width` rows for each slot. Added rows
/// are 0.
Value layOut(NnBuilder &nn, Value x, int64_t width, int64_t rows) {
  if (!x)
    return {};
  Ints shape = getShape(x);
  const int64_t slots = shape[0], numbers = shape[2];
  Value wide = shape[1] == width ? x : nn.pad(nn::PadMode::Constant, x, {0, 0, 0}, {0, width - shape[1], 0}, 0);
  return padRows(nn, nn.reshape(wide, {slots * width, numbers}), rows);
}

/// Operands: encoded boxes, scores, anchors. Results: corners, classes and scores of boxes, padded with zeros, and the
/// number of boxes.
void importDetectionPostProcess(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  FailureOr<Detection> read = readDetection(node);
  if (failed(read))
    return;
  Type f32 = nn.types().getF32Type();
  Value corners = decode(node, *read);
  Value scores = nn.slice(readSingle(node, 1), 2, read->background, read->classes);
  Found found = read->isByClass ? findByClass(node, *read, corners, scores) : findBoxes(node, *read, corners, scores);
  if (!found.boxes || !found.classes || !found.scores)
    return node.setResult({});
  // If boxes are selected separately for each class, a box may be selected for several classes.
  const int64_t slots = getShape(found.classes)[0], columns = getShape(found.classes)[1],
                width = read->isByClass ? 1 : read->classesOfBox, rows = read->most * read->classesOfBox;
  Value isThere = nn.reshape(nn.binary(BinaryKind::Less, nn.counting(slots), found.count), {slots, 1, 1});
  auto tell = [&](Value x, int64_t numbers) {
    Value told = nn.select(isThere, nn.cast(x, f32), scalar(nn, 0));
    return layOut(nn, told ? nn.broadcast(told, {slots, columns, numbers}) : Value(), width, rows);
  };
  auto tellEach = [&](Value x) { return nn.reshape(tell(nn.reshape(x, {slots, columns, 1}), 1), {1, rows}); };
  Value boxes = nn.reshape(nn.gather(corners, found.boxes, 0), {slots, 1, 4});
  node.setResult(0, nn.reshape(tell(boxes, 4), {1, rows, 4}));
  node.setResult(1, tellEach(found.classes));
  node.setResult(2, tellEach(found.scores));
  node.setResult(3, nn.reshape(nn.cast(found.count, f32), {1}));
}

} // namespace

void registerDetections(ImportRegistry &registry) {
  const OperandRule boxes{"boxes", Holds::Floats, 'T'}, scores{"scores", Holds::Floats, 'T'},
      most{"max_output_size", Holds::Indices}, overlap{"iou_threshold", Holds::Floats},
      least{"score_threshold", Holds::Floats}, sigma{"soft_nms_sigma", Holds::Floats};
  add(registry, "NON_MAX_SUPPRESSION_V4", Integers::Plain, {boxes, scores, most, overlap, least},
      [](TfliteNode &node) { importSuppression(node, /*isSoft=*/false); });
  add(registry, "NON_MAX_SUPPRESSION_V5", Integers::Plain, {boxes, scores, most, overlap, least, sigma},
      [](TfliteNode &node) { importSuppression(node, /*isSoft=*/true); });
  add(registry, "TFLite_Detection_PostProcess", Integers::Computed,
      {{"box_encodings", Holds::Numbers}, {"class_predictions", Holds::Numbers}, {"anchors", Holds::Numbers}},
      importDetectionPostProcess);
}

} // namespace nacre::importer::tflite_format
