// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators on quantized tensors. If ONNX Runtime sums integers, this code does the same with the same rounding, so the
// results have the same bits. If ONNX Runtime computes in reals, by tables or by polynomials, this code computes in
// reals. Then results differ by at most one step.
//
// The parts of this file are elementwise operators, windows and reductions, and products.

#include "compiler/import/onnx/quantized/QuantizedOperators.h"
#include "compiler/import/builder/CodeNotes.h"
#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/onnx/contrib/Handlers.h"
#include "compiler/import/onnx/operands/Products.h"
#include "compiler/import/onnx/operators/Quantizations.h"
#include "compiler/import/onnx/quantized/QuantizedOperands.h"
#include "dialects/nn/shapes/ShapeRules.h"

using namespace mlir;

namespace nacre::importer::onnx_format::contrib {
namespace {

using nn::PoolKind;
using nn::ReduceKind;
using nn::UnaryKind;

//===----------------------------------------------------------------------===//
// 1. Elementwise
//===----------------------------------------------------------------------===//

/// Returns the integers of `x` minus the zero point, as reals.
Value centre(NnBuilder &nn, const Quantized &x) {
  Type real = nn.types().getF32Type();
  Value values = nn.cast(x.values, real);
  return x.zero ? nn.sub(values, nn.cast(x.zero, real)) : values;
}

/// Imports operands 0 and 3, each with its scale and zero point, and the scale and zero point of the result.
void importBinary(OperandBinder &node, bool multiplies) {
  NnBuilder &nn = node.nn;
  Quantized a = readQuantized(node, 0), b = readQuantized(node, 3);
  QuantizedType c = readQuantizedType(node, 6, getElementType(a.values));
  if (node.hasFailed() || failed(node.broadcastOperands()))
    return;
  Value steps;
  if (multiplies)
    steps = nn.mul(nn.mul(centre(nn, a), centre(nn, b)), nn.div(nn.mul(a.scale, b.scale), c.scale));
  else
    steps = nn.add(nn.mul(centre(nn, a), nn.div(a.scale, c.scale)), nn.mul(centre(nn, b), nn.div(b.scale, c.scale)));
  node.setResult(roundTo(nn, steps, c));
}

/// Imports x with its scale and zero point, and the scale and zero point of y. Applies a function of one real.
void importUnary(OperandBinder &node, UnaryKind kind, double alpha) {
  NnBuilder &nn = node.nn;
  Quantized x = readQuantized(node, 0);
  QuantizedType y = readQuantizedType(node, 3, getElementType(x.values));
  if (!node.hasFailed())
    node.setResult(quantize(nn, nn.unary(kind, dequantize(nn, x), alpha), y));
}

/// Imports a softmax. Before version 13 of the standard's Softmax, all axes from `axis` on are treated as one.
void importSoftmax(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Quantized x = readQuantized(node, 0);
  QuantizedType y = readQuantizedType(node, 3, getElementType(x.values));
  const bool isOld = node.getInt("opset", 13) < 13;
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", -1), getRank(x.values));
  if (node.hasFailed() || failed(axis))
    return;
  SmallVector<int64_t> shape(getShape(x.values));
  if (isOld)
    x.values = toMatrix(nn, x.values, *axis);
  Value softmax = nn.softmax(dequantize(nn, x), isOld ? 1 : *axis, /*log=*/false);
  node.setResult(nn.reshape(quantize(nn, softmax, y), shape));
}

/// Reports an error unless operand `index` agrees with operand `first` along all axes except `axis`. Adds the size of
/// its `axis` to `joined`.
bool joinShape(OperandBinder &node, size_t first, size_t index, int64_t axis, SmallVectorImpl<int64_t> &joined) {
  Value operand = node.getOperand(index), front = node.getOperand(first);
  SmallVector<int64_t> wanted(getShape(operand));
  if (getRank(operand) == getRank(front))
    wanted[axis] = getShape(front)[axis];
  if (Ints(wanted) != getShape(front)) {
    node.error() << "operands must agree along all axes but " << axis << ", but " << node.nameOf(first) << " is "
                 << describe(front) << " and " << node.nameOf(index) << " is " << describe(operand);
    return false;
  }
  joined[axis] += getShape(operand)[axis];
  return node.checkFits(joined);
}

/// Reports an error unless operand `index` has integers, and the next two are a scale and a zero point of the same
/// type.
bool checkTriple(OperandBinder &node, size_t index) {
  Value x = node.getOperand(index), scale = node.getOperand(index + 1), zero = node.getOperand(index + 2);
  if (x && scale && zero && getElementType(x).isInteger(8) && isFloat(scale) &&
      getElementType(zero) == getElementType(x))
    return true;
  node.error() << node.nameOf(index) << " and the next two must be a tensor of type int8 or uint8, its scale and "
               << "its zero point of the same type; correct the node's inputs";
  return false;
}

/// True if both are the same value, or equal constants.
bool isOne(Value a, Value b) { return a == b || (getConstant(a) && getConstant(a) == getConstant(b)); }

/// Converts `x` to `type`. If the constant scales and zero points are equal, the integers do not change.
Value bring(NnBuilder &nn, const Quantized &x, const QuantizedType &type) {
  const bool isSame = isOne(x.scale, type.scale) && isOne(x.zero, type.zero) && getElementType(x.values) == type.type;
  return isSame ? x.values : quantize(nn, dequantize(nn, x), type);
}

/// Imports the scale and zero point of the result, and then tensors with their scales and zero points. The tensors are
/// requantized.
void importConcat(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  constexpr size_t first = 2, triple = 3;
  QuantizedType y = readQuantizedType(node, 0, {});
  if ((node.getNumOperands() - first) % triple != 0) {
    node.error() << "operands must be a scale, a zero point and three per tensor, but are " << node.getNumOperands()
                 << "; correct the node's inputs";
    return;
  }
  if (node.hasFailed() || !checkTriple(node, first))
    return;
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 0), getRank(node.getOperand(first)));
  if (failed(axis))
    return;
  SmallVector<int64_t> joined(getShape(node.getOperand(first)));
  SmallVector<Value> parts;
  for (size_t index = first; index < node.getNumOperands(); index += triple) {
    if (!checkTriple(node, index) || (index != first && !joinShape(node, first, index, *axis, joined)))
      return;
    Quantized x = readQuantized(node, index);
    if (node.hasFailed())
      return;
    parts.push_back(bring(nn, x, y));
  }
  Value joinedParts = nn.concat(parts, *axis);
  noteMadeCodes(joinedParts, y.scale, y.zero);
  node.setResult(joinedParts);
}

