// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that sample images at computed positions: GridSample, AffineGrid, RoiAlign, DeformConv.

#include "compiler/import/compositions/Sampling.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/operands/WindowAttributes.h"
#include "compiler/import/onnx/operators/Handlers.h"
#include "compiler/import/operands/Windows.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

/// True if the image, operand 0, can be sampled at any position. Otherwise, reports an error.
bool checkImage(OperandBinder &node) {
  Ints shape = getShape(node.getOperand(0));
  constexpr int64_t most = 1 << 28; // positions are computed in 32 bits
  bool fits = llvm::all_of(shape, [](int64_t size) { return size > 0 && size <= most; });
  if (!fits)
    node.error() << node.nameOf(0) << " must have between 1 and " << most
                 << " elements along each sampled axis, but is " << describe(node.getOperand(0));
  return fits;
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

SampleRule readSampleRule(OperandBinder &node) {
  SampleRule rule;
  bool isOld = node.getVersion() < 20;
  StringRef mode = isOld ? node.getChoice("mode", {"bilinear", "nearest", "bicubic"})
                         : node.getChoice("mode", {"linear", "nearest", "cubic"});
  rule.interpolation = llvm::StringSwitch<nn::Interpolation>(mode)
                           .Case("nearest", nn::Interpolation::Nearest)
                           .Cases({"cubic", "bicubic"}, nn::Interpolation::Cubic)
                           .Default(nn::Interpolation::Linear);
  rule.padding = *nn::symbolizeSamplePadding(node.getChoice("padding_mode", {"zeros", "border", "reflection"}));
  rule.alignCorners = node.getFlag("align_corners", false);
  return rule;
}

void importGridSample(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), grid = node.getOperand(1);
  SampleRule rule = readSampleRule(node);
  bool hasDepth = node.getVersion() >= 20 && rule.interpolation != nn::Interpolation::Cubic;
  if (node.hasFailed() || !node.checkRank(0, 4, hasDepth ? 5 : 4) || !node.checkRank(1, getRank(x), getRank(x)))
    return;
  SmallVector<int64_t> wanted(getShape(grid));
  wanted.front() = getShape(x)[0];
  wanted.back() = getRank(x) - 2;
  if (!node.checkShape(1, wanted, "an image for each of X, and a coordinate for each of its spatial axes"))
    return;
  SmallVector<int64_t> result(Ints(wanted).drop_back());
  result.insert(result.begin() + 1, getShape(x)[1]);
  if (!checkImage(node) || !node.checkFits(result))
    return;
  Value positions = fromNormalizedGrid(nn, grid, getShape(x).drop_front(2), rule.alignCorners);
  node.setResult(nn.toChannelsFirst(sample(nn, rule, nn.toChannelsLast(x), positions)));
}

void importAffineGrid(OperandBinder &node) {
  Value theta = node.getOperand(0);
  bool alignCorners = node.getFlag("align_corners", false);
  FailureOr<SmallVector<int64_t>> size = node.getIntegers(1);
  if (failed(size))
    return;
  auto rank = static_cast<int64_t>(size->size());
  if ((rank != 4 && rank != 5) || llvm::any_of(*size, [](int64_t dim) { return dim < 0 || dim > INT32_MAX; })) {
    node.error() << node.nameOf(1) << " must be the size of a batch of 2D or 3D images, but is [" << Ints(*size) << "]";
    return;
  }
  Ints extents = Ints(*size).drop_front(2);
  if (!node.checkShape(0, {size->front(), rank - 2, rank - 1}, "a map for each image"))
    return;
  SmallVector<int64_t> result(extents);
  result.insert(result.begin(), size->front());
  result.push_back(rank - 2);
  if (!node.checkFits(result))
    return;
  for (int64_t extent : extents)
    if (!node.allowsConstant(extent, sizeof(float)))
      return;
  node.setResult(makeAffineGrid(node.nn, theta, extents, alignCorners));
}

//===----------------------------------------------------------------------===//
// Regions of interest
//===----------------------------------------------------------------------===//

