// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poolings, and the indices of maxima. Padding never contributes to a result.

#include "compiler/import/compositions/Poolings.h"
#include "compiler/import/compositions/Blocks.h"
#include "compiler/import/operands/Shapes.h"
#include "compiler/import/operands/Windows.h"
#include "compiler/import/tensorflow/operands/IndexType.h"
#include "compiler/import/tensorflow/operators/Handlers.h"
#include "compiler/import/tensorflow/operators/Layout.h"

#include <limits>

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

using nn::PoolKind;

/// Returns the node's window over `x`, whose channels are last. Fails after an error.
FailureOr<Window> readPool(OperandBinder &node, const Layout &layout, Value x) {
  SmallVector<int64_t> kernel = readSpatial(node, "ksize", layout, /*isRequired=*/true);
  FailureOr<Window> window = readWindow(node, layout, kernel, getShape(x).slice(1, layout.axes));
  if (failed(window))
    return failure();
  for (size_t axis = 0; axis < window->pads.size(); ++axis)
    if (window->pads[axis] >= kernel[axis % layout.axes])
      return node.error() << "attribute 'explicit_paddings' must be smaller than 'ksize' along each axis, but is "
                          << window->pads[axis] << " where that is " << kernel[axis % layout.axes];
  if (!checkRule(node, nn::poolShape(getShape(x), {window->kernel, window->strides, window->pads, window->dilations,
                                                   window->overhang})))
    return failure();
  return window;
}

Value pool(NnBuilder &nn, PoolKind kind, Value x, const Window &window) {
  return nn.pool(kind, x, window.kernel, window.strides, window.pads, window.dilations, window.overhang,
                 /*countPadding=*/false);
}

void importPool(OperandBinder &node, PoolKind kind, size_t axes) {
  auto rank = static_cast<int64_t>(axes) + 2;
  Layout layout = readLayout(node, axes);
  if (!node.checkRank(0, rank, rank))
    return;
  Value x = layout.toLast(node.nn, node.getOperand(0));
  if (!x)
    return node.fail();
  FailureOr<Window> window = readPool(node, layout, x);
  if (succeeded(window))
    node.setResult(layout.fromLast(node.nn, pool(node.nn, kind, x, *window)));
}

/// Returns the index in `x` of each maximum, ((y * width) + x) * channels + c, plus the offset of its image if
/// `includesBatch`. Returns null after an error.
Value placesOfMaxima(OperandBinder &node, Value x, const Window &window, bool includesBatch) {
  NnBuilder &nn = node.nn;
  if (!allowsIndicesOfMaxima(node, getShape(x), window))
    return {};
  Ints shape = getShape(x);
  Value index = indicesOfMaxima(nn, x, window, {shape[2] * shape[3], shape[3]});
  index = nn.add(index, nn.counting(shape[3]));
  if (!includesBatch)
    return index;
  Value images = nn.mul(nn.counting(shape[0]), static_cast<double>(shape[1] * shape[2] * shape[3]));
  return nn.add(index, nn.alignToAxis(images, 0, 4));
}

/// Imports MaxPoolWithArgmax: the largest elements and their indices, within an image or within the whole batch.
void importMaxPoolWithArgmax(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  bool includesBatch = node.getFlag("include_batch_in_index", false);
  Type type = readIndexType(node, "Targmax", 64);
  if (!type)
    return;
  const Layout layout;
  Value x = node.getOperand(0);
  if (!node.checkRank(0, 4, 4))
    return;
  FailureOr<Window> window = readPool(node, layout, x);
  if (failed(window))
    return;
  node.setResult(0, pool(nn, PoolKind::Max, x, *window));
  if (!node.wantsResult(1))
    return;
  Value index = placesOfMaxima(node, x, *window, includesBatch);
  node.setResult(1, index ? nn.cast(index, type) : Value());
}

/// Imports Dilation2D. The result is the largest sum of an element in the window and the filter's element at the same
/// position. The filter is [rows, columns, C].
void importDilation(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  const Layout layout;
  if (!node.checkRank(0, 4, 4) || !node.checkRank(1, 3, 3))
    return;
  Value x = node.getOperand(0), filter = node.getOperand(1);
  Ints kernel = getShape(filter).take_front(2);
  const int64_t channels = getShape(x).back();
  if (!node.checkShape(1, {kernel[0], kernel[1], channels}, "a number for each channel"))
    return;
  FailureOr<Window> window = readWindow(node, layout, kernel, layout.spatial(getShape(x)), "rates");
  constexpr int64_t mostCells = 1024;
  if (failed(window))
    return;
  const int64_t cells = kernel[0] > mostCells || kernel[1] > mostCells ? mostCells + 1 : kernel[0] * kernel[1];
  if (cells > mostCells) {
    node.error() << node.nameOf(1) << " must have at most " << mostCells << " cells, but is " << describe(filter);
    return;
  }
  SmallVector<int64_t> low{0, window->pads[0], window->pads[1], 0}, high{0, window->pads[2], window->pads[3], 0};
  SmallVector<int64_t> all(getShape(x));
  for (int64_t axis : {1, 2})
    all[axis] += low[axis] + high[axis];
  all.push_back(cells);
  if (!node.checkFits(all, "the elements of all windows"))
    return;
  Value padded = nn.pad(nn::PadMode::Constant, x, low, high, -std::numeric_limits<double>::infinity());
  Value windows = extractWindows(nn, padded, kernel, window->strides, window->dilations);
  if (!windows)
    return node.setResult({});
  SmallVector<int64_t> apart(getShape(windows).drop_back());
  apart.append({cells, channels});
  Value sums = nn.add(nn.reshape(windows, apart), nn.reshape(filter, {cells, channels}));
  node.setResult(nn.reduce(nn::ReduceKind::Max, sums, {3}, /*keepDims=*/false));
}

} // namespace

void registerPoolings(ImportRegistry &registry) {
  const Signature numbers{{"input", Holds::Numbers}}, floats{{"value", Holds::Floats}};
  registry.add("MaxPool", 1, numbers, [](OperandBinder &node) { importPool(node, PoolKind::Max, 2); });
  registry.add("AvgPool", 1, floats, [](OperandBinder &node) { importPool(node, PoolKind::Average, 2); });
  registry.add("MaxPool3D", 1, numbers, [](OperandBinder &node) { importPool(node, PoolKind::Max, 3); });
  registry.add("AvgPool3D", 1, floats, [](OperandBinder &node) { importPool(node, PoolKind::Average, 3); });
  registry.add("MaxPoolWithArgmax", 1, numbers, importMaxPoolWithArgmax);
  registry.add("Dilation2D", 1, {{"input", Holds::Floats, 'T'}, {"filter", Holds::Floats, 'T'}}, importDilation);
}

} // namespace nacre::importer::tensorflow_format
