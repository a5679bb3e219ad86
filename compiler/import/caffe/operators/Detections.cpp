// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers of SSD for boxes: the prior boxes of a grid, and detected boxes.

#include "compiler/import/caffe/Handlers.h"
#include "compiler/import/compositions/Selections.h"
#include "compiler/import/compositions/Tables.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer::caffe_format {
namespace {

using nn::BinaryKind;
using nn::UnaryKind;

//===----------------------------------------------------------------------===//
// 1. PriorBox: boxes at the cells of a grid
//===----------------------------------------------------------------------===//

/// Boxes of one cell. For each minimum size, there is a square, a square between this and the maximum size, and a box
/// for each ratio.
struct CellBoxes {
  SmallVector<double> minSizes, maxSizes;
  SmallVector<double> ratios; ///< width divided by height; the first is 1

  int64_t countOfSize() const { return static_cast<int64_t>(ratios.size() + !maxSizes.empty()); }
  int64_t count() const { return static_cast<int64_t>(minSizes.size()) * countOfSize(); }

  /// Returns width and height of box `index`, in pixels.
  std::pair<double, double> getBox(int64_t index) const {
    // Caffe truncates these sizes to integers.
    auto whole = [](double size) { return std::trunc(size); };
    int64_t size = index / countOfSize(), kind = index % countOfSize();
    double side = whole(minSizes[size]);
    if (kind == 0)
      return {side, side};
    if (!maxSizes.empty() && kind-- == 1) {
      side = std::sqrt(side * whole(maxSizes[size]));
      return {side, side};
    }
    double stretch = std::sqrt(ratios[kind]);
    return {side * stretch, side / stretch};
  }
};

/// Reads the boxes of a cell. Fails after an error.
FailureOr<CellBoxes> readCellBoxes(OperandBinder &node) {
  constexpr size_t most = 256;
  CellBoxes cell{node.getFloats("min_size"), node.getFloats("max_size"), {1}};
  bool isFlipped = node.getFlag("flip", true);
  SmallVector<double> ratios = node.getFloats("aspect_ratio");
  if (cell.minSizes.empty() || std::max(cell.minSizes.size(), ratios.size()) > most)
    return node.error() << "parameters 'min_size' and 'aspect_ratio' must have at least one size, and " << most
                        << " numbers at most, but have " << cell.minSizes.size() << " and " << ratios.size();
  if (!cell.maxSizes.empty() && cell.maxSizes.size() != cell.minSizes.size())
    return node.error() << "parameter 'max_size' must have a number for each 'min_size', which are "
                        << cell.minSizes.size() << ", but has " << cell.maxSizes.size();
  auto isSize = [](double size) { return size > 0 && size <= INT32_MAX; };
  if (!llvm::all_of(cell.minSizes, isSize) || !llvm::all_of(cell.maxSizes, isSize) || !llvm::all_of(ratios, isSize))
    return node.error() << "parameters 'min_size', 'max_size' and 'aspect_ratio' must be greater than 0";
  for (double ratio : ratios) {
    if (llvm::any_of(cell.ratios, [&](double other) { return std::abs(ratio - other) < 1e-6; }))
      continue;
    cell.ratios.push_back(ratio);
    if (isFlipped)
      cell.ratios.push_back(1 / ratio);
  }
  return cell;
}

struct HighWide {
  double high, wide;
};

/// Reads a value for the height and one for the width; both are 0 by default. `both` is the field that sets both.
HighWide readHighWide(OperandBinder &node, StringRef both, StringRef stem) {
  auto read = [&](StringRef name) {
    return both == "step" ? node.getFloat(name, 0) : static_cast<double>(node.getInt(name, 0));
  };
  double square = read(both);
  HighWide apart{read((stem + "_h").str()), read((stem + "_w").str())};
  return apart.high != 0 && apart.wide != 0 ? apart : HighWide{square, square};
}

/// Reads four values for each box, or one value for all.
FailureOr<SmallVector<double>> readVariances(OperandBinder &node) {
  SmallVector<double> variances = node.getFloats("variance");
  if (variances.empty())
    variances = {0.1};
  if (variances.size() == 1)
    variances.assign(4, variances.front());
  if (variances.size() != 4)
    return node.error() << "parameter 'variance' must have one or four numbers, but has " << variances.size();
  return variances;
}

/// Sets row 0 of the result to the corners of every box, as fractions of the image. Sets row 1 to the variances.
void importPriorBox(OperandBinder &node) {
  if (!node.checkRank(0, 4, 4) || !node.checkRank(1, 4, 4))
    return;
  FailureOr<CellBoxes> cell = readCellBoxes(node);
  FailureOr<SmallVector<double>> variances = readVariances(node);
  if (failed(cell) || failed(variances))
    return;
  bool isClipped = node.getFlag("clip", false);
  double offset = node.getFloat("offset", 0.5);
  Ints grid = getShape(node.getOperand(0)).drop_front(2), shape = getShape(node.getOperand(1)).drop_front(2);
  HighWide image = readHighWide(node, "img_size", "img"), step = readHighWide(node, "step", "step");
  if (image.high == 0 || image.wide == 0)
    image = {double(shape[0]), double(shape[1])};
  if (step.high == 0 || step.wide == 0)
    step = {image.high / double(grid[0]), image.wide / double(grid[1])};
  const int64_t ofCell = cell->count();
  if (node.hasFailed() || !node.checkFits({grid[0], grid[1], ofCell, 4, 2}))
    return;
  auto type = RankedTensorType::get({1, 2, grid[0] * grid[1] * ofCell * 4}, node.nn.types().getF32Type());
  const int64_t length = type.getDimSize(2);
  node.setResult(makeTable<double>(node.nn, type, [&](int64_t index) {
    int64_t corner = index % 4, box = index % length / 4, place = box / ofCell;
    if (index >= length)
      return (*variances)[corner];
    auto [wide, high] = cell->getBox(box % ofCell);
    bool isHigh = corner % 2 != 0;
    int64_t row = place / grid[1], column = place % grid[1];
    double center = isHigh ? (double(row) + offset) * step.high : (double(column) + offset) * step.wide;
    double half = (isHigh ? high : wide) / 2;
    double at = (center + (corner < 2 ? -half : half)) / (isHigh ? image.high : image.wide);
    return isClipped ? std::clamp(at, 0.0, 1.0) : at;
  }));
}

//===----------------------------------------------------------------------===//
// 2. DetectionOutput: detected boxes
//===----------------------------------------------------------------------===//

struct Detection {
  int64_t images, boxes, classes, background;
  bool hasSharedBoxes, isVarianceEncoded;
  StringRef code;
  int64_t candidates; ///< largest number of candidates of each class; those with the best scores are chosen
  int64_t most;       ///< largest number of boxes of an image; -1 for no limit
  double overlap;
  std::optional<double> confidence;

