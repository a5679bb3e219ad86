// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions. Filters have the layout of `nn`: rows, columns, input channels, output channels.

#include "compiler/import/compositions/Resampling.h"
#include "compiler/import/operands/Shapes.h"
#include "compiler/import/tensorflow/operators/Handlers.h"
#include "compiler/import/tensorflow/operators/Layout.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

nn::Window toRule(const Window &window) { return {window.kernel, window.strides, window.pads, window.dilations}; }

/// Ignores an attribute that does not change the result.
void ignoreDevices(OperandBinder &node) { node.ignore({"use_cudnn_on_gpu"}); }

/// Convolves `x` with `filter`, which must be checked. `x` has channels last, and the filter is [spatial..., C /
/// groups, OC].
void convolve(OperandBinder &node, const Layout &layout, Value x, Value filter, int64_t groups) {
  NnBuilder &nn = node.nn;
  FailureOr<Window> window =
      readWindow(node, layout, getShape(filter).take_front(layout.axes), getShape(x).slice(1, layout.axes));
  if (succeeded(window) && checkRule(node, nn::convShape(getShape(x), getShape(filter), toRule(*window), groups)))
    node.setResult(layout.fromLast(nn, nn.conv(x, filter, window->strides, window->pads, window->dilations, groups)));
}

/// Convolves `x` with the operand `index` as the filter. If the filter has fewer input channels than `x`, it convolves
/// groups of channels.
void convolveGroups(OperandBinder &node, const Layout &layout, Value x, size_t index) {
  auto rank = static_cast<int64_t>(layout.axes) + 2;
  if (!x)
    return node.setResult({});
  if (!node.checkRank(index, rank, rank))
    return;
  Value filter = node.getOperand(index);
  int64_t channels = getShape(x).back(), own = getShape(filter)[layout.axes];
  if (own < 1 || channels % own || getShape(filter).back() % std::max<int64_t>(channels / own, 1)) {
    node.error() << node.nameOf(index) << " must have input channels that divide the " << channels << " of "
                 << node.nameOf(0) << " into groups, which divide its output channels, but is " << describe(filter);
    return;
  }
  convolve(node, layout, x, filter, std::max<int64_t>(channels / own, 1));
}

void importConv(OperandBinder &node, size_t axes) {
  ignoreDevices(node);
  auto rank = static_cast<int64_t>(axes) + 2;
  Layout layout = readLayout(node, axes);
  if (node.checkRank(0, rank, rank))
    convolveGroups(node, layout, layout.toLast(node.nn, node.getOperand(0)), 1);
}

/// Imports a depthwise convolution, which convolves each channel with its own filters. Joining the last axes of the
/// filter, [spatial..., C, M], yields the M filters of channel c from column c * M on.
void importDepthwiseConv(OperandBinder &node) {
  ignoreDevices(node);
  Layout layout = readLayout(node, 2);
  if (!node.checkRank(0, 4, 4) || !node.checkRank(1, 4, 4))
    return;
  Value x = layout.toLast(node.nn, node.getOperand(0)), filter = node.getOperand(1);
  if (!x)
    return;
  Ints shape = getShape(filter);
  if (shape[2] != getShape(x).back() || shape[2] < 1) {
    node.error() << node.nameOf(1) << " must have a filter for each of the " << getShape(x).back() << " channels of "
                 << node.nameOf(0) << ", but is " << describe(filter);
    return;
  }
  Value grouped = node.nn.reshape(filter, {shape[0], shape[1], 1, shape[2] * shape[3]});
  if (grouped)
    convolve(node, layout, x, grouped, shape[2]);
}

//===----------------------------------------------------------------------===//
// After padding and resizing
//===----------------------------------------------------------------------===//

