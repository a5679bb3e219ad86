// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise arithmetic, comparison and logic.
//
// How:  1. operators that are one `nn` kind: rows of data,
//       2. operators of any number of operands,
//       3. the rest.

#include "compiler/import/onnx/Handlers.h"

#include "compiler/import/onnx/File.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

using nn::BinaryKind;
using nn::UnaryKind;

//===----------------------------------------------------------------------===//
// 1. One kind
//===----------------------------------------------------------------------===//

struct UnaryRow {
  const char *op;
  int64_t since;
  UnaryKind kind;
};

constexpr UnaryRow unaryRows[] = {
    {"Abs", 6, UnaryKind::Abs},
    {"Acos", 7, UnaryKind::Acos},
    {"Acosh", 9, UnaryKind::Acosh},
    {"Asin", 7, UnaryKind::Asin},
    {"Asinh", 9, UnaryKind::Asinh},
    {"Atan", 7, UnaryKind::Atan},
    {"Atanh", 9, UnaryKind::Atanh},
    {"BitwiseNot", 18, UnaryKind::BitNot},
    {"Ceil", 6, UnaryKind::Ceil},
    {"Cos", 7, UnaryKind::Cos},
    {"Cosh", 9, UnaryKind::Cosh},
    {"Erf", 9, UnaryKind::Erf},
    {"Exp", 6, UnaryKind::Exp},
    {"Floor", 6, UnaryKind::Floor},
    {"IsNaN", 9, UnaryKind::IsNaN},
    {"Log", 6, UnaryKind::Log},
    {"Neg", 6, UnaryKind::Neg},
    {"Not", 1, UnaryKind::Not},
    {"Reciprocal", 6, UnaryKind::Reciprocal},
    {"Relu", 6, UnaryKind::Relu},
    {"Round", 11, UnaryKind::Round},
    {"Sigmoid", 6, UnaryKind::Sigmoid},
    {"Sign", 9, UnaryKind::Sign},
    {"Sin", 7, UnaryKind::Sin},
    {"Sinh", 9, UnaryKind::Sinh},
    {"Softplus", 1, UnaryKind::Softplus},
    {"Sqrt", 6, UnaryKind::Sqrt},
    {"Tan", 7, UnaryKind::Tan},
    {"Tanh", 6, UnaryKind::Tanh},
};

struct BinaryRow {
  const char *op;
  int64_t since;
  BinaryKind kind;
};

/// From version 7 on operands broadcast as in NumPy; before, an attribute said where (importBinary1).
constexpr BinaryRow binaryRows[] = {
    {"Add", 7, BinaryKind::Add},
    {"And", 7, BinaryKind::And},
    {"BitwiseAnd", 18, BinaryKind::And},
    {"BitwiseOr", 18, BinaryKind::Or},
    {"BitwiseXor", 18, BinaryKind::Xor},
    {"Div", 7, BinaryKind::Div},
    {"Equal", 7, BinaryKind::Equal},
    {"Greater", 7, BinaryKind::Greater},
    {"GreaterOrEqual", 12, BinaryKind::GreaterEqual},
    {"Less", 7, BinaryKind::Less},
    {"LessOrEqual", 12, BinaryKind::LessEqual},
    {"Mul", 7, BinaryKind::Mul},
    {"Or", 7, BinaryKind::Or},
    {"Pow", 7, BinaryKind::Pow},
    {"Sub", 7, BinaryKind::Sub},
    {"Xor", 7, BinaryKind::Xor},
};

/// Before version 7 the second operand was broadcast if the node said so, its axes lying under those of the first from
/// `axis` on, or under the last ones.
void importBinary1(OperandBinder &node, BinaryKind kind) {
  node.ignore({"consumed_inputs"});
  Value lhs = node.getOperand(0), rhs = node.getOperand(1);
  bool broadcasts = node.getFlag("broadcast", false);
  int64_t ahead = getRank(lhs) - getRank(rhs), axis = node.getInt("axis", ahead);
  if (broadcasts && axis != ahead) {
    if (axis < 0 || axis > ahead) {
      node.error() << "attribute 'axis' must lie between 0 and " << ahead << ", but is " << axis;
      return;
    }
    SmallVector<int64_t> shape(getShape(rhs));
    shape.append(ahead - axis, 1);
    rhs = node.nn.reshape(rhs, shape);
  }
  node.setResult(node.nn.binary(kind, lhs, rhs));
}

//===----------------------------------------------------------------------===//
// 2. Any number of operands
//===----------------------------------------------------------------------===//

Value combine(OperandBinder &node, BinaryKind kind) {
  Value result = node.getOperand(0);
  for (Value operand : node.getOperands().drop_front())
    result = node.nn.binary(kind, result, operand);
  return result;
}

void importMean(OperandBinder &node) {
  node.setResult(node.nn.div(combine(node, BinaryKind::Add), static_cast<double>(node.getNumOperands())));
}

