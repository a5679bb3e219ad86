// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that convert and change the colours of images. Channels are last.

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/tensorflow/operators/Handlers.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

using nn::BinaryKind;

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

} // namespace

void registerColours(ImportRegistry &registry) {
  registry.add("RGBToHSV", 1, {{"images", Holds::Floats}}, [](OperandBinder &node) { importColours(node, toHsv); });
  registry.add("HSVToRGB", 1, {{"images", Holds::Floats}}, [](OperandBinder &node) { importColours(node, toRgb); });
  registry.add("AdjustContrastv2", 1, {{"images", Holds::Floats}, {"contrast_factor", Holds::Floats}}, importContrast);
  registry.add("AdjustHue", 1, {{"images", Holds::Floats}, {"delta", Holds::Floats}}, importHue);
  registry.add("AdjustSaturation", 1, {{"images", Holds::Floats}, {"scale", Holds::Floats}}, importSaturation);
}

} // namespace nacre::importer::tensorflow_format