/// Returns `x`, [N, H, W, C], resized to the numbers of rows and columns in operand 1. Returns null after an error.
Value resizeBetweenPixels(OperandBinder &node, Value x) {
  bool alignsCorners = node.getFlag("resize_align_corners", false);
  CornerRule rule = alignsCorners ? CornerRule::AlignCorners : CornerRule::Asymmetric;
  FailureOr<SmallVector<int64_t>> sizes = node.getIntegers(1);
  if (failed(sizes) || !node.checkShape(1, 2, "rows and columns"))
    return {};
  SmallVector<int64_t> shape(getShape(x));
  SmallVector<ResampledAxis> axes;
  for (auto [number, size] : llvm::enumerate(*sizes)) {
    auto axis = static_cast<int64_t>(number) + 1;
    if (size < 1 || size > INT32_MAX || shape[axis] < 1) {
      node.error() << node.nameOf(1) << " and the image must have 1 to " << INT32_MAX << " rows and columns, but are ["
                   << Ints(*sizes) << "] and " << describe(x);
      return {};
    }
    if (!allowsTable(node.nn, size, 2))
      return {};
    axes.push_back({axis, interpolateLinear(mapInSinglePrecision(shape[axis], size, rule), shape[axis])});
    shape[axis] = size;
  }
  return node.checkFits(shape) ? resample(node.nn, x, axes) : Value();
}

/// Operands: input, size (if `resizes`), paddings, filter. Resizes if requested, pads by mirroring, then convolves.
void importFusedConv(OperandBinder &node, bool resizes) {
  const Layout layout;
  const size_t paddings = resizes ? 2 : 1;
  bool repeatsEdge = node.getChoice("mode", {"REFLECT", "SYMMETRIC"}) == "SYMMETRIC";
  if (!node.checkRank(0, 4, 4))
    return;
  Value x = node.getOperand(0);
  if (resizes)
    x = resizeBetweenPixels(node, x);
  if (!x)
    return node.setResult({});
  FailureOr<AxisPads> pads = readPads(node, paddings, 4);
  if (failed(pads))
    return;
  nn::PadReach reach = repeatsEdge ? nn::PadReach::Extent : nn::PadReach::ExtentLessOne;
  if (!checkRule(node, nn::padShape(getShape(x), pads->low, pads->high, reach)))
    return;
  nn::PadMode mode = repeatsEdge ? nn::PadMode::Symmetric : nn::PadMode::Reflect;
  convolveGroups(node, layout, node.nn.pad(mode, x, pads->low, pads->high, /*value=*/0), paddings + 1);
}

//===----------------------------------------------------------------------===//
// Transposed
//===----------------------------------------------------------------------===//

/// Returns the shape of the result with channels last. Operand 0 contains the shape or its spatial part. Fails after an
/// error.
FailureOr<SmallVector<int64_t>> readResultShape(OperandBinder &node, const Layout &layout, Value x, int64_t channels) {
  FailureOr<SmallVector<int64_t>> given = node.getIntegers(0);
  if (failed(given))
    return failure();
  SmallVector<int64_t> shape(getShape(x));
  shape.back() = channels;
  bool isWhole = given->size() == layout.axes + 2;
  if (!isWhole && given->size() != layout.axes)
    return node.error() << node.nameOf(0) << " must have a size for each axis of the result, but is [" << Ints(*given)
                        << "]";
  Ints spatial = isWhole ? layout.spatial(*given) : Ints(*given);
  if (isWhole && (given->front() != shape.front() || layout.channels(*given) != channels))
    return node.error() << node.nameOf(0) << " must have the batch of " << node.nameOf(2) << ", " << shape.front()
                        << ", and the channels of " << node.nameOf(1) << ", " << channels << ", but is ["
                        << Ints(*given) << "]";
  if (llvm::any_of(spatial, [](int64_t size) { return size < 1 || size > INT32_MAX; }))
    return node.error() << node.nameOf(0) << " must hold sizes from 1 to " << INT32_MAX << ", but is [" << Ints(*given)
                        << "]";
  llvm::copy(spatial, shape.begin() + 1);
  return shape;
}

