// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resize and its predecessor Upsample.
//
// How:  1. scales and output shape, from whichever of the two the node gives,
//       2. the coordinate rule,
//       3. one `nn.resize`, channels last where only spatial axes change.

#include "compiler/import/onnx/Handlers.h"

#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

struct Sampling {
  SmallVector<int64_t> shape;
  SmallVector<double> scales;
};

//===----------------------------------------------------------------------===//
// 1. Scales and shape
//===----------------------------------------------------------------------===//

FailureOr<Sampling> fromScales(OperandBinder &node, ArrayRef<double> scales, Ints axes) {
  Ints input = getShape(node.getOperand(0));
  if (scales.size() != axes.size())
    return node.error() << "scales must be as many as axes, " << axes.size() << ", but are " << scales.size();
  Sampling result{llvm::to_vector(input), SmallVector<double>(input.size(), 1)};
  for (auto [axis, scale] : llvm::zip_equal(axes, scales)) {
    // In single precision, as the scales are and as other runtimes do it: 10 * 1.3f is 13 there, and 12.99 in double.
    double size = std::floor(static_cast<float>(input[axis]) * static_cast<float>(scale));
    if (!(scale > 0) || !(size <= INT32_MAX))
      return node.error() << "scales must be positive and give sizes of " << INT32_MAX << " at most, but axis " << axis
                          << " of " << describe(node.getOperand(0)) << " is scaled by " << scale;
    result.scales[axis] = scale;
    result.shape[axis] = static_cast<int64_t>(size);
  }
  return result;
}

FailureOr<Sampling> fromSizes(OperandBinder &node, Ints sizes, Ints axes, StringRef policy) {
  Ints input = getShape(node.getOperand(0));
  if (sizes.size() != axes.size())
    return node.error() << "sizes must be as many as axes, " << axes.size() << ", but are " << sizes.size();
  Sampling result{llvm::to_vector(input), SmallVector<double>(input.size(), 1)};
  for (auto [axis, size] : llvm::zip_equal(axes, sizes)) {
    if (size < 1 || size > INT32_MAX || input[axis] == 0)
      return node.error() << "sizes must lie between 1 and " << INT32_MAX << " and the input have elements, but axis "
                          << axis << " of " << describe(node.getOperand(0)) << " becomes " << size;
    result.shape[axis] = size;
    result.scales[axis] = static_cast<double>(size) / static_cast<double>(input[axis]);
  }
  if (policy == "stretch" || axes.empty())
    return result;
  auto scaleOf = [&](int64_t axis) { return result.scales[axis]; };
  auto candidates = llvm::to_vector(llvm::map_range(axes, scaleOf));
  double scale = policy == "not_larger" ? *llvm::min_element(candidates) : *llvm::max_element(candidates);
  for (int64_t axis : axes) {
    double size = std::floor(static_cast<double>(input[axis]) * scale + 0.5);
    if (!(size <= INT32_MAX))
      return node.error() << "sizes must be " << INT32_MAX << " at most when the aspect ratio is kept, but axis "
                          << axis << " becomes " << size;
    result.scales[axis] = scale;
    result.shape[axis] = static_cast<int64_t>(size);
  }
  return result;
}

