// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers of FlowNet's Caffe that match pixels of two images: Correlation, FlowWarp, Resample, Accum.

#include "compiler/import/caffe/Handlers.h"
#include "compiler/import/compositions/Resampling.h"
#include "compiler/import/compositions/Sampling.h"

#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace nacre::importer::caffe_format {
namespace {

/// Spatial axes of images whose channels are last.
constexpr int64_t spatial[] = {1, 2};

bool checkImages(OperandBinder &node, size_t count) {
  for (size_t index = 0; index < count; ++index) {
    if (!node.checkRank(index, 4, 4))
      return false;
    if (getShape(node.getOperand(index)).front() != getShape(node.getOperand(0)).front()) {
      node.error() << node.nameOf(index) << " must have the batch of " << node.nameOf(0) << ", "
                   << getShape(node.getOperand(0)).front() << ", but is " << describe(node.getOperand(index));
      return false;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Correlation
//===----------------------------------------------------------------------===//

struct Windows {
  int64_t pad, size, reach, stride, step; ///< `reach` is the largest displacement, and `step` the distance between
                                          ///< displacements
  bool takesDifference;

  int64_t getResultSize(int64_t extent) const {
    return llvm::divideCeil(extent + 2 * pad - 2 * (reach + (size - 1) / 2), stride);
  }
};

std::optional<Windows> readWindows(OperandBinder &node) {
  constexpr int64_t most = 1 << 12;
  auto read = [&](StringRef name, int64_t missing, int64_t low) {
    const int64_t value = node.getInt(name, missing);
    if (value < low || value > most)
      node.error() << "parameter '" << name << "' must lie between " << low << " and " << most << ", but is " << value;
    return value;
  };
  Windows windows;
  windows.pad = read("pad", 0, 0);
  windows.size = read("kernel_size", 0, 1);
  windows.reach = read("max_displacement", -1, 0);
  windows.stride = read("stride_1", 1, 1);
  windows.step = read("stride_2", 1, 1);
  windows.takesDifference = node.getChoice("correlation_type", {"MULTIPLY", "SUBTRACT"}) == "SUBTRACT";
  if (windows.size % 2 == 0)
    node.error() << "parameter 'kernel_size' must be odd, but is " << windows.size;
  if (node.getInt("single_direction", 0) != 0)
    node.error() << "parameter 'single_direction' must be 0, because displacements in both directions are compared";
  return node.hasFailed() ? std::nullopt : std::optional(windows);
}

/// Returns the mean product of two windows, one per image, for every displacement of the second one.
Value correlate(NnBuilder &nn, Value left, Value right, const Windows &windows, Ints results) {
  const int64_t most = windows.reach / windows.step;
  auto window = [&](Value image, int64_t row, int64_t column) {
    const int64_t starts[] = {windows.reach + row, windows.reach + column};
    for (size_t axis = 0; axis < 2; ++axis)
      image = nn.slice(image, spatial[axis], starts[axis], (results[axis] - 1) * windows.stride + windows.size);
    return image;
  };
  Value fixed = window(left, 0, 0);
  SmallVector<Value> maps;
  for (int64_t row = -most; row <= most; ++row)
    for (int64_t column = -most; column <= most; ++column) {
      Value moved = window(right, row * windows.step, column * windows.step);
      Value matches =
          windows.takesDifference ? nn.unary(nn::UnaryKind::Abs, nn.sub(fixed, moved)) : nn.mul(fixed, moved);
      Value means = nn.reduce(nn::ReduceKind::Mean, matches, {3}, /*keepDims=*/true);
      if (windows.size > 1 || windows.stride > 1)
        means = nn.pool(nn::PoolKind::Average, means, {windows.size, windows.size}, {windows.stride, windows.stride},
                        /*pads=*/{0, 0, 0, 0}, /*dilations=*/{1, 1}, /*overhang=*/{0, 0}, /*countPadding=*/false);
      maps.push_back(means);
    }
  return nn.concat(maps, 3);
}

void importCorrelation(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  const std::optional<Windows> windows = readWindows(node);
  if (!windows || !checkImages(node, 2) ||
      !node.checkShape(1, getShape(node.getOperand(0)), "the shape of the image that it is compared with"))
    return;
  const Ints shape = getShape(node.getOperand(0));
  const int64_t across = 2 * (windows->reach / windows->step) + 1;
  constexpr int64_t mostMaps = 4096;
  const SmallVector<int64_t> results = {windows->getResultSize(shape[2]), windows->getResultSize(shape[3])};
  if (results[0] < 1 || results[1] < 1 || across * across > mostMaps) {
    node.error() << "must compare windows that lie within both padded images, for at most " << mostMaps
                 << " displacements, but computes " << across * across << " maps of " << results[0] << "x"
                 << results[1];
    return;
  }
  if (!node.checkFits({shape[0], across * across, results[0], results[1]}))
    return;
  auto padded = [&](size_t index) {
    const int64_t pads[] = {0, windows->pad, windows->pad, 0};
    return nn.pad(nn::PadMode::Constant, nn.toChannelsLast(node.getOperand(index)), pads, pads, 0);
  };
  node.setResult(nn.toChannelsFirst(correlate(nn, padded(0), padded(1), *windows, results)));
}

//===----------------------------------------------------------------------===//
// FlowWarp
//===----------------------------------------------------------------------===//

/// Samples each pixel at the position that the flow gives, column first. Positions outside of the image give 0.
void importFlowWarp(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  if (node.getString("fill_value", "ZERO") != "ZERO") {
    node.error() << "parameter 'fill_value' must be ZERO, but is " << node.getString("fill_value", "");
    return;
  }
  if (!checkImages(node, 2))
    return;
  const Ints shape = getShape(node.getOperand(0));
  if (!node.checkShape(1, {shape[0], 2, shape[2], shape[3]}, "a displacement along both axes for each pixel"))
    return;
  Value flow = nn.toChannelsLast(node.getOperand(1));
  Value isInside;
  SmallVector<Value> places;
  for (int64_t axis : spatial) {
    const int64_t extent = shape[axis + 1];
    SmallVector<int64_t> counted(4, 1);
    counted[axis] = extent;
    Value number = nn.reshape(nn.cast(nn.counting(extent), getElementType(node.getOperand(1))), counted);
    Value place = nn.add(nn.slice(flow, 3, 2 - axis, 1), number);
    Value fits = nn.binary(nn::BinaryKind::And, nn.binary(nn::BinaryKind::GreaterEqual, place, 0.0),
                           nn.binary(nn::BinaryKind::Less, place, double(extent)));
    isInside = isInside ? nn.binary(nn::BinaryKind::And, isInside, fits) : fits;
    places.push_back(place);
  }
  Value image = nn.toChannelsLast(node.getOperand(0));
  Value warped = sample(nn, SampleRule(), image, nn.concat(places, 3));
  node.setResult(nn.toChannelsFirst(nn.select(isInside, warped, nn.scalar(warped, 0))));
}

//===----------------------------------------------------------------------===//
// Resample and Accum
//===----------------------------------------------------------------------===//

/// Resizes `image`, whose channels are last. Returns null after an error. `map` makes the table of an axis from its old
/// and new size.
Value resize(NnBuilder &nn, Value image, Ints sizes, llvm::function_ref<AxisTable(int64_t, int64_t)> map) {
  if (!image)
    return {};
  SmallVector<ResampledAxis> axes;
  for (auto [axis, size] : llvm::zip(spatial, sizes)) {
    constexpr double mostTaps = 4;
    const int64_t extent = getShape(image)[axis];
    if (!allowsTable(nn, size, mostTaps * std::max(1.0, double(extent) / double(size))))
      return {};
    axes.push_back({axis, map(extent, size)});
  }
  return resample(nn, image, axes);
}

/// Returns a table that maps the centers of pixels. An image that becomes smaller is smoothed first, unless `antialias`
/// is false.
AxisTable resampleAxis(StringRef type, bool antialias, int64_t extent, int64_t size) {
  const Coordinates places = mapInSinglePrecision(extent, size, CornerRule::HalfPixelCenters);
  const Cubic cubic = {/*a=*/-0.5, /*excludeOutside=*/true};
  if (type == "NEAREST")
    return takeNearest(places, extent, Rounding::HalfAway);
  if (antialias && size < extent)
    return interpolateStretched(places, extent, double(size) / double(extent), type == "CUBIC" ? &cubic : nullptr,
                                /*excludeOutside=*/true);
  return type == "CUBIC" ? interpolateCubic(places, extent, cubic) : interpolateLinear(places, extent);
}

void importResample(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  const StringRef type = node.getChoice("type", {"LINEAR", "NEAREST", "CUBIC"});
  const bool antialias = node.getFlag("antialias", true), hasReference = node.getOperand(1) != nullptr;
  const double factor = node.getFloat("factor", 1);
  const int64_t given[] = {node.getInt("height", 0), node.getInt("width", 0)};
  if (!checkImages(node, hasReference ? 2 : 1))
    return;
  const Ints shape = getShape(node.getOperand(0));
  SmallVector<int64_t> sizes;
  for (int64_t axis : spatial) {
    const double scaled = std::floor(double(shape[axis + 1]) * factor);
    const bool fits = scaled >= 1 && scaled <= INT32_MAX;
    sizes.push_back(hasReference          ? getShape(node.getOperand(1))[axis + 1]
                    : given[axis - 1] > 0 ? given[axis - 1]
                    : fits                ? int64_t(scaled)
                                          : 0);
  }
  if (sizes[0] < 1 || sizes[1] < 1) {
    node.error() << "parameters 'height' and 'width', or 'factor', must make an image, but make one of " << sizes[0]
                 << "x" << sizes[1];
    return;
  }
  if (!node.checkFits({shape[0], shape[1], sizes[0], sizes[1]}))
    return;
  Value resized = resize(nn, nn.toChannelsLast(node.getOperand(0)), sizes,
                         [&](int64_t extent, int64_t size) { return resampleAxis(type, antialias, extent, size); });
  node.setResult(resized ? nn.toChannelsFirst(resized) : Value());
}

/// Resizes images to the size of the largest one, or of a reference, and joins them along the channels.
void importAccum(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  const bool hasReference = node.getFlag("have_reference", false);
  const int64_t multiple = node.getInt("size_divisible_by", 0);
  const int64_t given[] = {node.getInt("top_height", 0), node.getInt("top_width", 0)};
  const size_t count = node.getNumOperands(), images = count - hasReference;
  if (images == 0) {
    node.error() << "must have an image in addition to the reference, but has none";
    return;
  }
  if (!checkImages(node, count))
    return;
  SmallVector<int64_t> largest(2), sizes(2);
  int64_t channels = 0;
  for (size_t index = 0; index < images; ++index) {
    const Ints shape = getShape(node.getOperand(index));
    channels += shape[1];
    for (size_t axis = 0; axis < 2; ++axis)
      largest[axis] = std::max(largest[axis], shape[axis + 2]);
  }
  for (size_t axis = 0; axis < 2; ++axis)
    sizes[axis] = multiple > 0 ? int64_t(llvm::alignTo(largest[axis], multiple)) : given[axis];
  // The given size is used only if it is larger along both axes.
  if (sizes[0] <= largest[0] || sizes[1] <= largest[1])
    sizes = largest;
  if (hasReference)
    sizes = llvm::to_vector(getShape(node.getOperand(images)).drop_front(2));
  if (!node.checkFits({getShape(node.getOperand(0))[0], channels, sizes[0], sizes[1]}))
    return;
  SmallVector<Value> resized;
  for (size_t index = 0; index < images; ++index) {
    resized.push_back(resize(nn, nn.toChannelsLast(node.getOperand(index)), sizes, [](int64_t extent, int64_t size) {
      return interpolateLinear(mapInSinglePrecision(extent, size, CornerRule::AlignCorners), extent);
    }));
    if (!resized.back())
      return node.setResult({});
  }
  node.setResult(nn.toChannelsFirst(nn.concat(resized, 3)));
}

} // namespace

void registerOpticalFlow(ImportRegistry &registry) {
  registry.add("Accum", 1, {{"bottoms...", Holds::Floats}}, importAccum);
  registry.add("Correlation", 1, {{"bottom", Holds::Floats, 'T'}, {"moved", Holds::Floats, 'T'}}, importCorrelation);
  registry.add("FlowWarp", 1, {{"bottom", Holds::Floats, 'T'}, {"flow", Holds::Floats, 'T'}}, importFlowWarp);
  registry.add("Resample", 1, {{"bottom", Holds::Floats}, {"reference?", Holds::Floats}}, importResample);
}

} // namespace nacre::importer::caffe_format