/// Imports a condition, x and y with their scales and zero points, and the scale and zero point of the result.
void importWhere(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Quantized x = readQuantized(node, 1), y = readQuantized(node, 4);
  QuantizedType z = readQuantizedType(node, 7, getElementType(x.values));
  if (node.hasFailed())
    return;
  Value condition = node.getOperand(0);
  llvm::Expected<nn::Shape> shape = nn::broadcastShapes({getShape(condition), getShape(x.values), getShape(y.values)});
  if (!shape) {
    llvm::consumeError(shape.takeError());
    node.error() << "operands 0, 1 and 4 must broadcast, but are " << describe(condition) << ", " << describe(x.values)
                 << " and " << describe(y.values);
    return;
  }
  if (node.checkFits(*shape))
    node.setResult(nn.select(condition, bring(nn, x, z), bring(nn, y, z)));
}

//===----------------------------------------------------------------------===//
// 2. Windows and reductions
//===----------------------------------------------------------------------===//

Channels readChannels(OperandBinder &node) {
  return node.getFlag("channels_last", false) ? Channels::Last : Channels::First;
}

/// Pools `x`, whose channels have the position `channels`.
Value pool(NnBuilder &nn, PoolKind kind, Value x, const Window &window, bool countPadding, Channels channels) {
  Value input = channels == Channels::Last ? x : nn.toChannelsLast(x);
  Value y =
      nn.pool(kind, input, window.kernel, window.strides, window.pads, window.dilations, window.overhang, countPadding);
  return channels == Channels::Last ? y : nn.toChannelsFirst(y);
}

void importAveragePool(OperandBinder &node) {
  Quantized x = readQuantized(node, 0);
  QuantizedType y = readQuantizedType(node, 3, getElementType(x.values));
  Channels channels = readChannels(node);
  bool countPadding = node.getFlag("count_include_pad", false);
  FailureOr<Window> window = readPoolWindow(node, channels);
  if (node.hasFailed() || failed(window))
    return;
  Value average = pool(node.nn, PoolKind::Average, dequantize(node.nn, x), *window, countPadding, channels);
  node.setResult(quantize(node.nn, average, y));
}

/// Multiplies the sum of the integers by the scale, and divides it by the number of elements.
void importGlobalAveragePool(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Quantized x = readQuantized(node, 0);
  QuantizedType y = readQuantizedType(node, 3, getElementType(x.values));
  Channels channels = readChannels(node);
  if (node.hasFailed() || !node.checkRank(0, 3))
    return;
  int64_t begin = firstSpatialAxis(channels), end = begin + getRank(x.values) - 2;
  double count = 1;
  for (int64_t size : getShape(x.values).slice(begin, end - begin))
    count *= static_cast<double>(size);
  Type sum = nn.types().getI32Type();
  Value sums = nn.reduce(ReduceKind::Sum, nn.cast(x.values, sum), axisRange(begin, end), /*keepDims=*/true);
  if (x.zero)
    sums = nn.sub(sums, nn.mul(nn.cast(x.zero, sum), count));
  Value steps = nn.mul(nn.cast(sums, nn.types().getF32Type()), nn.div(x.scale, nn.mul(y.scale, count)));
  node.setResult(roundTo(nn, steps, y));
}

