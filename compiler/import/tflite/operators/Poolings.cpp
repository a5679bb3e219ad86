// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poolings over windows of rows and columns. Padding never contributes to a result.

#include "compiler/import/compositions/Tables.h"
#include "compiler/import/tflite/Handlers.h"
#include "compiler/import/tflite/operators/Windows.h"
#include "compiler/import/tflite/quantized/Rescaling.h"

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

using nn::BinaryKind;
using nn::PoolKind;
using nn::UnaryKind;

FailureOr<Window> readPool(TfliteNode &node) {
  if (!node->checkRank(0, 4, 4))
    return failure();
  const int64_t rows = node->getInt("filter_height", 0), columns = node->getInt("filter_width", 0);
  FailureOr<Window> window =
      readWindow(node, 0, {rows, columns}, {getPlaneOptions().strides, {}}, getShape(node.getOperand(0))[3]);
  return window;
}

Value pool(NnBuilder &nn, PoolKind kind, Value x, const Window &window, bool countPadding = false) {
  return nn.pool(kind, x, window.kernel, window.strides, window.pads, window.dilations, window.overhang, countPadding);
}

/// Returns the number of input elements of each window, [1, rows, columns, 1].
Value countElements(NnBuilder &nn, Ints input, Ints result, const Window &window) {
  auto type = RankedTensorType::get({1, result[1], result[2], 1}, nn.types().getI32Type());
  return makeTable<int64_t>(nn, type, [&, columns = result[2]](int64_t index) {
    int64_t count = 1;
    for (size_t axis = 0; axis < 2; ++axis) {
      int64_t begin = (axis ? index % columns : index / columns) * window.strides[axis] - window.pads[axis];
      int64_t end = std::min(begin + window.kernel[axis], input[axis + 1]);
      count *= end - std::max<int64_t>(begin, 0);
    }
    return count;
  });
}

/// Returns the average of each window: the sum divided by the count, rounded to the nearest integer, and x.5 away from
/// zero.
Value averageIntegers(NnBuilder &nn, Value x, const Window &window) {
  const int64_t channels = getShape(x)[3];
  auto ones = RankedTensorType::get({window.kernel[0], window.kernel[1], 1, channels}, nn.types().getI8Type());
  Value sums = nn.conv(x, nn.splat(ones, 1), window.strides, window.pads, window.dilations, channels);
  sums = nn.cast(sums, nn.types().getI32Type());
  if (!sums)
    return {};
  Value count = countElements(nn, getShape(x), getShape(sums), window);
  Value half = nn.div(count, 2);
  Value isAbove = nn.binary(BinaryKind::Greater, sums, 0.0);
  return nn.div(nn.select(isAbove, nn.add(sums, half), nn.sub(sums, half)), count);
}

/// Reports an error unless the integers are narrow enough for their sums.
bool checkWidth(TfliteNode &node) {
  Value x = node.getOperand(0);
  if (getElementType(x).getIntOrFloatBitWidth() <= 16)
    return true;
  node.error() << node->nameOf(0) << " must hold floats or 8- or 16-bit integers, but is " << describe(x);
  return false;
}

void importAveragePool(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  FailureOr<Window> window = readPool(node);
  if (failed(window))
    return;
  Value x = node.getOperand(0);
  if (isFloat(x)) {
    node.setResult(activate(nn, readActivation(node), pool(nn, PoolKind::Average, x, *window)));
    return;
  }
  FailureOr<IntegerRange> range = getRange(node, readActivation(node));
  if (succeeded(range) && checkWidth(node))
    node.setResult(saturate(nn, averageIntegers(nn, x, *window), 0, *range, getElementType(x)));
}

void importMaxPool(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  FailureOr<Window> window = readPool(node);
  if (failed(window))
    return;
  Value x = node.getOperand(0), largest = pool(nn, PoolKind::Max, x, *window);
  Activation activation = readActivation(node);
  if (isFloat(x)) {
    node.setResult(activate(nn, activation, largest));
    return;
  }
  FailureOr<IntegerRange> range = getRange(node, activation);
  if (failed(range) || !checkWidth(node))
    return;
  node.setResult(activation == Activation::None
                     ? largest
                     : saturate(nn, nn.cast(largest, nn.types().getI32Type()), 0, *range, getElementType(x)));
}

/// Imports L2_POOL_2D: the root of the mean of the squares.
void importL2Pool(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  FailureOr<Window> window = readPool(node);
  if (failed(window))
    return;
  Value x = node.getOperand(0);
  Value mean = pool(nn, PoolKind::Average, nn.mul(x, x), *window);
  node.setResult(activate(nn, readActivation(node), nn.unary(UnaryKind::Sqrt, mean)));
}

} // namespace

void registerPoolings(ImportRegistry &registry) {
  add(registry, "AVERAGE_POOL_2D", Integers::Moved, {{"input", Holds::Numbers}}, importAveragePool);
  add(registry, "MAX_POOL_2D", Integers::Moved, {{"input", Holds::Numbers}}, importMaxPool);
  add(registry, "L2_POOL_2D", Integers::Plain, {{"input", Holds::Floats}}, importL2Pool);
}

} // namespace nacre::importer::tflite_format
