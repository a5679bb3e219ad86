// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poolings over windows, and over whole planes.

#include "compiler/import/compositions/Poolings.h"
#include "compiler/import/builder/IndexNotes.h"
#include "compiler/import/onnx/operands/WindowAttributes.h"
#include "compiler/import/onnx/operators/Handlers.h"
#include "compiler/import/operands/Windows.h"
#include "dialects/nn/evaluate/SumOrder.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

using nn::BinaryKind;
using nn::PoolKind;
using nn::ReduceKind;
using nn::UnaryKind;

/// Pools `x` by the node's window. Returns null after an error.
Value pool(OperandBinder &node, PoolKind kind, Value x, const Window &window, bool countPadding) {
  NnBuilder &nn = node.nn;
  return nn.toChannelsFirst(nn.pool(kind, nn.toChannelsLast(x), window.kernel, window.strides, window.pads,
                                    window.dilations, window.overhang, countPadding));
}

/// Returns the indices of the maxima. An index is a position in the whole tensor `x`, including batch and channels.
Value findMaxima(OperandBinder &node, Value x, const Window &window, bool columnsFirst) {
  NnBuilder &nn = node.nn;
  Ints shape = getShape(x);
  const int64_t axes = getRank(x) - 2, batch = shape[0], channels = shape[1];
  SmallVector<int64_t> distances(axes, 1), planes, images;
  for (int64_t axis = axes - 1; axis-- > 0;)
    distances[axis] = distances[axis + 1] * shape[axis + 3];
  const int64_t plane = distances.front() * shape[2];
  if (columnsFirst)
    for (int64_t axis = 0; axis < axes; ++axis)
      distances[axis] = axis == 0 ? 1 : distances[axis - 1] * shape[axis + 1];
  for (int64_t channel = 0; channel < channels; ++channel)
    planes.push_back(channel * plane);
  for (int64_t image = 0; image < batch; ++image)
    images.push_back(image * channels * plane);
  Value index = nn.toChannelsFirst(indicesOfMaxima(nn, nn.toChannelsLast(x), window, distances));
  index = nn.add(index, nn.alignToAxis(nn.integers(planes), 1, axes + 2));
  return nn.add(index, nn.alignToAxis(nn.integers(images), 0, axes + 2));
}

/// Returns the shape with the channels at the end.
SmallVector<int64_t> channelsLast(Ints shape) {
  SmallVector<int64_t> last(shape);
  std::rotate(last.begin() + 1, last.begin() + 2, last.end());
  return last;
}

void importMaxPool(OperandBinder &node) {
  Value x = node.getOperand(0);
  bool columnsFirst = node.getFlag("storage_order", false);
  FailureOr<Window> window = readPoolWindow(node);
  if (failed(window))
    return;
  node.setResult(pool(node, PoolKind::Max, x, *window, /*countPadding=*/false));
  if (!node.wantsResult(1) || !allowsIndicesOfMaxima(node, channelsLast(getShape(x)), *window))
    return;
  Value indices = findMaxima(node, x, *window, columnsFirst);
  noteIndexed(indices, getShape(x));
  node.setResult(1, indices);
}

/// True if ONNX Runtime first adds up the columns of these windows. Its kernels for opsets before 19 do so for small
/// strides, unless the size of the result is rounded up and padding is counted.
bool addsColumnsFirst(OperandBinder &node, Ints shape, const Window &window, bool countPadding) {
  constexpr int64_t firstRowMajor = 19, mostCells = 32, mostStride = 2, widest = 2045;
  const int64_t width = shape.back() + window.pads[window.strides.size() - 1] + window.pads.back();
  const bool hasOtherKernel = countPadding && node.getFlag("ceil_mode", false);
  return node.getVersion() < firstRowMajor && !hasOtherKernel && window.strides.size() > 1 &&
         window.strides.back() <= mostStride &&
         llvm::all_of(window.kernel, [](int64_t cells) { return cells <= mostCells; }) && width <= widest;
}

void importAveragePool(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  bool countPadding = node.getFlag("count_include_pad", false);
  FailureOr<Window> window = readPoolWindow(node);
  if (failed(window))
    return;
  Value average = nn.pool(PoolKind::Average, nn.toChannelsLast(x), window->kernel, window->strides, window->pads,
                          window->dilations, window->overhang, countPadding);
  if (auto op = average ? average.getDefiningOp<nn::PoolOp>() : nn::PoolOp();
      op && addsColumnsFirst(node, getShape(x), *window, countPadding))
    op->setAttr(nn::kColumnsFirst, UnitAttr::get(op.getContext()));
  node.setResult(nn.toChannelsFirst(average));
}

/// Returns the exponent of a norm, which is a float before version 2, and an integer since then.
double readExponent(OperandBinder &node) {
  return node.getVersion() < 2 ? node.getFloat("p", 2) : static_cast<double>(node.getInt("p", 2));
}

/// Reports an error unless a norm with the exponent `p` exists.
bool checkExponent(OperandBinder &node, double p) {
  if (p >= 1)
    return true;
  node.error() << "attribute 'p' must be at least 1, but is " << static_cast<int64_t>(p);
  return false;
}

/// Computes the p-norm. The sum of |x|^p is its average times the number of cells.
void importLpPool(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  double p = readExponent(node);
  if (!checkExponent(node, p))
    return;
  FailureOr<Window> window = readPoolWindow(node);
  if (failed(window))
    return;
  double cells = 1;
  for (int64_t cell : window->kernel)
    cells *= static_cast<double>(cell);
  // Cells of the last window outside of the input add nothing, like pads.
  for (size_t axis = 0; axis < window->kernel.size(); ++axis)
    window->pads[window->kernel.size() + axis] += std::exchange(window->overhang[axis], 0);
  Value powers = nn.binary(BinaryKind::Pow, nn.unary(UnaryKind::Abs, x), p);
  Value sums = nn.mul(pool(node, PoolKind::Average, powers, *window, /*countPadding=*/true), cells);
  node.setResult(nn.binary(BinaryKind::Pow, sums, 1 / p));
}

void importGlobal(OperandBinder &node, ReduceKind kind) {
  Value x = node.getOperand(0);
  if (node.checkRank(0, 3))
    node.setResult(node.nn.reduce(kind, x, axisRange(2, getRank(x)), /*keepDims=*/true));
}

void importGlobalLpPool(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  double p = readExponent(node);
  if (!checkExponent(node, p))
    return;
  if (!node.checkRank(0, 3))
    return;
  Value powers = nn.binary(BinaryKind::Pow, nn.unary(UnaryKind::Abs, x), p);
  Value sums = nn.reduce(ReduceKind::Sum, powers, axisRange(2, getRank(x)), /*keepDims=*/true);
  node.setResult(nn.binary(BinaryKind::Pow, sums, 1 / p));
}

} // namespace

void registerPoolings(ImportRegistry &registry) {
  const Signature numbers{{"X", Holds::Numbers}}, floats{{"X", Holds::Floats}};
  registry.add("MaxPool", 1, numbers, importMaxPool);
  registry.add("AveragePool", 1, floats, importAveragePool);
  registry.add("LpPool", 1, floats, importLpPool);
  registry.add("GlobalAveragePool", 1, floats, [](OperandBinder &node) { importGlobal(node, ReduceKind::Mean); });
  registry.add("GlobalMaxPool", 1, numbers, [](OperandBinder &node) { importGlobal(node, ReduceKind::Max); });
  registry.add("GlobalLpPool", 1, floats, importGlobalLpPool);
}

} // namespace nacre::importer::onnx_format