void importNhwcMaxPool(OperandBinder &node) {
  FailureOr<Window> window = readPoolWindow(node, Channels::Last);
  if (succeeded(window))
    node.setResult(pool(node.nn, PoolKind::Max, node.getOperand(0), *window, /*countPadding=*/false, Channels::Last));
}

//===----------------------------------------------------------------------===//
// 3. Products
//===----------------------------------------------------------------------===//

/// Computes alpha * op(a) * op(b) plus a bias. The bias has 32 bits and the scale of the sums. Without a scale of y,
/// the result is real.
void importQGemm(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Quantized a = readQuantized(node, 0);
  Value b = node.getOperand(3), bias = node.getOperand(6);
  double alpha = node.getFloat("alpha", 1);
  bool transA = node.getFlag("transA", false), transB = node.getFlag("transB", false);
  if (node.hasFailed() || !node.checkRank(0, 2, 2) || !node.checkRank(3, 2, 2))
    return;
  int64_t rows = getShape(a.values)[transA], columns = getShape(b)[!transB];
  Value scale = asReal(nn, readScalarOrVector(node, 4, columns, "columns"));
  Value zero = readScalarOrVector(node, 5, columns, "columns");
  QuantizedType y = readQuantizedType(node, 7, getElementType(a.values));
  if (node.hasFailed() || !checkDepth(node, 0, getShape(a.values)[!transA], 3, getShape(b)[transB]) ||
      !node.checkFits({rows, columns}) || !node.checkBroadcastsTo(6, {rows, columns}, "the product"))
    return;
  noteReadCodes(b, scale, zero, {transB ? 0 : 1});
  Value lhs = transA ? nn.transpose(a.values, {1, 0}) : a.values;
  Value sums = integerMatMul(nn, lhs, a.zero, transB ? nn.transpose(b, {1, 0}) : b, zero);
  if (bias && sums)
    sums = nn.add(sums, nn.cast(bias, getElementType(sums)));
  Value product = nn.mul(nn.mul(a.scale, alpha), scale);
  if (y.scale)
    node.setResult(requantize(nn, sums, product, y));
  else
    node.setResult(product ? nn.mul(nn.cast(sums, getElementType(product)), product) : Value());
}

/// Sets the result to sums * scales + bias. Operand `bias` is optional, and has one element per column.
void finishReal(OperandBinder &node, const Factors &factors, Value sums, Value scale, size_t bias) {
  NnBuilder &nn = node.nn;
  if (!sums || !scale || !node.checkShape(bias, getShape(sums).back(), "one element for each column"))
    return;
  Value real = nn.mul(nn.cast(sums, getElementType(scale)), scale);
  if (Value addend = node.getOperand(bias))
    real = nn.add(real, asReal(nn, addend));
  node.setResult(nn.reshape(real, factors.shape));
}

/// Multiplies reals a by integers b with their scale and zero point, and adds a bias. a is quantized by the range of
/// all its elements.
void importDynamicQuantizeMatMul(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value scale = asReal(nn, readOfMatrices(node, 2, 1, /*axis=*/1)), zero = readOfMatrices(node, 3, 1, /*axis=*/1);
  if (node.hasFailed())
    return;
  FailureOr<Factors> factors = readFactors(node, 0, 1);
  if (failed(factors))
    return;
  noteMatrices(node, 1, 2, 3, /*axis=*/1);
  Quantized a = quantizeDynamically(nn, asReal(nn, factors->lhs));
  Value sums = integerMatMul(nn, a.values, a.zero, factors->rhs, zero);
  finishReal(node, *factors, sums, nn.mul(a.scale, scale), 4);
}

/// Imports a and b, the scales of both, the zero points of both, and a bias.
void importMatMulIntegerToFloat(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value lhsScale = asReal(nn, readOfMatrices(node, 2, 0, /*axis=*/0));
  Value rhsScale = asReal(nn, readOfMatrices(node, 3, 1, /*axis=*/1));
  Value lhsZero = readOfMatrices(node, 4, 0, /*axis=*/0), rhsZero = readOfMatrices(node, 5, 1, /*axis=*/1);
  if (node.hasFailed())
    return;
  FailureOr<Factors> factors = readFactors(node, 0, 1);
  if (failed(factors))
    return;
  noteMatrices(node, 0, 2, 4, /*axis=*/0);
  noteMatrices(node, 1, 3, 5, /*axis=*/1);
  Value sums = integerMatMul(nn, factors->lhs, lhsZero, factors->rhs, rhsZero);
  finishReal(node, *factors, sums, nn.mul(lhsScale, rhsScale), 6);
}

