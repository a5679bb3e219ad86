// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poolings, over windows and over whole planes.

#include "compiler/import/onnx/Handlers.h"
#include "compiler/import/onnx/WindowAttributes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

using nn::BinaryKind;
using nn::PoolKind;
using nn::ReduceKind;
using nn::UnaryKind;

/// Pools `x` as the node's window says; null after an error.
Value pool(OperandBinder &node, PoolKind kind, Value x, const Window &window, bool countPadding) {
  NnBuilder &nn = node.nn;
  return nn.toChannelsFirst(nn.pool(kind, nn.toChannelsLast(x), window.kernel, window.strides, window.pads,
                                    window.dilations, window.overhang, countPadding));
}

FailureOr<Window> readPoolWindow(OperandBinder &node, Value x) {
  if (getRank(x) < 3)
    return node.error() << "operand 0 ('X') must have at least one spatial axis, but is " << getType(x);
  Ints spatial = getShape(x).drop_front(2);
  if (!node.has("kernel_shape"))
    return node.error() << "attribute 'kernel_shape' must be there";
  SmallVector<int64_t> kernel = node.getSizes("kernel_shape", spatial.size(), 1, 1);
  return readWindow(node, spatial, kernel);
}

void importMaxPool(OperandBinder &node) {
  node.ignore({"storage_order"}); // of the indices, which are refused
  Value x = node.getOperand(0);
  FailureOr<Window> window = readPoolWindow(node, x);
  if (succeeded(window))
    node.setResult(pool(node, PoolKind::Max, x, *window, /*countPadding=*/false));
}

void importAveragePool(OperandBinder &node) {
  Value x = node.getOperand(0);
  bool countPadding = node.getFlag("count_include_pad", false);
  FailureOr<Window> window = readPoolWindow(node, x);
  if (succeeded(window))
    node.setResult(pool(node, PoolKind::Average, x, *window, countPadding));
}

/// The p-norm: an average of |x|^p times the number of cells is their sum.
void importLpPool(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  auto p = static_cast<double>(node.getInt("p", 2));
  FailureOr<Window> window = readPoolWindow(node, x);
  if (failed(window))
    return;
  double cells = 1;
  for (int64_t cell : window->kernel)
    cells *= static_cast<double>(cell);
  if (llvm::any_of(window->overhang, [](int64_t cells) { return cells > 0; })) {
    node.error() << "attribute 'ceil_mode' must not make the last window hang over the end";
    return;
  }
  Value powers = nn.binary(BinaryKind::Pow, nn.unary(UnaryKind::Abs, x), p);
  Value sums = nn.mul(pool(node, PoolKind::Average, powers, *window, /*countPadding=*/true), cells);
  node.setResult(nn.binary(BinaryKind::Pow, sums, 1 / p));
}

void importGlobal(OperandBinder &node, ReduceKind kind) {
  Value x = node.getOperand(0);
  node.setResult(node.nn.reduce(kind, x, axisRange(2, getRank(x)), /*keepDims=*/true));
}

void importGlobalLpPool(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  auto p = static_cast<double>(node.getInt("p", 2));
  Value powers = nn.binary(BinaryKind::Pow, nn.unary(UnaryKind::Abs, x), p);
  Value sums = nn.reduce(ReduceKind::Sum, powers, axisRange(2, getRank(x)), /*keepDims=*/true);
  node.setResult(nn.binary(BinaryKind::Pow, sums, 1 / p));
}

} // namespace

void registerPoolings(ImportRegistry &registry) {
  registry.add("MaxPool", 1, {1, 1}, importMaxPool);
  registry.add("AveragePool", 1, {1, 1}, importAveragePool);
  registry.add("LpPool", 2, {1, 1}, importLpPool);
  registry.add("GlobalAveragePool", 1, {1, 1}, [](OperandBinder &node) { importGlobal(node, ReduceKind::Mean); });
  registry.add("GlobalMaxPool", 1, {1, 1}, [](OperandBinder &node) { importGlobal(node, ReduceKind::Max); });
  registry.add("GlobalLpPool", 2, {1, 1}, importGlobalLpPool);
}

} // namespace nacre::importer::onnx_format