//===----------------------------------------------------------------------===//
// 3. The rest
//===----------------------------------------------------------------------===//

void importMod(OperandBinder &node) {
  Value lhs = node.getOperand(0);
  bool takesDividendSign = node.getFlag("fmod", false);
  if (isFloat(lhs) && !takesDividendSign) {
    node.error() << "attribute 'fmod' must be 1 for floats, but is 0";
    return;
  }
  node.setResult(node.nn.binary(takesDividendSign ? BinaryKind::Fmod : BinaryKind::Mod, lhs, node.getOperand(1)));
}

void importBitShift(OperandBinder &node) {
  StringRef direction = node.getString("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") {
    node.error() << "attribute 'direction' must be LEFT or RIGHT, but is '" << direction << "'";
    return;
  }
  node.setResult(node.nn.binary(direction == "LEFT" ? BinaryKind::ShiftLeft : BinaryKind::ShiftRight,
                                node.getOperand(0), node.getOperand(1)));
}

void importIsInf(OperandBinder &node) {
  Value x = node.getOperand(0);
  Value result = node.nn.unary(UnaryKind::IsInf, x);
  bool negative = node.getFlag("detect_negative", true);
  bool positive = node.getFlag("detect_positive", true);
  if (!negative)
    result = node.nn.binary(BinaryKind::And, result, node.nn.binary(BinaryKind::Greater, x, 0.0));
  if (!positive)
    result = node.nn.binary(BinaryKind::And, result, node.nn.binary(BinaryKind::Less, x, 0.0));
  node.setResult(result);
}

void importWhere(OperandBinder &node) {
  node.setResult(node.nn.select(node.getOperand(0), node.getOperand(1), node.getOperand(2)));
}

/// Limits as attributes, before version 11.
void importClip6(OperandBinder &node) {
  Value x = node.getOperand(0);
  if (node.has("min"))
    x = node.nn.binary(BinaryKind::Max, x, node.getFloat("min", 0));
  if (node.has("max"))
    x = node.nn.binary(BinaryKind::Min, x, node.getFloat("max", 0));
  node.setResult(x);
}

void importClip11(OperandBinder &node) {
  Value x = node.getOperand(0);
  if (Value low = node.getOperand(1))
    x = node.nn.binary(BinaryKind::Max, x, low);
  if (Value high = node.getOperand(2))
    x = node.nn.binary(BinaryKind::Min, x, high);
  node.setResult(x);
}

void importCast(OperandBinder &node) {
  node.ignore({"saturate", "round_mode"}); // they concern 8-bit floats
  int64_t dataType = node.getInt("to", 0);
  Type type = fromDataType(dataType, node.nn.getLoc().getContext());
  if (!type) {
    node.error() << "attribute 'to' must be a type that Nacre has, but is '" << getElementTypeName(dataType) << "'";
    return;
  }
  node.setResult(node.nn.cast(node.getOperand(0), type));
}

void importCastLike(OperandBinder &node) {
  node.ignore({"saturate", "round_mode"});
  node.setResult(node.nn.cast(node.getOperand(0), getElementType(node.getOperand(1))));
}

} // namespace

void registerElementwise(ImportRegistry &registry) {
  for (const UnaryRow &row : unaryRows)
    registry.add(row.op, row.since, {1, 1},
                 [kind = row.kind](OperandBinder &node) { node.setResult(node.nn.unary(kind, node.getOperand(0))); });
  for (const BinaryRow &row : binaryRows) {
    registry.add(row.op, row.since, {2, 2}, [kind = row.kind](OperandBinder &node) {
      node.setResult(node.nn.binary(kind, node.getOperand(0), node.getOperand(1)));
    });
    if (row.since == 7)
      registry.add(row.op, 1, {2, 2}, [kind = row.kind](OperandBinder &node) { importBinary1(node, kind); });
  }
  registry.add("Max", 6, {1, unbounded}, [](OperandBinder &node) { node.setResult(combine(node, BinaryKind::Max)); });
  registry.add("Min", 6, {1, unbounded}, [](OperandBinder &node) { node.setResult(combine(node, BinaryKind::Min)); });
  registry.add("Sum", 6, {1, unbounded}, [](OperandBinder &node) { node.setResult(combine(node, BinaryKind::Add)); });
  registry.add("Mean", 6, {1, unbounded}, importMean);
  registry.add("Mod", 10, {2, 2}, importMod);
  registry.add("BitShift", 11, {2, 2}, importBitShift);
  registry.add("IsInf", 10, {1, 1}, importIsInf);
  registry.add("Where", 9, {3, 3}, importWhere);
  registry.add("Clip", 6, {1, 1}, importClip6);
  registry.add("Clip", 11, {1, 3}, importClip11);
  registry.add("Cast", 6, {1, 1}, importCast);
  registry.add("CastLike", 15, {2, 2}, importCastLike);
}

} // namespace nacre::importer::onnx_format
