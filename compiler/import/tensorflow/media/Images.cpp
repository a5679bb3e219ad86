// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that resize images, cut regions out of them, and draw frames in them. Channels are last.

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/compositions/Resampling.h"
#include "compiler/import/compositions/Sampling.h"
#include "compiler/import/compositions/Tables.h"
#include "compiler/import/tensorflow/operators/Handlers.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

using nn::BinaryKind;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Function that computes the taps for resampling one axis.
using MakeTable = AxisTable (*)(int64_t input, int64_t output, CornerRule rule);

struct ResizeRow {
  const char *op;
  MakeTable make;
  double taps; ///< largest number of taps of a position; 0 if all elements of the axis are taps
  bool keepsType;
};

constexpr ResizeRow resizeRows[] = {
    {"ResizeNearestNeighbor",
     [](int64_t input, int64_t output, CornerRule rule) {
       Rounding rounding = rule == CornerRule::AlignCorners ? Rounding::HalfAway : Rounding::Floor;
       return takeNearest(mapNearestInSinglePrecision(input, output, rule), input, rounding);
     },
     1, true},
    {"ResizeBilinear",
     [](int64_t input, int64_t output, CornerRule rule) {
       return interpolateLinear(mapInSinglePrecision(input, output, rule), input);
     },
     2, false},
    {"ResizeBicubic",
     [](int64_t input, int64_t output, CornerRule rule) {
       return interpolateCubicBySteps(mapInSinglePrecision(input, output, rule), input, rule);
     },
     4, false},
    {"ResizeArea", averageArea, 0, false},
};

