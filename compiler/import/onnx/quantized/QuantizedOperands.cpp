// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scales and zero points: operands that define the real values of the integers in another operand.

#include "compiler/import/onnx/quantized/QuantizedOperands.h"

#include "compiler/import/builder/CodeNotes.h"

using namespace mlir;

namespace nacre::importer::onnx_format {

static bool hasOneElement(Value value) { return getType(value).getNumElements() == 1; }

Value readScalar(OperandBinder &node, size_t index) {
  Value value = node.getOperand(index);
  if (!value || hasOneElement(value))
    return node.nn.reshape(value, {});
  node.error() << node.nameOf(index) << " must have one element, but is " << describe(value);
  return {};
}

Value readScalarOrVector(OperandBinder &node, size_t index, int64_t count, StringRef each) {
  Value value = node.getOperand(index);
  if (!value || hasOneElement(value))
    return node.nn.reshape(value, {});
  if (getRank(value) == 1 && getShape(value)[0] == count)
    return value;
  node.error() << node.nameOf(index) << " must have one element, or one for each of " << count << " " << each
               << ", but is " << describe(value);
  return {};
}

Value readOfMatrices(OperandBinder &node, size_t index, size_t matrices, int64_t axis) {
  Value value = node.getOperand(index), matrix = node.getOperand(matrices);
  if (!value || hasOneElement(value))
    return node.nn.reshape(value, {});
  SmallVector<int64_t> shape(getShape(matrix));
  if (shape.size() < 2 || getRank(value) < 2) {
    int64_t lines = shape.size() < 2 ? 1 : shape[shape.size() - 2 + axis];
    value = readScalarOrVector(node, index, lines, axis == 0 ? "rows" : "columns");
    return value && axis == 0 && getRank(value) == 1 ? node.nn.reshape(value, {lines, 1}) : value;
  }
  shape[shape.size() - 1 - axis] = 1; // one element for a whole row or column
  StringRef lines = axis == 0 ? "the rows of " : "the columns of ";
  return node.checkBroadcastsTo(index, shape, (lines + node.nameOf(matrices)).str()) ? value : Value();
}

void noteMatrices(OperandBinder &node, size_t matrices, size_t scale, size_t zero, int64_t axis) {
  Value codes = node.getOperand(matrices);
  noteReadCodes(codes, node.getOperand(scale), node.getOperand(zero), {getRank(codes) - 2 + axis});
}

Value asReal(NnBuilder &nn, Value scale) { return nn.cast(scale, nn.types().getF32Type()); }

Quantized readQuantized(OperandBinder &node, size_t first) {
  Quantized x{node.getOperand(first), asReal(node.nn, readScalar(node, first + 1)), readScalar(node, first + 2)};
  noteReadCodes(x.values, x.scale, x.zero);
  return x;
}

QuantizedType readQuantizedType(OperandBinder &node, size_t scale, Type type) {
  Value zero = readScalar(node, scale + 1);
  return {asReal(node.nn, readScalar(node, scale)), zero, zero ? getElementType(zero) : type};
}

Value roundTo(NnBuilder &nn, Value steps, const QuantizedType &type) {
  Value codes = roundToIntegers(nn, steps, type.zero, type.type);
  noteMadeCodes(codes, type.scale, type.zero);
  return codes;
}

Value quantize(NnBuilder &nn, Value real, const QuantizedType &type) {
  Value codes = importer::quantize(nn, real, type.scale, type.zero, type.type);
  noteMadeCodes(codes, type.scale, type.zero);
  return codes;
}

Value requantize(NnBuilder &nn, Value sums, Value scale, const QuantizedType &type) {
  if (!sums || !scale)
    return {};
  Value steps = nn.mul(nn.cast(sums, getElementType(scale)), nn.div(scale, type.scale));
  return roundTo(nn, steps, type);
}

} // namespace nacre::importer::onnx_format