bool checkRoiAlign(OperandBinder &node, Ints bins, int64_t samples) {
  Value x = node.getOperand(0);
  if (!node.checkRank(0, 4, 4) || !node.checkRank(1, 2, 2))
    return false;
  int64_t rows = getShape(node.getOperand(1))[0];
  if (!node.checkShape(1, {rows, 4}, "the corners of each region") ||
      !node.checkShape(2, rows, "an image for each region"))
    return false;
  constexpr int64_t mostBins = 1 << 12, mostSamples = 16, mostElements = 1 << 14;
  if (llvm::any_of(bins, [](int64_t count) { return count < 1 || count > mostBins; }) || samples < 0 ||
      samples > mostSamples) {
    node.error() << "attributes 'output_height' and 'output_width' must lie between 1 and " << mostBins
                 << ", and 'sampling_ratio' between 0 and " << mostSamples << ", but are " << bins[0] << ", " << bins[1]
                 << " and " << samples;
    return false;
  }
  // The number of samples of a bin has 32 bits.
  if (samples == 0 && llvm::any_of(getShape(x).drop_front(2), [](int64_t size) { return size > mostElements; })) {
    node.error() << node.nameOf(0) << " must have at most " << mostElements
                 << " elements along each spatial axis if attribute 'sampling_ratio' is 0, but is " << describe(x);
    return false;
  }
  samples = std::max<int64_t>(samples, 1); // number of samples that are computed together
  return checkImage(node) && node.allowsConstant(bins[0] * bins[1] * samples * samples * 2, sizeof(float)) &&
         node.checkFits({samples * samples, rows, bins[0], bins[1], 2}, "the positions of all samples") &&
         node.checkFits({rows, getShape(x)[1], bins[0], bins[1]});
}

void importRoiAlign(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), rois = node.getOperand(1);
  // Before version 16, there was only one rule, which had no name.
  bool isHalfPixel = node.getVersion() >= 16 && node.getChoice("coordinate_transformation_mode",
                                                               {"half_pixel", "output_half_pixel"}) == "half_pixel";
  int64_t bins[] = {node.getInt("output_height", 1), node.getInt("output_width", 1)};
  RegionRule rule{bins, node.getInt("sampling_ratio", 0), node.getChoice("mode", {"avg", "max"}) == "max"};
  double scale = node.getFloat("spatial_scale", 1);
  if (node.hasFailed() || !checkRoiAlign(node, bins, rule.samples))
    return;
  if (rule.samples == 0 && getElementType(rois).getIntOrFloatBitWidth() < 32) // f16 and bf16 cannot count samples
    rois = nn.cast(rois, nn.types().getF32Type());
  // A region in ONNX has x and y of both corners. Here, rows come before columns.
  int64_t rows = getShape(rois)[0];
  Value corners = nn.add(nn.mul(rois, scale), isHalfPixel ? -0.5 : 0);
  Value begins = nn.slice(corners, {0, 1}, {rows, 2}, {1, -1}), ends = nn.slice(corners, {0, 3}, {rows, 2}, {1, -1});
  Value sizes = nn.sub(ends, begins);
  if (!isHalfPixel)
    sizes = nn.binary(nn::BinaryKind::Max, sizes, 1);
  node.setResult(nn.toChannelsFirst(poolRegions(nn, nn.toChannelsLast(x), begins, sizes, node.getOperand(2), rule)));
}

void importMaxRoiPool(OperandBinder &node) {
  const SmallVector<int64_t> bins = node.getSizes("pooled_shape", 2, 0, 1);
  const double scale = node.getFloat("spatial_scale", 1);
  if (!node.hasFailed() && node.checkRank(1, 2, 2))
    poolMaximaOfRegions(node, bins, scale, "the elements of attribute 'pooled_shape'");
}

//===----------------------------------------------------------------------===//
// Deformable convolutions
//===----------------------------------------------------------------------===//

/// Sizes of DeformConv, which follow from the shapes of its operands.
struct DeformedShape {
  int64_t batch, channels, rows, columns; ///< sizes of the result, except that channels are the input's
  int64_t taps, groups, offsetGroups;
};