/// Sets the pads of a transposed convolution whose result has the shape `result`. It writes the elements that a
/// convolution of `result` would read, so the pads follow from the sizes. Elements at the end that no window reaches
/// are 0.
bool turnPads(OperandBinder &node, const Layout &layout, Value x, Ints result, Window &window) {
  std::optional<SmallVector<int64_t>> reach = getReach(window, getShape(x).slice(1, layout.axes));
  for (size_t axis = 0; axis < layout.axes; ++axis) {
    int64_t extent = (window.kernel[axis] - 1) * window.dilations[axis] + 1;
    int64_t low = window.pads[axis], &high = window.pads[layout.axes + axis];
    int64_t steps = (result[axis + 1] + low + high - extent) / window.strides[axis] + 1;
    if (!reach || steps != getShape(x)[axis + 1]) {
      node.error() << node.nameOf(0) << " must be a size for which the convolution results in " << getShape(x)[axis + 1]
                   << " along spatial axis " << axis << ", but of " << result[axis + 1] << " it leaves " << steps;
      return false;
    }
    high = (*reach)[axis] - low - result[axis + 1];
  }
  return true;
}

void importConvBackprop(OperandBinder &node, size_t axes) {
  ignoreDevices(node);
  NnBuilder &nn = node.nn;
  auto rank = static_cast<int64_t>(axes) + 2;
  Layout layout = readLayout(node, axes);
  if (!node.checkRank(1, rank, rank) || !node.checkRank(2, rank, rank))
    return;
  Value x = layout.toLast(nn, node.getOperand(2));
  SmallVector<int64_t> order = axisRange(0, rank);
  std::swap(order[axes], order[axes + 1]);
  Value filter = nn.transpose(node.getOperand(1), order);
  if (!x || !filter)
    return;
  FailureOr<SmallVector<int64_t>> result = readResultShape(node, layout, x, getShape(filter).back());
  if (failed(result))
    return;
  FailureOr<Window> window = readWindow(node, layout, getShape(filter).take_front(axes), Ints(*result).slice(1, axes));
  if (failed(window) || !turnPads(node, layout, x, *result, *window))
    return;
  if (checkRule(node, nn::convTransposeShape(getShape(x), getShape(filter), toRule(*window), /*groups=*/1)))
    node.setResult(layout.fromLast(nn, nn.convTranspose(x, filter, window->strides, window->pads, window->dilations,
                                                        /*groups=*/1)));
}

} // namespace

void registerConvolutions(ImportRegistry &registry) {
  const Signature operands{{"input", Holds::Floats, 'T'}, {"filter", Holds::Floats, 'T'}};
  const Signature backprop{
      {"input_sizes", Holds::Indices}, {"filter", Holds::Floats, 'T'}, {"out_backprop", Holds::Floats, 'T'}};
  registry.add("Conv2D", 1, operands, [](OperandBinder &node) { importConv(node, 2); });
  registry.add("Conv3D", 1, operands, [](OperandBinder &node) { importConv(node, 3); });
  registry.add("DepthwiseConv2dNative", 1, operands, importDepthwiseConv);
  registry.add("FusedPadConv2D", 1,
               {{"input", Holds::Floats, 'T'}, {"paddings", Holds::Indices}, {"filter", Holds::Floats, 'T'}},
               [](OperandBinder &node) { importFusedConv(node, /*resizes=*/false); });
  registry.add("FusedResizeAndPadConv2D", 1,
               {{"input", Holds::Floats, 'T'},
                {"size", Holds::Indices},
                {"paddings", Holds::Indices},
                {"filter", Holds::Floats, 'T'}},
               [](OperandBinder &node) { importFusedConv(node, /*resizes=*/true); });
  registry.add("Conv2DBackpropInput", 1, backprop, [](OperandBinder &node) { importConvBackprop(node, 2); });
  registry.add("Conv3DBackpropInputV2", 1, backprop, [](OperandBinder &node) { importConvBackprop(node, 3); });
}

} // namespace nacre::importer::tensorflow_format
