// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resize and its predecessor Upsample.
//
// The node states scales or the output shape, and the names of rules. Each axis gets a table. If only spatial axes
// change, the channels are moved to the end.

#include "compiler/import/compositions/Resampling.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/movement/Handlers.h"
#include "dialects/NumberText.h"

#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

/// Change of one axis.
struct AxisSampling {
  int64_t size;
  Scale scale = {};
  Region region = {};
};
/// Changes of all axes of the operand.
using Sampling = SmallVector<AxisSampling>;

Sampling keepAxes(Ints shape) {
  return llvm::map_to_vector(shape, [](int64_t size) { return AxisSampling{size}; });
}

/// Rules for the elements of the result.
struct Method {
  nn::Interpolation interpolation = nn::Interpolation::Nearest;
  CoordinateRule rule = CoordinateRule::Asymmetric;
  Rounding rounding = Rounding::Floor;
  Rounding roundingIfSmaller = Rounding::Floor; ///< rounding on axes whose scale is less than 1
  Cubic cubic = {};
  bool antialias = false;
  double outside = 0; ///< value of CropAndResize outside of the image
};

//===----------------------------------------------------------------------===//
// 1. Scales and shape
//===----------------------------------------------------------------------===//

FailureOr<Sampling> fromScales(OperandBinder &node, ArrayRef<double> scales, Ints axes) {
  Ints input = getShape(node.getOperand(0));
  if (scales.size() != axes.size())
    return node.error() << "there must be as many scales as axes, " << axes.size() << ", but there are "
                        << scales.size();
  Sampling result = keepAxes(input);
  for (auto [axis, scale] : llvm::zip_equal(axes, scales)) {
    // Computed in single precision like the scales and in other runtimes: 10 * 1.3f is 13 there, but 12.99 in double.
    const auto factor = static_cast<float>(scale);
    double size = std::floor(static_cast<float>(input[axis]) * factor);
    if (!(factor > 0) || !(size <= INT32_MAX))
      return node.error() << "scales must be positive and result in sizes of at most " << INT32_MAX << ", but axis "
                          << axis << " of " << describe(node.getOperand(0)) << " is scaled by "
                          << describeNumber(scale);
    result[axis] = {static_cast<int64_t>(size), {1, 1, factor}};
  }
  return result;
}

/// Reports an error unless positions on an axis of `extent` elements fit in 32-bit integers.
bool checkExtent(OperandBinder &node, int64_t extent) {
  if (extent <= INT32_MAX)
    return true;
  node.error() << "a resized axis must have " << INT32_MAX << " elements or fewer, but one of "
               << describe(node.getOperand(0)) << " has " << extent;
  return false;
}

bool isLess(const Scale &a, const Scale &b) { return a.to * b.from < b.to * a.from; }

/// Sets the scales of `axes` to the smallest or the largest of their scales. Sets the sizes accordingly, with halves
/// rounded up.
LogicalResult keepAspectRatio(OperandBinder &node, Ints axes, StringRef policy, Sampling &sampling) {
  Ints input = getShape(node.getOperand(0));
  if (!llvm::all_of(axes, [&](int64_t axis) { return checkExtent(node, input[axis]); }))
    return failure();
  auto scales = llvm::map_to_vector(axes, [&](int64_t axis) { return sampling[axis].scale; });
  const Scale scale = policy == "not_larger" ? *llvm::min_element(scales, isLess) : *llvm::max_element(scales, isLess);
  for (int64_t axis : axes) {
    const int64_t product = input[axis] * scale.to, rest = product % scale.from;
    const int64_t size = product / scale.from + (rest >= scale.from - rest ? 1 : 0);
    if (size > INT32_MAX) {
      node.error() << "sizes must be " << INT32_MAX << " or less if the aspect ratio is kept, but axis " << axis
                   << " becomes " << size;
      return failure();
    }
    sampling[axis] = {size, scale};
  }
  return success();
}