bool checkFilter(OperandBinder &node, DeformedShape &shape) {
  Value x = node.getOperand(0), weights = node.getOperand(1);
  int64_t filters = getShape(weights)[0];
  shape.groups = node.getInt("group", 1);
  shape.offsetGroups = node.getInt("offset_group", 1);
  if (shape.groups < 1 || shape.channels % shape.groups || filters % shape.groups) {
    node.error() << "attribute 'group' must divide the " << describeCount(shape.channels, "channel") << " of "
                 << node.nameOf(0) << " and the " << filters << " filters of " << node.nameOf(1) << ", but is "
                 << shape.groups;
    return false;
  }
  if (shape.offsetGroups < 1 || shape.channels % shape.offsetGroups) {
    node.error() << "attribute 'offset_group' must divide the " << describeCount(shape.channels, "channel") << " of "
                 << node.nameOf(0) << ", but is " << shape.offsetGroups;
    return false;
  }
  Ints extents = getShape(weights).drop_front(2);
  if (node.getInts("kernel_shape", extents) != SmallVector<int64_t>(extents)) {
    node.error() << "attribute 'kernel_shape' must be " << describeShape(extents) << ", as " << node.nameOf(1)
                 << " has it, but is " << describeShape(node.getInts("kernel_shape", extents));
    return false;
  }
  return node.checkShape(1, {filters, shape.channels / shape.groups, extents[0], extents[1]},
                         "the channels of a group of " + describe(x)) &&
         node.checkShape(3, filters, "one element for each filter");
}

/// Returns the positions of each output's taps before the offsets are added: [rows, 1, 1, 2] + [columns, 1, 2] + [taps,
/// 2].
Value placeTaps(NnBuilder &nn, Value offsets, const DeformedShape &shape, const Window &window) {
  auto add = [&](Value sum, Ints extents, auto place) {
    SmallVector<float, 0> numbers;
    for (int64_t i = 0; i < extents.front(); ++i) {
      auto [row, column] = place(i);
      numbers.append({static_cast<float>(row), static_cast<float>(column)});
    }
    auto type = RankedTensorType::get(extents, nn.types().getF32Type());
    Value constant = nn.constant(DenseElementsAttr::get(type, ArrayRef<float>(numbers)));
    return sum ? nn.add(sum, nn.cast(constant, getElementType(sum))) : Value();
  };
  using Place = std::pair<int64_t, int64_t>;
  Value rows =
      add(offsets, {shape.rows, 1, 1, 2}, [&](int64_t i) { return Place(i * window.strides[0] - window.pads[0], 0); });
  Value columns =
      add(rows, {shape.columns, 1, 2}, [&](int64_t i) { return Place(0, i * window.strides[1] - window.pads[1]); });
  return add(columns, {shape.taps, 2}, [&](int64_t i) {
    int64_t width = window.kernel[1];
    return Place(i / width * window.dilations[0], i % width * window.dilations[1]);
  });
}

/// Returns the pixels that each output reads, `[batch, rows, columns, taps, channels]`.
Value gatherColumns(OperandBinder &node, const DeformedShape &shape, const Window &window) {
  NnBuilder &nn = node.nn;
  auto [batch, channels, rows, columns, taps, groups, parts] = shape;
  int64_t images = batch * parts, part = channels / parts, height = getShape(node.getOperand(0))[2],
          width = getShape(node.getOperand(0))[3];
  Value x = nn.transpose(nn.reshape(node.getOperand(0), {batch, parts, part, height, width}), {0, 1, 3, 4, 2});
  Value offsets =
      nn.transpose(nn.reshape(node.getOperand(2), {batch, parts, taps, 2, rows, columns}), {0, 1, 4, 5, 2, 3});
  Value positions = placeTaps(nn, nn.reshape(offsets, {images, rows, columns, taps, 2}), shape, window);
  Value pixels = sample(nn, {nn::Interpolation::Linear, nn::SamplePadding::Zeros},
                        nn.reshape(x, {images, height, width, part}), positions);
  if (Value mask = node.getOperand(4)) {
    Value last = nn.transpose(nn.reshape(mask, {batch, parts, taps, rows, columns}), {0, 1, 3, 4, 2});
    pixels = nn.mul(pixels, nn.reshape(last, {images, rows, columns, taps, 1}));
  }
  Value ofParts = nn.reshape(pixels, {batch, parts, rows, columns, taps, part});
  return nn.reshape(nn.transpose(ofParts, {0, 2, 3, 4, 1, 5}), {batch, rows, columns, taps, channels});
}