  /// Returns the number of classes to detect.
  int64_t countSought() const { return classes - (background >= 0 && background < classes); }
};

FailureOr<Detection> readDetection(OperandBinder &node) {
  if (!node.checkRank(0, 2) || !node.checkRank(1, 2) || !node.checkRank(2, 3, 3))
    return failure();
  Detection read;
  read.images = getShape(node.getOperand(0))[0];
  read.boxes = getShape(node.getOperand(2))[2] / 4;
  read.classes = node.getInt("num_classes", 0);
  read.background = node.getInt("background_label_id", 0);
  read.hasSharedBoxes = node.getFlag("share_location", true);
  read.isVarianceEncoded = node.getFlag("variance_encoded_in_target", false);
  read.code = node.getString("code_type", "CORNER");
  read.most = node.getInt("keep_top_k", -1);
  read.overlap = node.getFloat("nms_param.nms_threshold", 0.3);
  if (node.has("confidence_threshold"))
    read.confidence = node.getFloat("confidence_threshold", 0);
  int64_t candidates = node.getInt("nms_param.top_k", -1);
  read.candidates = candidates < 0 ? read.boxes : std::min(candidates, read.boxes);
  if (node.getFloat("nms_param.eta", 1) != 1)
    return node.error() << "parameter 'eta' must be 1: adaptive overlap thresholds are not supported";
  if (read.classes < 1 || read.classes > INT32_MAX || read.countSought() < 1 || read.images < 1 ||
      read.candidates < 1 || read.most == 0)
    return node.error()
           << "must have images, boxes and classes besides the background, and 'keep_top_k' and 'top_k' of at "
           << "least 1, or -1 for all";
  SmallVector<int64_t> wanted[] = {{read.images, read.boxes, read.hasSharedBoxes ? 1 : read.classes, 4},
                                   {read.images, read.boxes, read.classes},
                                   {2, read.boxes, 4}};
  for (auto [index, shape] : llvm::enumerate(wanted))
    if (nn::countElements(shape) != getType(node.getOperand(index)).getNumElements())
      return node.error() << node.nameOf(index) << " must have the elements of " << describeShape(shape) << ", but is "
                          << describe(node.getOperand(index));
  if (!node.checkFits({read.images, read.countSought(), read.boxes, 7}, "the boxes of all classes"))
    return failure();
  return read;
}

/// Returns the corners of boxes, [images, boxes, classes or 1, 4]. The network states them relative to the prior boxes.
Value decode(OperandBinder &node, const Detection &read) {
  NnBuilder &nn = node.nn;
  Value said = nn.reshape(node.getOperand(0), {read.images, read.boxes, read.hasSharedBoxes ? 1 : read.classes, 4});
  Value priors = nn.reshape(node.getOperand(2), {2, read.boxes, 1, 4});
  Value prior = nn.slice(priors, 0, 0, 1);
  if (!read.isVarianceEncoded)
    said = nn.mul(said, nn.slice(priors, 0, 1, 1));
  auto lower = nn.slice(prior, 3, 0, 2), upper = nn.slice(prior, 3, 2, 2), size = nn.sub(upper, lower);
  if (read.code == "CORNER")
    return nn.add(said, prior);
  if (read.code == "CORNER_SIZE")
    return nn.add(nn.mul(said, nn.concat({size, size}, 3)), prior);
  Value center = nn.add(nn.mul(nn.slice(said, 3, 0, 2), size), nn.mul(nn.add(lower, upper), 0.5));
  Value half = nn.mul(nn.mul(nn.unary(UnaryKind::Exp, nn.slice(said, 3, 2, 2)), size), 0.5);
  return nn.concat({nn.sub(center, half), nn.add(center, half)}, 3);
}

/// Returns `x` without the background along `axis`, which has all classes.
Value dropBackground(NnBuilder &nn, Value x, int64_t axis, const Detection &read) {
  if (read.countSought() == read.classes)
    return x;
  SmallVector<Value> parts;
  for (auto [begin, end] : {std::pair(int64_t(0), read.background), std::pair(read.background + 1, read.classes)})
    if (begin < end)
      parts.push_back(nn.slice(x, axis, begin, end - begin));
  return nn.concat(parts, axis);
}

/// Boxes [rows, candidates, 4] and scores [rows, 1, candidates] of candidates. There is a row for each class of each
/// image.
struct Candidates {
  Value boxes, scores;
};

Candidates findCandidates(OperandBinder &node, const Detection &read) {
  NnBuilder &nn = node.nn;
  const int64_t sought = read.countSought(), rows = read.images * sought, count = read.candidates;
  Value corners = nn.transpose(decode(node, read), {0, 2, 1, 3});
  if (!read.hasSharedBoxes)
    corners = dropBackground(nn, corners, 1, read);
  Value boxes = nn.reshape(nn.broadcast(corners, {read.images, sought, read.boxes, 4}), {rows, read.boxes, 4});
  Value scores = nn.transpose(nn.reshape(node.getOperand(1), {read.images, read.boxes, read.classes}), {0, 2, 1});
  scores = nn.reshape(dropBackground(nn, scores, 1, read), {rows, 1, read.boxes});
  if (count == read.boxes)
    return {boxes, scores};
  auto [best, which] = nn.topK(scores, 2, count, /*smallest=*/false);
  return {nn.infer<nn::GatherNdOp>(boxes, nn.reshape(which, {rows, count, 1}), /*batchDims=*/1), best};
}

/// Keeps only the slots with the best scores in each row of `isTaken`, [images, slots], up to the limit per image.
Value keepBest(NnBuilder &nn, Value isTaken, Value scores, const Detection &read) {
  const int64_t slots = getShape(isTaken)[1];
  if (read.most < 0 || read.most >= slots)
    return isTaken;
  Value ranked = nn.select(isTaken, scores, nn.scalar(scores, -INFINITY));
  Value best = nn.topK(ranked, 1, read.most, /*smallest=*/false)[1];
  Type i32 = nn.types().getI32Type();
  Value none = nn.splat(RankedTensorType::get({read.images, slots}, i32), 0);
  Value ones = nn.splat(RankedTensorType::get({read.images, read.most}, i32), 1);
  Value isBest = nn.infer<nn::ScatterElementsOp>(nn::ScatterKind::Set, none, best, ones, /*axis=*/int64_t(1));
  return nn.binary(BinaryKind::And, isTaken, nn.binary(BinaryKind::Equal, isBest, 1.0));
}

/// Returns a row for each box: image, class, score, corners. Rows are sorted by image, then by class, and then by
/// descending score.
void importDetectionOutput(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  FailureOr<Detection> read = readDetection(node);
  if (failed(read))
    return;
  const int64_t sought = read->countSought(), rows = read->images * sought, count = read->candidates;
  Type i64 = nn.types().getI64Type(), f32 = nn.types().getF32Type();
  auto scalar = [&](Type type, double value) { return nn.splat(RankedTensorType::get({}, type), value); };
  auto [boxes, scores] = findCandidates(node, *read);
  if (!boxes || !scores)
    return;
  // A box with swapped corners has no area.
  Value lower = nn.slice(boxes, 2, 0, 2),
        proper = nn.concat({lower, nn.binary(BinaryKind::Max, lower, nn.slice(boxes, 2, 2, 2))}, 2);
  auto [selected, counts] =
      nn.nms({proper, scores, scalar(i64, double(count)), scalar(f32, read->overlap),
              read->confidence ? scalar(f32, *read->confidence) : Value(), count, /*centered=*/false});
  if (!selected)
    return;
  // There is a slot for each possible box: `count` slots per row.
  Value firstOfRow = nn.mul(nn.reshape(nn.counting(rows), {rows, 1, 1}), double(count));
  Value candidate = nn.reshape(nn.add(selected, firstOfRow), rows * count);
  Value slotScores = nn.gather(nn.reshape(scores, rows * count), candidate, 0);
  Value isTaken = nn.binary(BinaryKind::Less, nn.counting(count), counts);
  if (!slotScores || !isTaken)
    return;
  isTaken = keepBest(nn, nn.reshape(isTaken, {read->images, sought * count}),
                     nn.reshape(slotScores, {read->images, sought * count}), *read);
  Value slot = findTrue(nn, nn.reshape(isTaken, rows * count));
  Value image = nn.div(slot, double(sought * count));
  Value label = nn.binary(BinaryKind::Mod, nn.div(slot, double(count)), double(sought));
  if (sought < read->classes) // the classes after the background have an index that is 1 too small
    label = nn.add(label, nn.cast(nn.binary(BinaryKind::GreaterEqual, label, double(read->background)), i64));
  Value box = nn.gather(nn.reshape(boxes, {rows * count, 4}), nn.gather(candidate, slot, 0), 0);
  auto column = [&](Value value) { return value ? nn.reshape(nn.cast(value, f32), {rows * count, 1}) : Value(); };
  Value found = nn.concat({column(image), column(label), column(nn.gather(slotScores, slot, 0)), box}, 1);
  node.setResult(nn.reshape(found, {1, 1, rows * count, 7}));
}

} // namespace

void registerDetections(ImportRegistry &registry) {
  registry.add("DetectionOutput", 1,
               {{"location", Holds::Floats}, {"confidence", Holds::Floats}, {"priors", Holds::Floats}},
               importDetectionOutput);
  registry.setLimit("DetectionOutput", "`eta` 1; no row where nothing is found");
  registry.add("PriorBox", 1, {{"grid", Holds::Floats}, {"image", Holds::Floats}}, importPriorBox);
}

} // namespace nacre::importer::caffe_format
