// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that resize images, convert their colours, and draw frames in them. Channels are last.

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
// Colours
//===----------------------------------------------------------------------===//

/// Three values along the last axis: red, green and blue, or hue, saturation and value.
struct Colour {
  Value first, second, third;
};

Colour split(NnBuilder &nn, Value image) {
  auto channel = [&](int64_t index) { return nn.slice(image, getRank(image) - 1, index, 1); };
  return {channel(0), channel(1), channel(2)};
}

Value join(NnBuilder &nn, const Colour &colour) {
  return colour.first ? nn.concat({colour.first, colour.second, colour.third}, getRank(colour.first) - 1) : Value();
}

Value getRange(NnBuilder &nn, const Colour &rgb) {
  Value most = nn.binary(BinaryKind::Max, nn.binary(BinaryKind::Max, rgb.first, rgb.second), rgb.third);
  Value least = nn.binary(BinaryKind::Min, nn.binary(BinaryKind::Min, rgb.first, rgb.second), rgb.third);
  return nn.sub(most, least);
}

/// Converts RGB to HSV, with a hue from 0 to 1.
Colour toHsv(NnBuilder &nn, const Colour &rgb) {
  auto [red, green, blue] = rgb;
  Value value = nn.binary(BinaryKind::Max, nn.binary(BinaryKind::Max, red, green), blue);
  Value range = getRange(nn, rgb), zero = nn.scalar(value, 0);
  auto isPositive = [&](Value x) { return nn.binary(BinaryKind::Greater, x, 0.0); };
  Value saturation = nn.select(isPositive(value), nn.div(range, value), zero);
  auto turn = [&](Value ahead, Value behind, double begin) {
    return nn.add(nn.div(nn.sub(ahead, behind), nn.mul(range, 6)), begin);
  };
  Value hue =
      nn.select(nn.binary(BinaryKind::Equal, green, value), turn(blue, red, 1.0 / 3), turn(red, green, 2.0 / 3));
  hue = nn.select(nn.binary(BinaryKind::Equal, red, value), turn(green, blue, 0), hue);
  hue = nn.select(isPositive(range), hue, zero);
  hue = nn.select(nn.binary(BinaryKind::Less, hue, 0.0), nn.add(hue, 1), hue);
  return {hue, saturation, value};
}

/// Converts HSV to RGB. The largest component equals the value. The smallest one is value * (1 - saturation).
Colour toRgb(NnBuilder &nn, const Colour &hsv) {
  Value turn = nn.mul(hsv.first, 6), value = hsv.third, range = nn.mul(hsv.second, value);
  // Each component has its largest value over a third of the hue circle, and decreases on both sides.
  auto share = [&](double middle, double sign, double offset) {
    Value distance = nn.unary(nn::UnaryKind::Abs, nn.add(turn, -middle));
    Value part = clamp(nn, nn.add(nn.mul(distance, sign), offset), 0, 1);
    return nn.sub(value, nn.mul(range, nn.sub(nn.scalar(value, 1), part)));
  };
  return {share(3, 1, -1), share(2, -1, 2), share(4, -1, 2)};
}

/// True if the image has three channels; otherwise reports an error.
bool checkColours(OperandBinder &node) {
  if (!node.checkRank(0, 1))
    return false;
  if (getShape(node.getOperand(0)).back() == 3)
    return true;
  node.error() << node.nameOf(0) << " must have 3 channels along its last axis, but is "
               << describe(node.getOperand(0));
  return false;
}

void importColours(OperandBinder &node, Colour (*convert)(NnBuilder &, const Colour &)) {
  if (checkColours(node))
    node.setResult(join(node.nn, convert(node.nn, split(node.nn, node.getOperand(0)))));
}

/// The hue from 0 to 6, and the smallest and largest component of a colour. Computed in f32 even for f64 images, like
/// TensorFlow's kernel.
struct Hue {
  Value hue, least, most;
};