void importDeformConv(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), weights = node.getOperand(1);
  if (!node.checkRank(0, 4, 4) || !node.checkRank(1, 4, 4))
    return;
  int64_t filters = getShape(weights)[0];
  DeformedShape shape{getShape(x)[0], getShape(x)[1], 0, 0, 0, 1, 1};
  if (!checkFilter(node, shape))
    return;
  FailureOr<Window> window = readWindow(node, getShape(weights).drop_front(2), filters);
  if (failed(window))
    return;
  auto countPlaces = [&](int64_t axis) {
    int64_t extent = (window->kernel[axis] - 1) * window->dilations[axis] + 1;
    return (getShape(x)[axis + 2] + window->pads[axis] + window->pads[axis + 2] - extent) / window->strides[axis] + 1;
  };
  shape.rows = countPlaces(0);
  shape.columns = countPlaces(1);
  shape.taps = window->kernel[0] * window->kernel[1];
  auto [batch, channels, rows, columns, taps, groups, parts] = shape;
  if (!node.checkFits({batch, rows, columns, taps, std::max<int64_t>(channels, 2)}, "the pixels under all windows") ||
      !node.checkShape(2, {batch, parts * taps * 2, rows, columns}, "two offsets per window element") ||
      !node.checkShape(4, {batch, parts * taps, rows, columns}, "one factor per window element") || !checkImage(node) ||
      !node.allowsConstant(rows + columns + taps, 2 * sizeof(float)))
    return;
  // Transposes [filters, channels of a group, taps] to [taps, channels of a group, filters].
  Value filter = nn.transpose(nn.reshape(weights, {filters, channels / groups, taps}), {2, 1, 0});
  Value y, pixels = gatherColumns(node, shape, *window);
  if (groups == 1)
    y = nn.matmul(nn.reshape(pixels, {batch * rows * columns, taps * channels}),
                  nn.reshape(filter, {taps * channels, filters}));
  else
    y = nn.conv(nn.reshape(pixels, {batch * rows * columns, taps, channels}), filter, {1}, {0, 0}, {1}, groups);
  if (Value bias = node.getOperand(3))
    y = nn.add(y, bias);
  node.setResult(nn.toChannelsFirst(nn.reshape(y, {batch, rows, columns, filters})));
}

} // namespace

void registerSamplings(ImportRegistry &registry) {
  registry.add("AffineGrid", 20, {{"theta", Holds::Floats}, {"size", Holds::Integers}}, importAffineGrid);
  registry.add("DeformConv", 19,
               {{"X", Holds::Floats, 'T'},
                {"W", Holds::Floats, 'T'},
                {"offset", Holds::Floats, 'T'},
                {"B?", Holds::Floats, 'T'},
                {"mask?", Holds::Floats, 'T'}},
               importDeformConv);
  registry.add("GridSample", 16, {{"X"}, {"grid", Holds::Floats}}, importGridSample);
  registry.add("MaxRoiPool", 1, {{"X", Holds::Floats, 'T'}, {"rois", Holds::Floats, 'T'}}, importMaxRoiPool);
  registry.add("RoiAlign", 10,
               {{"X", Holds::Floats, 'T'}, {"rois", Holds::Floats, 'T'}, {"batch_indices", Holds::Indices}},
               importRoiAlign);
  registry.setLimit("DeformConv", "images that are not 2D");
  registry.setLimit("RoiAlign", "a sampling_ratio above 16");
}

} // namespace nacre::importer::onnx_format