void registerElementwise(ImportRegistry &registry) {
  const Signature binary{
      {"A", Holds::Bytes, 'T'},   {"A_scale", Holds::Floats},          {"A_zero_point?", Holds::Bytes, 'T'},
      {"B", Holds::Bytes, 'T'},   {"B_scale", Holds::Floats},          {"B_zero_point?", Holds::Bytes, 'T'},
      {"C_scale", Holds::Floats}, {"C_zero_point?", Holds::Bytes, 'T'}};
  registry.add("QLinearAdd", 1, binary, [](OperandBinder &node) { importBinary(node, /*multiplies=*/false); });
  registry.add("QLinearMul", 1, binary, [](OperandBinder &node) { importBinary(node, /*multiplies=*/true); });
  registry.add("QLinearConcat", 1,
               {{"Y_scale", Holds::Floats}, {"Y_zero_point", Holds::Bytes}, {"inputs...", Holds::Anything}},
               importConcat);
  registry.add("QLinearWhere", 1,
               {{"condition", Holds::Booleans},
                {"X", Holds::Bytes, 'T'},
                {"x_scale", Holds::Floats},
                {"x_zero_point", Holds::Bytes, 'T'},
                {"Y", Holds::Bytes, 'T'},
                {"y_scale", Holds::Floats},
                {"y_zero_point", Holds::Bytes, 'T'},
                {"z_scale", Holds::Floats},
                {"z_zero_point", Holds::Bytes, 'T'}},
               importWhere);
}

} // namespace

void registerQuantizedOperators(ImportRegistry &registry) {
  // These operators have the same meaning as the standard's operators. ONNX Runtime's tools write them for 16 bits in
  // older operator sets.
  addQuantizations(registry, 1);
  registerElementwise(registry);
  const Signature unary{{"X", Holds::Bytes, 'T'},
                        {"X_scale", Holds::Floats},
                        {"X_zero_point?", Holds::Bytes, 'T'},
                        {"Y_scale", Holds::Floats},
                        {"Y_zero_point?", Holds::Bytes, 'T'}};
  registry.add("QLinearLeakyRelu", 1, unary,
               [](OperandBinder &node) { importUnary(node, UnaryKind::LeakyRelu, node.getFloat("alpha", 0.01F)); });
  registry.add("QLinearSigmoid", 1, unary, [](OperandBinder &node) { importUnary(node, UnaryKind::Sigmoid, 0); });
  registry.add("QLinearSoftmax", 1, unary, importSoftmax);
  registry.add("QLinearAveragePool", 1, unary, importAveragePool);
  registry.add("QLinearGlobalAveragePool", 1, unary, importGlobalAveragePool);
  registry.add("NhwcMaxPool", 1, {{"x", Holds::Bytes}}, importNhwcMaxPool);
  registry.add("QLinearConv", 1, getQLinearConvSignature(),
               [](OperandBinder &node) { importQLinearConv(node, readChannels(node)); });
  registry.add("QGemm", 1,
               {{"A", Holds::Bytes, 'A'},
                {"a_scale", Holds::Floats},
                {"a_zero_point", Holds::Bytes, 'A'},
                {"B", Holds::Bytes, 'B'},
                {"b_scale", Holds::Floats},
                {"b_zero_point", Holds::Bytes, 'B'},
                {"C?", Holds::Indices},
                {"y_scale?", Holds::Floats},
                {"y_zero_point?", Holds::Bytes}},
               importQGemm);
  registry.add("DynamicQuantizeMatMul", 1,
               {{"A", Holds::Floats},
                {"B", Holds::Bytes, 'B'},
                {"b_scale", Holds::Floats},
                {"b_zero_point?", Holds::Bytes, 'B'},
                {"bias?", Holds::Floats}},
               importDynamicQuantizeMatMul);
  registry.add("MatMulIntegerToFloat", 1,
               {{"A", Holds::Bytes, 'A'},
                {"B", Holds::Bytes, 'B'},
                {"a_scale", Holds::Floats},
                {"b_scale", Holds::Floats},
                {"a_zero_point?", Holds::Bytes, 'A'},
                {"b_zero_point?", Holds::Bytes, 'B'},
                {"bias?", Holds::Floats}},
               importMatMulIntegerToFloat);
}

} // namespace nacre::importer::onnx_format::contrib
