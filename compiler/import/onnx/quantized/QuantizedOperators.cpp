// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators on quantized tensors. Contractions have 32-bit sums. The sums are the results, or are requantized to 8 bits
// by one multiplication in f32 and one rounding. Another operator computes the scale and zero point for a tensor from
// its range.

#include "compiler/import/onnx/quantized/QuantizedOperators.h"

#include "compiler/import/builder/CodeNotes.h"
#include "compiler/import/onnx/operands/ConvolutionOperands.h"
#include "compiler/import/onnx/operands/Products.h"
#include "compiler/import/onnx/quantized/QuantizedOperands.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Convolutions
//===----------------------------------------------------------------------===//

/// Returns the sums of a convolution of operand 0. `operands` are its other operands. Returns null after an error.
Value convolve(OperandBinder &node, const ConvolutionOperands &operands, Value inputZero, Value filterZero) {
  int64_t groups = node.getInt("group", 1);
  Value weights = node.getOperand(operands.weights);
  if (node.hasFailed() || !checkConvolution(node, operands, groups))
    return {};
  FailureOr<Window> window =
      readWindow(node, getShape(weights).drop_front(2), /*outputChannels=*/getShape(weights)[0], operands.channels);
  if (failed(window))
    return {};
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), filter = toFilter(nn, weights);
  Value input = operands.channels == Channels::Last ? x : nn.toChannelsLast(x);
  return integerConv(nn, input, inputZero, filter, filterZero, *window, groups);
}

int64_t countFilters(OperandBinder &node, size_t weights) {
  Value filters = node.getOperand(weights);
  return getRank(filters) == 0 ? 1 : getShape(filters)[0];
}

void importConvInteger(OperandBinder &node) {
  Value inputZero = readScalar(node, 2);
  Value filterZero = readScalarOrVector(node, 3, countFilters(node, 1), "filters");
  node.setResult(node.nn.toChannelsFirst(convolve(node, {}, inputZero, filterZero)));
}

//===----------------------------------------------------------------------===//
// 2. Products
//===----------------------------------------------------------------------===//

void importMatMulInteger(OperandBinder &node) {
  Value lhsZero = readOfMatrices(node, 2, 0, /*axis=*/0), rhsZero = readOfMatrices(node, 3, 1, /*axis=*/1);
  if (node.hasFailed())
    return;
  FailureOr<Factors> factors = readFactors(node, 0, 1);
  if (failed(factors))
    return;
  Value sums = integerMatMul(node.nn, factors->lhs, lhsZero, factors->rhs, rhsZero);
  node.setResult(node.nn.reshape(sums, factors->shape));
}

/// Imports a and b, each with its scale and zero point, and the scale and zero point of y.
void importQLinearMatMul(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value lhsScale = asReal(nn, readOfMatrices(node, 1, 0, /*axis=*/0)), lhsZero = readOfMatrices(node, 2, 0, /*axis=*/0);
  Value rhsScale = asReal(nn, readOfMatrices(node, 4, 3, /*axis=*/1)), rhsZero = readOfMatrices(node, 5, 3, /*axis=*/1);
  Value scale = asReal(nn, readOfMatrices(node, 6, 0, /*axis=*/0)), zero = readOfMatrices(node, 7, 0, /*axis=*/0);
  if (node.hasFailed())
    return;
  FailureOr<Factors> factors = readFactors(node, 0, 3);
  if (failed(factors))
    return;
  noteMatrices(node, 0, 1, 2, /*axis=*/0);
  noteMatrices(node, 3, 4, 5, /*axis=*/1);
  Value sums = integerMatMul(nn, factors->lhs, lhsZero, factors->rhs, rhsZero);
  Value y = requantize(nn, sums, nn.mul(lhsScale, rhsScale), {scale, zero, getElementType(node.getOperand(7))});
  y = nn.reshape(y, factors->shape);
  noteMadeCodes(y, node.getOperand(6), node.getOperand(7), {static_cast<int64_t>(factors->shape.size()) - 2});
  node.setResult(y);
}

//===----------------------------------------------------------------------===//
// 3. Ranges
//===----------------------------------------------------------------------===//

void importDynamicQuantizeLinear(OperandBinder &node) {
  Quantized y = quantizeDynamically(node.nn, node.getOperand(0));
  node.setResult(0, y.values);
  node.setResult(1, y.scale);
  node.setResult(2, y.zero);
}

} // namespace

void importQLinearConv(OperandBinder &node, Channels channels) {
  NnBuilder &nn = node.nn;
  Quantized x = readQuantized(node, 0);
  const int64_t filters = countFilters(node, 3);
  Value filterScale = asReal(nn, readScalarOrVector(node, 4, filters, "filters"));
  Value filterZero = readScalarOrVector(node, 5, filters, "filters");
  noteReadCodes(node.getOperand(3), filterScale, filterZero);
  QuantizedType type = readQuantizedType(node, 6, {});
  Value sums = convolve(node, {/*weights=*/3, /*bias=*/8, channels}, x.zero, filterZero);
  if (!sums)
    return;
  if (Value bias = node.getOperand(8))
    sums = nn.add(sums, nn.cast(bias, getElementType(sums)));
  Value y = requantize(nn, sums, nn.mul(x.scale, filterScale), type);
  node.setResult(channels == Channels::Last ? y : nn.toChannelsFirst(y));
}

Signature getQLinearConvSignature() {
  return {{"x", Holds::Bytes, 'X'},        {"x_scale", Holds::Floats, 'S'}, {"x_zero_point", Holds::Bytes, 'X'},
          {"w", Holds::Bytes, 'W'},        {"w_scale", Holds::Floats, 'S'}, {"w_zero_point", Holds::Bytes, 'W'},
          {"y_scale", Holds::Floats, 'S'}, {"y_zero_point", Holds::Bytes},  {"B?", Holds::Indices}};
}

void registerQuantizedOperators(ImportRegistry &registry) {
  registry.add("ConvInteger", 10,
               {{"x", Holds::Bytes, 'X'},
                {"w", Holds::Bytes, 'W'},
                {"x_zero_point?", Holds::Bytes, 'X'},
                {"w_zero_point?", Holds::Bytes, 'W'}},
               importConvInteger);
  registry.add("QLinearConv", 10, getQLinearConvSignature(),
               [](OperandBinder &node) { importQLinearConv(node, Channels::First); });
  registry.add("MatMulInteger", 10,
               {{"A", Holds::Bytes, 'A'},
                {"B", Holds::Bytes, 'B'},
                {"a_zero_point?", Holds::Bytes, 'A'},
                {"b_zero_point?", Holds::Bytes, 'B'}},
               importMatMulInteger);
  registry.add("QLinearMatMul", 10,
               {{"a", Holds::Bytes, 'A'},
                {"a_scale", Holds::Floats, 'S'},
                {"a_zero_point", Holds::Bytes, 'A'},
                {"b", Holds::Bytes, 'B'},
                {"b_scale", Holds::Floats, 'S'},
                {"b_zero_point", Holds::Bytes, 'B'},
                {"y_scale", Holds::Floats, 'S'},
                {"y_zero_point", Holds::Bytes}},
               importQLinearMatMul);
  registry.add("DynamicQuantizeLinear", 11, {{"x", Holds::Floats}}, importDynamicQuantizeLinear);
}

} // namespace nacre::importer::onnx_format
