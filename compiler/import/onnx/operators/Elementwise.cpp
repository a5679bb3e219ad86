// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise arithmetic, comparison and logic: operators that formats share (rows of SharedOperators.def), operators
// with any number of operands, and all others.

#include "compiler/import/operands/Elementwise.h"
#include "compiler/import/onnx/operators/Handlers.h"
#include "compiler/import/operands/SharedOperators.h"

#include "dialects/nn/shapes/ShapeRules.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

using nn::BinaryKind;
using nn::UnaryKind;

//===----------------------------------------------------------------------===//
// 1. Rows
//===----------------------------------------------------------------------===//

/// Applies a function to both operands, which broadcast as in NumPy.
void importBinary(OperandBinder &node, llvm::function_ref<Value(NnBuilder &, Value, Value)> compose) {
  if (succeeded(node.broadcastOperands()))
    node.setResult(compose(node.nn, node.getOperand(0), node.getOperand(1)));
}

void importBinary(OperandBinder &node, BinaryKind kind) {
  importBinary(node, [kind](NnBuilder &nn, Value x, Value y) { return nn.binary(kind, x, y); });
}

/// Imports binary operators before version 7; since then, operands broadcast as in NumPy. The second operand was
/// broadcast if the node had an attribute for it. Its axes matched the axes of the first operand from `axis` on, or the
/// last axes.
void importBinary1(OperandBinder &node, const BinaryOperator &row) {
  Value lhs = node.getOperand(0), rhs = node.getOperand(1);
  bool broadcasts = node.getFlag("broadcast", false);
  int64_t ahead = getRank(lhs) - getRank(rhs), axis = node.getInt("axis", ahead);
  if (broadcasts && axis != ahead) {
    if (axis < 0 || axis > ahead) {
      node.error() << "attribute 'axis' must align the axes of " << describe(rhs) << " with those of " << describe(lhs)
                   << ", but is " << axis;
      return;
    }
    SmallVector<int64_t> shape(getShape(rhs));
    shape.append(ahead - axis, 1);
    rhs = node.nn.reshape(rhs, shape);
    if (!rhs)
      return node.fail();
  }
  llvm::Expected<nn::Shape> shape = nn::broadcastShapes({getShape(lhs), getShape(rhs)});
  if (shape && Ints(*shape) == getShape(lhs)) {
    node.setResult(row.compose(node.nn, lhs, rhs));
    return;
  }
  llvm::consumeError(shape.takeError());
  node.error() << node.nameOf(1) << " must align with axes of the same size of " << describe(lhs) << ", but is "
               << describe(node.getOperand(1)) << "; attribute 'axis' sets the first one";
}

//===----------------------------------------------------------------------===//
// 2. Any number of operands
//===----------------------------------------------------------------------===//

Value combine(OperandBinder &node, BinaryKind kind) {
  if (failed(node.broadcastOperands()))
    return {};
  Value result = node.getOperand(0);
  for (Value operand : node.getOperands().drop_front())
    result = node.nn.binary(kind, result, operand);
  return result;
}

void importMean(OperandBinder &node) {
  node.setResult(node.nn.div(combine(node, BinaryKind::Add), static_cast<double>(node.getNumOperands())));
}

//===----------------------------------------------------------------------===//
// 3. All others
//===----------------------------------------------------------------------===//

void importMod(OperandBinder &node) {
  Value lhs = node.getOperand(0);
  bool takesDividendSign = node.getFlag("fmod", false);
  if (isFloat(lhs) && !takesDividendSign) {
    node.error() << "attribute 'fmod' must be 1 for floating-point operands, but is 0";
    return;
  }
  importBinary(node, takesDividendSign ? BinaryKind::Fmod : BinaryKind::Mod);
}

void importBitShift(OperandBinder &node) {
  if (!node.has("direction")) {
    node.error() << "attribute 'direction' must be LEFT or RIGHT, but is missing";
    return;
  }
  bool isLeft = node.getChoice("direction", {"LEFT", "RIGHT"}) == "LEFT";
  importBinary(node, isLeft ? BinaryKind::ShiftLeft : BinaryKind::ShiftRight);
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

/// Imports Clip before version 11, when the limits were attributes.
void importClip1(OperandBinder &node) {
  Value x = node.getOperand(0);
  if (node.has("min"))
    x = node.nn.binary(BinaryKind::Max, x, node.getFloat("min", 0));
  if (node.has("max"))
    x = node.nn.binary(BinaryKind::Min, x, node.getFloat("max", 0));
  node.setResult(x);
}

void importClip11(OperandBinder &node) {
  Value x = node.getOperand(0);
  for (size_t index : {1, 2}) {
    Value limit = node.getOperand(index);
    if (!limit)
      continue;
    if (getType(limit).getNumElements() != 1) {
      node.error() << node.nameOf(index) << " must have one element, but is " << describe(limit)
                   << "; use Min and Max for per-element limits";
      return;
    }
    x = node.nn.binary(index == 1 ? BinaryKind::Max : BinaryKind::Min, x, node.nn.reshape(limit, {}));
  }
  node.setResult(x);
}

} // namespace

void registerElementwise(ImportRegistry &registry) {
  forEachNamed(getUnaryOperators(), &OperatorNames::onnx, [&](StringRef op, const UnaryOperator &row) {
    registry.add(op, row.names.since, {{"X", row.holds}},
                 [&row](OperandBinder &node) { node.setResult(row.compose(node.nn, node.getOperand(0))); });
  });
  forEachNamed(getBinaryOperators(), &OperatorNames::onnx, [&](StringRef op, const BinaryOperator &row) {
    // The type of a power is the type of its base. The exponent may have any other type.
    char group = row.kind == BinaryKind::Pow ? 0 : 'T';
    const Signature signature{{"A", row.holds, group}, {"B", row.holds, group}};
    registry.add(op, row.names.since, signature, [&row](OperandBinder &node) { importBinary(node, row.compose); });
    if (row.names.since == 7)
      registry.add(op, 1, signature, [&row](OperandBinder &node) { importBinary1(node, row); });
  });
  const Signature any{{"inputs...", Holds::Numbers, 'T'}};
  registry.add("Max", 1, any, [](OperandBinder &node) { node.setResult(combine(node, BinaryKind::Max)); });
  registry.add("Min", 1, any, [](OperandBinder &node) { node.setResult(combine(node, BinaryKind::Min)); });
  registry.add("Sum", 1, any, [](OperandBinder &node) { node.setResult(combine(node, BinaryKind::Add)); });
  registry.add("Mean", 1, any, importMean);
  registry.add("Mod", 10, {{"A", Holds::Numbers, 'T'}, {"B", Holds::Numbers, 'T'}}, importMod);
  registry.add("BitShift", 11, {{"X", Holds::Integers, 'T'}, {"Y", Holds::Integers, 'T'}}, importBitShift);
  registry.add("IsInf", 10, {{"X", Holds::Floats}}, importIsInf);
  registry.add("Where", 9, {{"condition", Holds::Booleans}, {"X", Holds::Anything, 'T'}, {"Y", Holds::Anything, 'T'}},
               choose);
  registry.add("Clip", 1, {{"input", Holds::Numbers}}, importClip1);
  registry.add("Clip", 11,
               {{"input", Holds::Numbers, 'T'}, {"min?", Holds::Numbers, 'T'}, {"max?", Holds::Numbers, 'T'}},
               importClip11);
}

} // namespace nacre::importer::onnx_format
