// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poolings, and the indices of their maxima. Padding counts in none of them.

#include "compiler/import/compositions/Poolings.h"
#include "compiler/import/operands/Shapes.h"
#include "compiler/import/operands/Windows.h"
#include "compiler/import/tensorflow/Handlers.h"
#include "compiler/import/tensorflow/operators/Layout.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

using nn::PoolKind;

/// The window over `x`, whose channels are last; fails after an error.
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
  FailureOr<Window> window = readPool(node, layout, x);
  if (succeeded(window))
    node.setResult(layout.fromLast(node.nn, pool(node.nn, kind, x, *window)));
}

/// Where each maximum is: ((y * width) + x) * channels + c, and the image's number before it where that is asked for.
void importMaxPoolWithArgmax(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  bool includesBatch = node.getFlag("include_batch_in_index", false);
  Type type = node.getType("Targmax", nn.types().getI64Type());
  const Layout layout;
  Value x = node.getOperand(0);
  if (!node.checkRank(0, 4, 4))
    return;
  FailureOr<Window> window = readPool(node, layout, x);
  if (failed(window))
    return;
  node.setResult(0, pool(nn, PoolKind::Max, x, *window));
  if (!node.wantsResult(1) || !allowsIndicesOfMaxima(node, getShape(x), *window))
    return;
  Ints shape = getShape(x);
  Value index = indicesOfMaxima(nn, x, *window, {shape[2] * shape[3], shape[3]});
  index = nn.add(index, nn.counting(shape[3]));
  if (includesBatch) {
    Value images = nn.mul(nn.counting(shape[0]), static_cast<double>(shape[1] * shape[2] * shape[3]));
    index = nn.add(index, nn.alignToAxis(images, 0, 4));
  }
  node.setResult(1, index ? nn.cast(index, type) : Value());
}

} // namespace

void registerPoolings(ImportRegistry &registry) {
  const Signature numbers{{"input", Holds::Numbers}}, floats{{"value", Holds::Floats}};
  registry.add("MaxPool", 1, numbers, [](OperandBinder &node) { importPool(node, PoolKind::Max, 2); });
  registry.add("AvgPool", 1, floats, [](OperandBinder &node) { importPool(node, PoolKind::Average, 2); });
  registry.add("MaxPool3D", 1, numbers, [](OperandBinder &node) { importPool(node, PoolKind::Max, 3); });
  registry.add("AvgPool3D", 1, floats, [](OperandBinder &node) { importPool(node, PoolKind::Average, 3); });
  registry.add("MaxPoolWithArgmax", 1, numbers, importMaxPoolWithArgmax);
}

} // namespace nacre::importer::tensorflow_format
