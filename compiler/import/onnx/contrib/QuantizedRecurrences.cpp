// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSTM with 8-bit weights, as ONNX Runtime's dynamic quantization writes it. Inputs and states are quantized at each
// product, by their range.
//
// Each direction is a loop with integer products. The range covers all operands of a product: all rows of the batch
// that have not ended.

#include "compiler/import/compositions/Movement.h"
#include "compiler/import/onnx/contrib/Handlers.h"
#include "compiler/import/onnx/operators/Recurrences.h"
#include "compiler/import/onnx/quantized/QuantizedOperands.h"

using namespace mlir;

namespace nacre::importer::onnx_format::contrib {
namespace {

constexpr size_t weightScale = 8, recurrenceScale = 10; // index of each scale; the zero points follow it
constexpr int64_t numGates = 4;

/// Reports an error unless operand `index` has one element per direction, or one per column of each direction.
bool checkParameter(OperandBinder &node, size_t index, int64_t directions, int64_t columns) {
  Value parameter = node.getOperand(index);
  if (parameter && getShape(parameter) == Ints({directions}))
    return true;
  if (parameter)
    return node.checkShape(index, {directions, columns}, "one element, or one for each column, of each direction");
  node.error() << node.nameOf(index) << " is required, but is left out; name it as an input";
  return false;
}

bool checkParameters(OperandBinder &node) {
  Value recurrence = node.getOperand(2);
  if (!node.checkRank(2, 3, 3))
    return false;
  for (size_t index : {weightScale, weightScale + 1, recurrenceScale, recurrenceScale + 1})
    if (!checkParameter(node, index, getShape(recurrence)[0], getShape(recurrence)[2]))
      return false;
  for (size_t zero : {weightScale + 1, recurrenceScale + 1}) {
    const size_t weights = zero == weightScale + 1 ? 1 : 2;
    if (getElementType(node.getOperand(zero)) == getElementType(node.getOperand(weights)))
      continue;
    node.error() << node.nameOf(zero) << " must have the type of " << node.nameOf(weights) << ", "
                 << describe(node.getOperand(weights)) << ", but is " << describe(node.getOperand(zero));
    return false;
  }
  return true;
}

/// Returns the part of operand `index` for a direction: a scalar, or one element per column.
Value takeParameter(OperandBinder &node, size_t index, int64_t direction) {
  Value all = node.getOperand(index);
  return node.nn.reshape(node.nn.slice(all, 0, direction, 1), getShape(all).drop_front());
}

/// Returns the integers `values` with the scale and zero point of a direction. These are in the operands `scale` and
/// `scale` + 1.
Quantized readWeights(OperandBinder &node, Value values, size_t scale, int64_t direction) {
  return {values, asReal(node.nn, takeParameter(node, scale, direction)), takeParameter(node, scale + 1, direction)};
}

/// Multiplies `rows`, quantized by the range of all rows, by the integers `weights`.
Value multiply(NnBuilder &nn, Value rows, const Quantized &weights) {
  if (!rows)
    return {};
  Quantized codes = quantizeDynamically(nn, asReal(nn, rows));
  Value sums = integerMatMul(nn, codes.values, codes.zero, weights.values, weights.zero);
  Value scale = nn.mul(codes.scale, weights.scale);
  return sums && scale ? nn.cast(nn.mul(nn.cast(sums, getElementType(scale)), scale), getElementType(rows)) : Value();
}

/// Returns `input` [T, B, I] with zeros in the steps after the end of the longest row.
Value clearBehindAll(NnBuilder &nn, Value input, Value lengths) {
  const int64_t steps = getShape(input)[0];
  Value longest = nn.reduce(nn::ReduceKind::Max, lengths, 0, /*keepDims=*/false);
  Value times = nn.reshape(nn.cast(nn.counting(steps), getElementType(lengths)), {steps, 1, 1});
  return nn.select(nn.binary(nn::BinaryKind::Less, times, longest), input, nn.scalar(input, 0));
}

RecurrentResults buildDirection(OperandBinder &node, const Direction &direction) {
  NnBuilder &nn = node.nn;
  NnBuilder::Recurrence layer = direction.layer;
  Value lengths = layer.lengths;
  // Rows start at the same step in both directions, because the start decides which values are quantized together.
  const bool turnsRows = layer.reverse && lengths;
  if (lengths)
    layer.input = clearBehindAll(nn, layer.input, lengths);
  if (turnsRows) {
    layer.input = reverseSequence(nn, layer.input, lengths, /*batchAxis=*/1, /*timeAxis=*/0);
    layer.reverse = false;
  }
  const Quantized weights = readWeights(node, layer.weights, weightScale, direction.index);
  const Quantized recurrence = readWeights(node, layer.recurrence, recurrenceScale, direction.index);
  auto activate = [&](int64_t index, Value x) { return direction.functions[index].apply(nn, x); };
  auto multiplyInput = [&](Value rows) { return multiply(nn, rows, weights); };
  auto multiplyState = [&](Value state) { return multiply(nn, state, recurrence); };
  CellLayer cells = describeCells(nn, nn::CellKind::Lstm, layer, activate);
  cells.multiplyInput = multiplyInput;
  cells.multiplyState = multiplyState;
  RecurrentResults results = buildCells(nn, cells);
  if (turnsRows)
    results.all = reverseSequence(nn, results.all, lengths, /*batchAxis=*/1, /*timeAxis=*/0);
  return results;
}

void importDynamicQuantizeLstm(OperandBinder &node) {
  const CellOperator cell{nn::CellKind::Lstm, numGates, {"Sigmoid", "Tanh", "Tanh"}, /*hasRowsOfGates=*/false};
  if (checkParameters(node))
    importCells(node, cell, [&](const Direction &direction) { return buildDirection(node, direction); });
}

} // namespace

void registerQuantizedRecurrences(ImportRegistry &registry) {
  registry.add("DynamicQuantizeLSTM", 1,
               {{"X", Holds::Floats, 'T'},
                {"W", Holds::Bytes},
                {"R", Holds::Bytes},
                {"B?", Holds::Floats, 'T'},
                {"sequence_lens?", Holds::Indices},
                {"initial_h?", Holds::Floats, 'T'},
                {"initial_c?", Holds::Floats, 'T'},
                {"P?", Holds::Floats, 'T'},
                {"W_scale?", Holds::Floats},
                {"W_zero_point?", Holds::Bytes},
                {"R_scale?", Holds::Floats},
                {"R_zero_point?", Holds::Bytes}},
               importDynamicQuantizeLstm);
}

} // namespace nacre::importer::onnx_format::contrib