FailureOr<Sampling> fromSizes(OperandBinder &node, Ints sizes, Ints axes, StringRef policy) {
  Ints input = getShape(node.getOperand(0));
  if (sizes.size() != axes.size())
    return node.error() << "there must be as many sizes as axes, " << axes.size() << ", but there are " << sizes.size();
  Sampling result = keepAxes(input);
  for (auto [axis, size] : llvm::zip_equal(axes, sizes)) {
    if (size < 1 || size > INT32_MAX || input[axis] == 0)
      return node.error() << "sizes must lie between 1 and " << INT32_MAX << " and the input have elements, but axis "
                          << axis << " of " << describe(node.getOperand(0)) << " becomes " << size;
    result[axis] = {size, {size, input[axis]}};
  }
  if (policy != "stretch" && !axes.empty() && failed(keepAspectRatio(node, axes, policy, result)))
    return failure();
  return result;
}

/// Returns the axes to which scales, sizes and regions refer.
FailureOr<SmallVector<int64_t>> readResizedAxes(OperandBinder &node) {
  int64_t rank = getRank(node.getOperand(0));
  if (!node.has("axes"))
    return axisRange(0, rank);
  return node.getAxes(node.getInts("axes"), rank);
}

/// Reads scales from operand `scalesIndex`, or sizes from the next operand. The other operand is missing or empty.
FailureOr<Sampling> readSampling(OperandBinder &node, size_t scalesIndex, Ints axes) {
  StringRef policy = node.getChoice("keep_aspect_ratio_policy", {"stretch", "not_larger", "not_smaller"});
  auto given = [&](size_t index) {
    Value operand = node.getOperand(index);
    return operand && (getRank(operand) != 1 || getShape(operand)[0] > 0);
  };
  bool hasScales = given(scalesIndex), hasSizes = given(scalesIndex + 1);
  if (hasScales == hasSizes)
    return node.error() << "must have either " << node.nameOf(scalesIndex) << " or " << node.nameOf(scalesIndex + 1)
                        << ", but has " << (hasScales ? "both" : "neither") << "; omit the other one "
                        << "or leave it empty";
  if (hasScales) {
    FailureOr<SmallVector<double>> numbers = node.getNumbers(scalesIndex);
    if (failed(numbers))
      return failure();
    return fromScales(node, *numbers, axes);
  }
  FailureOr<SmallVector<int64_t>> numbers = node.getIntegers(scalesIndex + 1);
  if (failed(numbers))
    return failure();
  return fromSizes(node, *numbers, axes, policy);
}

/// Reads the regions of `tf_crop_and_resize`: the begins of all axes, and then the ends.
LogicalResult readRegions(OperandBinder &node, size_t index, Ints axes, Sampling &sampling) {
  if (!node.getOperand(index)) {
    node.error() << "must have " << node.nameOf(index)
                 << ", because coordinate_transformation_mode is tf_crop_and_resize, but does not";
    return failure();
  }
  FailureOr<SmallVector<double>> numbers = node.getNumbers(index);
  if (failed(numbers))
    return failure();
  if (numbers->size() != 2 * axes.size() ||
      llvm::any_of(*numbers, [](double number) { return !(std::abs(number) < INT32_MAX); })) {
    node.error() << node.nameOf(index) << " must hold the starts and ends of " << describeCount(axes.size(), "axis")
                 << ", but holds " << describeCount(numbers->size(), "number");
    return failure();
  }
  for (auto [number, axis] : llvm::enumerate(axes))
    sampling[axis].region = {static_cast<float>((*numbers)[number]),
                             static_cast<float>((*numbers)[axes.size() + number])};
  return success();
}

//===----------------------------------------------------------------------===//
// 2. Names of rules
//===----------------------------------------------------------------------===//

nn::Interpolation readInterpolation(OperandBinder &node, bool hasCubic) {
  StringRef mode = node.getString("mode", "nearest");
  if (mode == "linear" || mode == "bilinear")
    return nn::Interpolation::Linear;
  if (mode == "cubic" && hasCubic)
    return nn::Interpolation::Cubic;
  if (mode != "nearest")
    node.error() << "attribute 'mode' must be nearest" << (hasCubic ? ", linear or cubic" : " or linear")
                 << ", but is '" << mode << "'";
  return nn::Interpolation::Nearest;
}