/// Imports a resize. Without attributes, row i of the result is at position i * (old rows / new rows), and columns
/// likewise. Results are f32 for images of any type, except for the nearest neighbour.
void importResize(OperandBinder &node, const ResizeRow &row) {
  NnBuilder &nn = node.nn;
  bool alignsCorners = node.getFlag("align_corners", false), usesCenters = node.getFlag("half_pixel_centers", false);
  FailureOr<SmallVector<int64_t>> sizes = node.getIntegers(1);
  if (failed(sizes) || !node.checkRank(0, 4, 4) || !node.checkShape(1, 2, "rows and columns"))
    return;
  Value x = node.getOperand(0);
  SmallVector<int64_t> shape(getShape(x));
  for (auto [axis, size] : llvm::enumerate(*sizes)) {
    if (size < 1 || size > INT32_MAX || shape[axis + 1] < 1) {
      node.error() << node.nameOf(1) << " and the image must have 1 to " << INT32_MAX << " rows and columns, but are ["
                   << Ints(*sizes) << "] and " << describe(x);
      return;
    }
    shape[axis + 1] = size;
  }
  if (alignsCorners && usesCenters) {
    node.error() << "attributes 'align_corners' and 'half_pixel_centers' must not both be true, but are";
    return;
  }
  if (!node.checkFits(shape))
    return;
  CornerRule rule = alignsCorners ? CornerRule::AlignCorners
                    : usesCenters ? CornerRule::HalfPixelCenters
                                  : CornerRule::Asymmetric;
  if (!row.keepsType && getElementType(x) != nn.types().getF32Type())
    x = nn.cast(x, nn.types().getF32Type());
  SmallVector<ResampledAxis> axes;
  for (int64_t axis : {1, 2}) {
    int64_t input = getShape(node.getOperand(0))[axis], output = shape[axis];
    double taps = row.taps > 0 ? row.taps : static_cast<double>(input) / static_cast<double>(output) + 2;
    if (!allowsTable(nn, output, taps))
      return node.setResult({});
    axes.push_back({axis, row.make(input, output, rule)});
  }
  node.setResult(resample(nn, x, axes));
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Positions that are read along one axis of the image, [boxes, positions]. `isInside` is true for positions inside the
/// image.
struct ReadPositions {
  Value positions, isInside;
};

/// Returns `count` positions from `begin` to `end` of each box. `begin` and `end` are fractions: 0 is the middle of the
/// image's first element, and 1 is the middle of the last. A single position is the middle of the box.
ReadPositions placeInBoxes(NnBuilder &nn, Value begin, Value end, int64_t count, int64_t extent) {
  const auto last = static_cast<double>(extent - 1);
  Value positions;
  if (count > 1) {
    Value step = nn.div(nn.mul(nn.sub(end, begin), last), static_cast<double>(count - 1));
    Value numbers = nn.counting(count);
    numbers = numbers ? nn.cast(numbers, nn.types().getF32Type()) : Value();
    positions = nn.add(nn.mul(begin, last), nn.mul(step, numbers));
  } else {
    positions = nn.mul(nn.mul(nn.add(begin, end), 0.5), last);
  }
  Value isInside = nn.binary(BinaryKind::And, nn.binary(BinaryKind::GreaterEqual, positions, 0.0),
                             nn.binary(BinaryKind::LessEqual, positions, last));
  return {positions, isInside};
}

/// Rounds to the nearest integer, and x.5 up.
Value roundUp(NnBuilder &nn, Value x) {
  Value floor = nn.unary(nn::UnaryKind::Floor, x);
  return nn.select(nn.binary(BinaryKind::GreaterEqual, nn.sub(x, floor), 0.5), nn.add(floor, 1), floor);
}

/// Operands: image, boxes, box_ind, crop_size. The result is the part of an image in each box, resized.
void importCropAndResize(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  bool takesNearest = node.getChoice("method", {"bilinear", "nearest"}) == "nearest";
  double outside = node.getFloat("extrapolation_value", 0);
  FailureOr<SmallVector<int64_t>> sizes = node.getIntegers(3);
  if (failed(sizes) || !node.checkRank(0, 4, 4) || !node.checkRank(1, 2, 2) ||
      !node.checkShape(3, 2, "rows and columns"))
    return;
  Type f32 = nn.types().getF32Type();
  Value image = node.getOperand(0), boxes = nn.cast(node.getOperand(1), f32);
  if (!boxes)
    return node.setResult({});
  const int64_t number = getShape(boxes)[0], channels = getShape(image)[3];
  if (!node.checkShape(1, {number, 4}, "four corners of each box") ||
      !node.checkShape(2, number, "the image of each box"))
    return;
  const int64_t rows = (*sizes)[0], columns = (*sizes)[1];
  if (rows < 1 || columns < 1 || std::max(rows, columns) > INT32_MAX || llvm::is_contained(getShape(image), 0)) {
    node.error() << node.nameOf(3) << " and the image must have 1 to " << INT32_MAX << " rows and columns, but are ["
                 << Ints(*sizes) << "] and " << describe(image);
    return;
  }
  if (!node.checkFits({number, rows, columns, std::max<int64_t>(channels, 2)}))
    return;
  auto corner = [&](int64_t index) { return nn.slice(boxes, 1, index, 1); };
  auto [y, isRow] = placeInBoxes(nn, corner(0), corner(2), rows, getShape(image)[1]);
  auto [x, isColumn] = placeInBoxes(nn, corner(1), corner(3), columns, getShape(image)[2]);
  if (takesNearest) {
    y = roundUp(nn, y);
    x = roundUp(nn, x);
  }
  const SmallVector<int64_t> along{number, rows, 1, 1}, across{number, 1, columns, 1}, all{number, rows, columns, 1};
  Value row = nn.broadcast(nn.reshape(y, along), all), column = nn.broadcast(nn.reshape(x, across), all);
  if (!row || !column)
    return node.setResult({});
  SampleRule rule{takesNearest ? nn::Interpolation::Nearest : nn::Interpolation::Linear};
  Value pixels = sample(nn, rule, nn.cast(image, f32), nn.concat({row, column}, 3), node.getOperand(2));
  Value isInside = nn.binary(BinaryKind::And, nn.reshape(isRow, along), nn.reshape(isColumn, across));
  node.setResult(pixels ? nn.select(isInside, pixels, nn.scalar(pixels, outside)) : Value());
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

/// Returns the colours of frames, one in each row. Frame i has the colour i modulo the number of colours.
Value readFrameColours(OperandBinder &node, int64_t channels) {
  NnBuilder &nn = node.nn;
  constexpr float own[10][4] = {{1, 1, 0, 1},     {0, 0, 1, 1},   {1, 0, 0, 1},   {0, 1, 0, 1}, {.5F, 0, .5F, 1},
                                {.5F, .5F, 0, 1}, {.5F, 0, 0, 1}, {0, 0, .5F, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}};
  if (!node.getOperand(2) && channels <= 4)
    return makeTable<double>(nn, RankedTensorType::get({10, channels}, nn.types().getF32Type()), [&](int64_t index) {
      return channels == 1 ? 1 : own[index / channels][index % channels];
    });
  Value colours = node.getOperand(2);
  if (colours && getRank(colours) == 2 && getShape(colours)[0] > 0 && getShape(colours)[1] >= channels)
    return nn.slice(colours, 1, 0, channels);
  node.error() << "the colours must be rows of " << channels << " image channels, but are "
               << (colours ? describe(colours) : "TensorFlow's default ones, of 4");
  return {};
}

/// Draws frames of one pixel's width around boxes, whose corners are fractions of the image. Parts outside of the image
/// are not drawn.
void importFrames(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  constexpr int64_t mostBoxes = 256; // the importer adds operators for each box
  if (!node.checkRank(0, 4, 4) || !node.checkRank(1, 3, 3))
    return;
  Value x = node.getOperand(0), boxes = node.getOperand(1);
  SmallVector<int64_t> shape(getShape(x));
  const int64_t count = getShape(boxes)[1];
  if (!node.checkShape(1, {shape[0], std::min(count, mostBoxes), 4}, "two corners of each box, at most 256 boxes"))
    return;
  Value colours = readFrameColours(node, shape[3]);
  if (!colours)
    return;
  const double rows = static_cast<double>(shape[1]) - 1, columns = static_cast<double>(shape[2]) - 1;
  Value last = makeTable<double>(nn, RankedTensorType::get({4}, getElementType(boxes)),
                                 [&](int64_t index) { return index % 2 ? columns : rows; });
  Type type = getElementType(x), integer = nn.types().getI32Type();
  Value corners = nn.cast(nn.mul(boxes, last), integer);
  Value row = nn.cast(nn.reshape(nn.counting(shape[1]), {1, shape[1], 1, 1}), integer);
  Value column = nn.cast(nn.reshape(nn.counting(shape[2]), {1, 1, shape[2], 1}), integer);
  for (int64_t box = 0; box < count; ++box) {
    Value own = nn.slice(corners, 1, box, 1);
    auto corner = [&](int64_t index) { return nn.reshape(nn.slice(own, 2, index, 1), {shape[0], 1, 1, 1}); };
    auto compare = [&](BinaryKind kind, Value place, int64_t index) { return nn.binary(kind, place, corner(index)); };
    auto both = [&](Value a, Value b) { return nn.binary(BinaryKind::And, a, b); };
    auto either = [&](Value a, Value b) { return nn.binary(BinaryKind::Or, a, b); };
    Value inRows = both(compare(BinaryKind::GreaterEqual, row, 0), compare(BinaryKind::LessEqual, row, 2));
    Value inColumns = both(compare(BinaryKind::GreaterEqual, column, 1), compare(BinaryKind::LessEqual, column, 3));
    Value onRow = either(compare(BinaryKind::Equal, row, 0), compare(BinaryKind::Equal, row, 2));
    Value onColumn = either(compare(BinaryKind::Equal, column, 1), compare(BinaryKind::Equal, column, 3));
    Value isFrame = both(both(inRows, inColumns), either(onRow, onColumn));
    Value colour = nn.reshape(nn.slice(colours, 0, box % getShape(colours)[0], 1), {1, 1, 1, shape[3]});
    x = nn.select(isFrame, nn.cast(colour, type), x);
  }
  node.setResult(x);
}

} // namespace

void registerImages(ImportRegistry &registry) {
  for (const ResizeRow &row : resizeRows)
    registry.add(row.op, 1, {{"images", Holds::Numbers}, {"size", Holds::Indices}},
                 [&row](OperandBinder &node) { importResize(node, row); });
  registry.add(
      "CropAndResize", 1,
      {{"image", Holds::Numbers}, {"boxes", Holds::Floats}, {"box_ind", Holds::Indices}, {"crop_size", Holds::Indices}},
      importCropAndResize);
  registry.add("DrawBoundingBoxes", 1, {{"images", Holds::Floats}, {"boxes", Holds::Floats}}, importFrames);
  registry.add("DrawBoundingBoxesV2", 1,
               {{"images", Holds::Floats}, {"boxes", Holds::Floats}, {"colors", Holds::Floats}}, importFrames);
}

} // namespace nacre::importer::tensorflow_format