/// Scales in operand `scalesIndex`, or sizes in the one after it. Either is left out or empty.
FailureOr<Sampling> readSampling(OperandBinder &node, size_t scalesIndex) {
  int64_t rank = getRank(node.getOperand(0));
  SmallVector<int64_t> axes = axisRange(0, rank);
  if (node.has("axes")) {
    FailureOr<SmallVector<int64_t>> given = node.getAxes(node.getInts("axes"), rank);
    if (failed(given))
      return failure();
    axes = std::move(*given);
  }
  StringRef policy = node.getChoice("keep_aspect_ratio_policy", {"stretch", "not_larger", "not_smaller"});
  auto given = [&](size_t index) {
    Value operand = node.getOperand(index);
    return operand && (getRank(operand) != 1 || getShape(operand)[0] > 0);
  };
  bool hasScales = given(scalesIndex), hasSizes = given(scalesIndex + 1);
  if (hasScales == hasSizes)
    return node.error() << "must have either " << node.nameOf(scalesIndex) << " or " << node.nameOf(scalesIndex + 1)
                        << ", but has " << (hasScales ? "both" : "neither")
                        << "; the one that is not meant is left out "
                        << "or has no elements";
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

//===----------------------------------------------------------------------===//
// 2. Coordinates
//===----------------------------------------------------------------------===//

std::optional<nn::ResizeKind> readKind(OperandBinder &node) {
  StringRef mode = node.getString("mode", "nearest");
  if (mode == "nearest")
    return nn::ResizeKind::Nearest;
  if (mode == "linear" || mode == "bilinear")
    return nn::ResizeKind::Linear;
  node.error() << "attribute 'mode' must be nearest or linear, but is '" << mode
               << "'; export the model with one of these";
  return std::nullopt;
}

std::optional<nn::Coordinates> readCoordinates(OperandBinder &node, const Sampling &sampling) {
  StringRef name = node.getString("coordinate_transformation_mode", "half_pixel");
  if (name == "half_pixel_symmetric") {
    // The same as half_pixel unless a size was rounded.
    Ints input = getShape(node.getOperand(0));
    bool isExact = llvm::all_of(llvm::zip_equal(input, sampling.shape, sampling.scales), [](auto axis) {
      auto [from, to, scale] = axis;
      return std::abs(static_cast<double>(from) * scale - static_cast<double>(to)) < 1e-6;
    });
    if (isExact)
      return nn::Coordinates::HalfPixel;
  }
  std::optional<nn::Coordinates> coordinates = nn::symbolizeCoordinates(name);
  if (!coordinates)
    node.error() << "attribute 'coordinate_transformation_mode' must be half_pixel, pytorch_half_pixel, asymmetric, "
                    "align_corners or tf_half_pixel_for_nn, but is '"
                 << name << "'; export the model with one of these";
  return coordinates;
}

std::optional<nn::Rounding> readRounding(OperandBinder &node) {
  return nn::symbolizeRounding(
      node.getChoice("nearest_mode", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}));
}

//===----------------------------------------------------------------------===//
// 3. The operator
//===----------------------------------------------------------------------===//

void resize(OperandBinder &node, nn::ResizeKind kind, Sampling sampling, nn::Coordinates coordinates,
            nn::Rounding rounding) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  if (!node.checkFits(sampling.shape))
    return;
  bool isSpatial = getRank(x) >= 3 && sampling.scales[0] == 1 && sampling.scales[1] == 1;
  if (!isSpatial) {
    node.setResult(nn.resize(kind, x, sampling.shape, sampling.scales, coordinates, rounding));
    return;
  }
  std::rotate(sampling.shape.begin() + 1, sampling.shape.begin() + 2, sampling.shape.end());
  std::rotate(sampling.scales.begin() + 1, sampling.scales.begin() + 2, sampling.scales.end());
  node.setResult(nn.toChannelsFirst(
      nn.resize(kind, nn.toChannelsLast(x), sampling.shape, sampling.scales, coordinates, rounding)));
}

/// Version 11 and later.
void importResize(OperandBinder &node) {
  node.ignore({"cubic_coeff_a", "exclude_outside", "extrapolation_value"}); // of modes that are refused
  std::optional<nn::ResizeKind> kind = readKind(node);
  FailureOr<Sampling> sampling = readSampling(node, 2);
  if (!kind || failed(sampling))
    return;
  std::optional<nn::Coordinates> coordinates = readCoordinates(node, *sampling);
  std::optional<nn::Rounding> rounding = readRounding(node);
  if (node.getFlag("antialias", false))
    node.error() << "attribute 'antialias' must be 0, but is 1; export the model without it";
  if (coordinates && rounding && !node.hasFailed())
    resize(node, *kind, std::move(*sampling), *coordinates, *rounding);
}

/// The scales of Upsample before version 7, of rows and columns.
SmallVector<double> readScales1(OperandBinder &node) {
  SmallVector<double> scales(std::max<int64_t>(getRank(node.getOperand(0)), 2), 1);
  scales.end()[-2] = node.getFloat("height_scale", 1);
  scales.back() = node.getFloat("width_scale", 1);
  return scales;
}

/// Resize of version 10 and Upsample: scales alone, one coordinate rule.
void importUpsample(OperandBinder &node) {
  std::optional<nn::ResizeKind> kind = readKind(node);
  SmallVector<double> scales = node.getVersion() < 7 ? readScales1(node) : node.getFloats("scales");
  if (node.getOperand(1)) {
    FailureOr<SmallVector<double>> given = node.getNumbers(1);
    if (failed(given))
      return;
    scales = std::move(*given);
  }
  if (!kind)
    return;
  FailureOr<Sampling> sampling = fromScales(node, scales, axisRange(0, getRank(node.getOperand(0))));
  if (succeeded(sampling))
    resize(node, *kind, std::move(*sampling), nn::Coordinates::Asymmetric, nn::Rounding::Floor);
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