CoordinateRule readRule(OperandBinder &node) {
  constexpr std::pair<StringLiteral, CoordinateRule> rules[] = {
      {"half_pixel", CoordinateRule::HalfPixel},
      {"half_pixel_symmetric", CoordinateRule::HalfPixelSymmetric},
      {"pytorch_half_pixel", CoordinateRule::HalfPixelUnlessOne},
      {"asymmetric", CoordinateRule::Asymmetric},
      {"align_corners", CoordinateRule::AlignCorners},
      {"tf_half_pixel_for_nn", CoordinateRule::HalfPixelForNearest},
      {"tf_crop_and_resize", CoordinateRule::CropAndResize},
  };
  SmallVector<StringRef> names;
  for (const auto &rule : rules)
    names.push_back(rule.first);
  StringRef name = node.getChoice("coordinate_transformation_mode", names);
  return llvm::find_if(rules, [&](const auto &rule) { return rule.first == name; })->second;
}

Method readMethod(OperandBinder &node) {
  Method method;
  method.interpolation = readInterpolation(node, /*hasCubic=*/true);
  method.rule = readRule(node);
  method.rounding = llvm::StringSwitch<Rounding>(
                        node.getChoice("nearest_mode", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}))
                        .Case("round_prefer_ceil", Rounding::RoundPreferCeil)
                        .Case("floor", Rounding::Floor)
                        .Case("ceil", Rounding::Ceil)
                        .Default(Rounding::RoundPreferFloor);
  method.roundingIfSmaller = method.rounding;
  method.cubic = {node.getFloat("cubic_coeff_a", -0.75), node.getFlag("exclude_outside", false)};
  method.antialias = node.getFlag("antialias", false);
  method.outside = node.getFloat("extrapolation_value", 0);
  return method;
}

//===----------------------------------------------------------------------===//
// 3. Tables
//===----------------------------------------------------------------------===//

/// Returns the table of a resized axis, or `nullopt` after an error.
std::optional<AxisTable> makeTable(OperandBinder &node, const Resize &resize, Region region, const Method &method) {
  bool isCubic = method.interpolation == nn::Interpolation::Cubic;
  const double scale = resize.scale.getValue();
  bool isStretched = method.antialias && scale < 1 && method.interpolation != nn::Interpolation::Nearest;
  if (!checkExtent(node, resize.input) || !allowsTable(node.nn, resize.output,
                                                       isStretched ? countStretchedTaps(scale, isCubic)
                                                       : isCubic   ? 4
                                                                   : 2))
    return std::nullopt;
  Coordinates coordinates = mapCoordinates(resize, method.rule, region);
  if (isStretched)
    return interpolateStretched(coordinates, resize.input, scale, isCubic ? &method.cubic : nullptr,
                                method.cubic.excludeOutside);
  if (isCubic)
    return interpolateCubic(coordinates, resize.input, method.cubic);
  if (method.interpolation == nn::Interpolation::Linear)
    return interpolateLinear(coordinates, resize.input);
  bool isExact = !resize.scale.stated && method.rule != CoordinateRule::CropAndResize;
  return takeNearest(coordinates, resize.input, scale < 1 ? method.roundingIfSmaller : method.rounding,
                     isExact ? 0 : middleTolerance);
}

/// Returns `y`, which is `x` cropped and resized, but with `outside` at positions outside of `x`.
Value extrapolate(NnBuilder &nn, Value x, Value y, const Sampling &sampling, double outside) {
  for (auto [axis, from, to] : llvm::enumerate(getShape(x), sampling)) {
    SmallVector<bool> isInside;
    for (double at : mapCoordinates({from, to.size, to.scale}, CoordinateRule::CropAndResize, to.region))
      isInside.push_back(at >= 0 && at <= static_cast<double>(from - 1));
    if (llvm::all_of(isInside, [](bool inside) { return inside; }))
      continue;
    SmallVector<int64_t> shape(sampling.size() - axis, 1);
    shape.front() = to.size;
    auto type = RankedTensorType::get(shape, nn.types().getI1Type());
    y = nn.select(nn.constant(DenseElementsAttr::get(type, ArrayRef<bool>(isInside))), y, nn.scalar(y, outside));
  }
  return y;
}