Hue findHue(NnBuilder &nn, const Colour &rgb) {
  Value red = rgb.first, green = rgb.second, blue = rgb.third;
  auto larger = [&](Value a, Value b) { return nn.binary(BinaryKind::Max, a, b); };
  auto smaller = [&](Value a, Value b) { return nn.binary(BinaryKind::Min, a, b); };
  auto isLess = [&](Value a, Value b) { return nn.binary(BinaryKind::Less, a, b); };
  auto number = [&](double value) { return nn.scalar(red, value); };
  Value most = larger(larger(red, green), blue), least = smaller(smaller(red, green), blue);
  Value middle = larger(smaller(red, green), smaller(larger(red, green), blue));
  // The three components can be in six orders by size. In even orders, the middle component increases with the hue.
  Value share = nn.div(nn.sub(middle, least), nn.sub(most, least));
  Value up = share, down = nn.sub(number(1), share);
  auto order = [&](double category, Value part) { return nn.add(part, category); };
  Value greenMost =
      nn.select(isLess(blue, red), order(1, down), nn.select(isLess(green, blue), order(3, down), order(2, up)));
  Value redMost =
      nn.select(isLess(blue, green), order(0, up), nn.select(isLess(red, blue), order(4, up), order(5, down)));
  Value hue = nn.select(isLess(red, green), greenMost, redMost);
  return {nn.select(nn.binary(BinaryKind::Equal, most, least), number(0), hue), least, most};
}

Colour fromHue(NnBuilder &nn, const Hue &of) {
  Value category = nn.unary(nn::UnaryKind::Floor, of.hue), share = nn.sub(of.hue, category);
  auto is = [&](double number) { return nn.binary(BinaryKind::Equal, category, number); };
  auto isOneOf = [&](double a, double b) { return nn.binary(BinaryKind::Or, is(a), is(b)); };
  Value isDown = nn.binary(BinaryKind::Or, isOneOf(1, 3), is(5));
  share = nn.select(isDown, nn.sub(nn.scalar(share, 1), share), share);
  Value middle = nn.add(nn.mul(share, nn.sub(of.most, of.least)), of.least);
  // Each component is the largest in two orders, the middle one in two, and the smallest in two.
  auto part = [&](double most1, double most2, double middle1, double middle2) {
    return nn.select(isOneOf(most1, most2), of.most, nn.select(isOneOf(middle1, middle2), middle, of.least));
  };
  return {part(0, 5, 1, 4), part(1, 2, 0, 3), part(3, 4, 2, 5)};
}

void importHue(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  if (!checkColours(node) || !node.checkShape(1, {}, "one element"))
    return;
  Hue hue = findHue(nn, split(nn, node.getOperand(0)));
  Value turn = nn.mul(nn.cast(node.getOperand(1), getElementType(node.getOperand(0))), 6);
  hue.hue = nn.binary(BinaryKind::Mod, nn.add(hue.hue, turn), 6.0);
  // Adding 6 to a remainder just below 0 may round to 6.
  hue.hue = nn.select(nn.binary(BinaryKind::GreaterEqual, hue.hue, 6.0), nn.scalar(hue.hue, 0), hue.hue);
  node.setResult(join(nn, fromHue(nn, hue)));
}

void importSaturation(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  if (!checkColours(node) || !node.checkShape(1, {}, "one element"))
    return;
  Colour hsv = toHsv(nn, split(nn, node.getOperand(0)));
  Value scale = nn.cast(node.getOperand(1), getElementType(node.getOperand(0)));
  hsv.second = clamp(nn, nn.mul(hsv.second, scale), 0, 1);
  node.setResult(join(nn, toRgb(nn, hsv)));
}

/// Imports AdjustContrast: scales the distances from the mean, for each channel of each image.
void importContrast(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  if (!node.checkRank(0, 3) || !node.checkShape(1, {}, "one element"))
    return;
  Type type = getElementType(x);
  Value wide = nn.cast(x, nn.types().getF32Type()), factor = nn.cast(node.getOperand(1), nn.types().getF32Type());
  auto average = [&](Value of) {
    return nn.reduce(nn::ReduceKind::Mean, of, axisRange(getRank(x) - 3, getRank(x) - 1), /*keepDims=*/true);
  };
  // The mean of the differences is the rounding error of the first mean.
  Value mean = average(wide);
  mean = nn.add(mean, average(nn.sub(wide, mean)));
  Value result = nn.add(nn.mul(nn.sub(wide, mean), factor), mean);
  node.setResult(result ? nn.cast(result, type) : Value());
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
  registry.add("RGBToHSV", 1, {{"images", Holds::Floats}}, [](OperandBinder &node) { importColours(node, toHsv); });
  registry.add("HSVToRGB", 1, {{"images", Holds::Floats}}, [](OperandBinder &node) { importColours(node, toRgb); });
  registry.add("AdjustContrastv2", 1, {{"images", Holds::Floats}, {"contrast_factor", Holds::Floats}}, importContrast);
  registry.add("AdjustHue", 1, {{"images", Holds::Floats}, {"delta", Holds::Floats}}, importHue);
  registry.add("AdjustSaturation", 1, {{"images", Holds::Floats}, {"scale", Holds::Floats}}, importSaturation);
}

} // namespace nacre::importer::tensorflow_format