void resize(OperandBinder &node, Sampling sampling, const Method &method) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  bool crops = method.rule == CoordinateRule::CropAndResize;
  // Almost every rule then maps each index to itself. ONNX Runtime does not change such an axis even with
  // tf_half_pixel_for_nn.
  auto isKept = [&](int64_t size, const AxisSampling &axis) {
    return size == axis.size && axis.scale.getValue() == 1 &&
           (!crops || (axis.region.begin == 0 && axis.region.end == 1));
  };
  if (!node.checkFits(llvm::map_to_vector(sampling, [](const AxisSampling &axis) { return axis.size; })))
    return;
  bool isSpatial = getRank(x) >= 3 && isKept(getShape(x)[0], sampling[0]) && isKept(getShape(x)[1], sampling[1]);
  if (isSpatial) {
    x = nn.toChannelsLast(x);
    if (!x)
      return node.fail();
    std::rotate(sampling.begin() + 1, sampling.begin() + 2, sampling.end());
  }
  SmallVector<ResampledAxis> axes;
  for (auto [axis, from, to] : llvm::enumerate(getShape(x), sampling)) {
    if (isKept(from, to))
      continue;
    std::optional<AxisTable> table = makeTable(node, {from, to.size, to.scale}, to.region, method);
    if (!table) {
      node.setResult(Value());
      return;
    }
    axes.push_back({static_cast<int64_t>(axis), std::move(*table)});
  }
  Value y = resample(nn, x, axes);
  if (crops)
    y = extrapolate(nn, x, y, sampling, method.outside);
  node.setResult(isSpatial ? nn.toChannelsFirst(y) : y);
}

/// Imports Resize since version 11.
void importResize(OperandBinder &node) {
  FailureOr<SmallVector<int64_t>> axes = readResizedAxes(node);
  if (failed(axes))
    return;
  FailureOr<Sampling> sampling = readSampling(node, 2, *axes);
  Method method = readMethod(node);
  if (failed(sampling) || node.hasFailed())
    return;
  if (method.rule == CoordinateRule::CropAndResize && failed(readRegions(node, 1, *axes, *sampling)))
    return;
  resize(node, std::move(*sampling), method);
}

/// Returns the scales of Upsample before version 7, which are attributes for rows and columns.
SmallVector<double> readScales1(OperandBinder &node) {
  SmallVector<double> scales(std::max<int64_t>(getRank(node.getOperand(0)), 2), 1);
  scales.end()[-2] = node.getFloat("height_scale", 1);
  scales.back() = node.getFloat("width_scale", 1);
  return scales;
}

/// Imports Resize of version 10, and Upsample. They only have scales, and one rule for coordinates. If the image
/// becomes smaller, ONNX's own test and ONNX Runtime take the element after a position.
void importUpsample(OperandBinder &node) {
  Method method;
  if (node.getOp() == "Resize")
    method.roundingIfSmaller = Rounding::Ceil;
  method.interpolation = readInterpolation(node, /*hasCubic=*/false);
  SmallVector<double> scales = node.getVersion() < 7 ? readScales1(node) : node.getFloats("scales");
  if (node.getOperand(1)) {
    FailureOr<SmallVector<double>> given = node.getNumbers(1);
    if (failed(given))
      return;
    scales = std::move(*given);
  }
  if (node.hasFailed())
    return;
  FailureOr<Sampling> sampling = fromScales(node, scales, axisRange(0, getRank(node.getOperand(0))));
  if (succeeded(sampling))
    resize(node, std::move(*sampling), method);
}

} // namespace

void registerResizes(ImportRegistry &registry) {
  registry.add("Upsample", 1, {{"X", Holds::Numbers}}, importUpsample);
  registry.add("Upsample", 9, {{"X", Holds::Numbers}, {"scales", Holds::Floats}}, importUpsample);
  registry.add("Resize", 10, {{"X", Holds::Numbers}, {"scales", Holds::Floats}}, importUpsample);
  registry.add("Resize", 11, {{"X", Holds::Numbers}, {"roi?"}, {"scales?", Holds::Floats}, {"sizes?", Holds::Integers}},
               importResize);
}

} // namespace nacre::importer::onnx_format
