// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise arithmetic, comparison and logic.
//
// How:  1. operators that are one `nn` kind: rows of data,
//       2. sums, differences and products, of integers that stand for reals too,
//       3. the rest.

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/tflite/Handlers.h"
#include "compiler/import/tflite/quantized/QuantizedElementwise.h"

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

using nn::BinaryKind;
using nn::UnaryKind;

//===----------------------------------------------------------------------===//
// 1. One kind
//===----------------------------------------------------------------------===//

struct UnaryRow {
  const char *op;
  UnaryKind kind;
  Holds holds = Holds::Floats;
};

constexpr UnaryRow unaryRows[] = {
    {"ABS", UnaryKind::Abs, Holds::Numbers},
    {"CEIL", UnaryKind::Ceil},
    {"COS", UnaryKind::Cos},
    {"EXP", UnaryKind::Exp},
    {"FLOOR", UnaryKind::Floor},
    {"LOG", UnaryKind::Log},
    {"LOGICAL_NOT", UnaryKind::Not, Holds::Booleans},
    {"NEG", UnaryKind::Neg, Holds::Numbers},
    {"ROUND", UnaryKind::Round},
    {"SIGN", UnaryKind::Sign, Holds::Numbers},
    {"SIN", UnaryKind::Sin},
    {"SQRT", UnaryKind::Sqrt},
};

struct BinaryRow {
  const char *op;
  BinaryKind kind;
  Holds holds = Holds::Numbers;
  Integers integers = Integers::Plain;
};

/// Integers that stand for the same reals are compared as they are.
constexpr BinaryRow binaryRows[] = {
    {"BITWISE_XOR", BinaryKind::Xor, Holds::Integers},
    {"EQUAL", BinaryKind::Equal, Holds::Anything, Integers::Moved},
    {"FLOOR_MOD", BinaryKind::Mod},
    {"GREATER", BinaryKind::Greater, Holds::Numbers, Integers::Moved},
    {"GREATER_EQUAL", BinaryKind::GreaterEqual, Holds::Numbers, Integers::Moved},
    {"LESS", BinaryKind::Less, Holds::Numbers, Integers::Moved},
    {"LESS_EQUAL", BinaryKind::LessEqual, Holds::Numbers, Integers::Moved},
    {"LOGICAL_AND", BinaryKind::And, Holds::Booleans},
    {"LOGICAL_OR", BinaryKind::Or, Holds::Booleans},
    {"MAXIMUM", BinaryKind::Max, Holds::Numbers, Integers::Moved},
    {"MINIMUM", BinaryKind::Min, Holds::Numbers, Integers::Moved},
    {"POW", BinaryKind::Pow},
    {"RIGHT_SHIFT", BinaryKind::ShiftRight, Holds::Integers},
};

void importBinary(TfliteNode &node, BinaryKind kind) {
  if (succeeded(node->broadcastOperands()))
    node.setResult(node.nn.binary(kind, node.getOperand(0), node.getOperand(1)));
}

//===----------------------------------------------------------------------===//
// 2. Sums, differences, products
//===----------------------------------------------------------------------===//

void importArithmetic(TfliteNode &node, BinaryKind kind) {
  NnBuilder &nn = node.nn;
  node->ignore({"pot_scale_int16"}); // a faster way for scales that are powers of two
  if (failed(node->broadcastOperands()))
    return;
  if (node.isQuantized())
    return kind == BinaryKind::Mul ? importQuantizedProduct(node) : importQuantizedSum(node, kind);
  node.setResult(activate(nn, readActivation(node), nn.binary(kind, node.getOperand(0), node.getOperand(1))));
}

//===----------------------------------------------------------------------===//
// 3. The rest
//===----------------------------------------------------------------------===//

void importDiv(TfliteNode &node) {
  if (succeeded(node->broadcastOperands()))
    node.setResult(activate(node.nn, readActivation(node), node.nn.div(node.getOperand(0), node.getOperand(1))));
}

void importFloorDiv(TfliteNode &node) {
  if (succeeded(node->broadcastOperands()))
    node.setResult(floorDivide(node.nn, node.getOperand(0), node.getOperand(1)));
}

void importNotEqual(TfliteNode &node) {
  if (succeeded(node->broadcastOperands()))
    node.setResult(
        node.nn.unary(UnaryKind::Not, node.nn.binary(BinaryKind::Equal, node.getOperand(0), node.getOperand(1))));
}

void importSquaredDifference(TfliteNode &node) {
  if (failed(node->broadcastOperands()))
    return;
  Value difference = node.nn.sub(node.getOperand(0), node.getOperand(1));
  node.setResult(node.nn.mul(difference, difference));
}

void importAddN(TfliteNode &node) {
  Value sum = node.getOperand(0);
  for (size_t index = 1; index < node->getNumOperands(); ++index) {
    if (!node->checkShape(index, getShape(sum), "that of the first operand"))
      return;
    sum = node.nn.add(sum, node.getOperand(index));
  }
  node.setResult(sum);
}

void importSelect(TfliteNode &node) {
  Value condition = node.getOperand(0), x = node.getOperand(1);
  // A condition of one axis chooses whole rows of larger operands.
  if (node->getOp() == "SELECT" && getRank(condition) == 1 && getRank(x) > 1) {
    if (!node->checkShape(0, getShape(x).take_front(1), "one element for each row") ||
        !node->checkShape(2, getShape(x), "that of the operand before it"))
      return;
    condition = node.nn.alignToAxis(condition, 0, getRank(x));
  } else if (failed(node->broadcastOperands())) {
    return;
  }
  node.setResult(node.nn.select(condition, x, node.getOperand(2)));
}

} // namespace

void registerElementwise(ImportRegistry &registry) {
  for (const UnaryRow &row : unaryRows)
    add(registry, row.op, Integers::Plain, {{"x", row.holds}},
        [kind = row.kind](TfliteNode &node) { node.setResult(node.nn.unary(kind, node.getOperand(0))); });
  for (const BinaryRow &row : binaryRows)
    add(registry, row.op, row.integers, {{"x", row.holds, 'T'}, {"y", row.holds, 'T'}},
        [kind = row.kind](TfliteNode &node) { importBinary(node, kind); });
  const Signature numbers{{"x", Holds::Numbers, 'T'}, {"y", Holds::Numbers, 'T'}}, number{{"x", Holds::Numbers}},
      real{{"x", Holds::Floats}};
  add(registry, "ADD", Integers::Computed, numbers, [](TfliteNode &node) { importArithmetic(node, BinaryKind::Add); });
  add(registry, "SUB", Integers::Computed, numbers, [](TfliteNode &node) { importArithmetic(node, BinaryKind::Sub); });
  add(registry, "MUL", Integers::Computed, numbers, [](TfliteNode &node) { importArithmetic(node, BinaryKind::Mul); });
  add(registry, "DIV", Integers::Plain, numbers, importDiv);
  add(registry, "FLOOR_DIV", Integers::Plain, numbers, importFloorDiv);
  add(registry, "NOT_EQUAL", Integers::Moved, {{"x", Holds::Anything, 'T'}, {"y", Holds::Anything, 'T'}},
      importNotEqual);
  add(registry, "SQUARED_DIFFERENCE", Integers::Plain, numbers, importSquaredDifference);
  add(registry, "ADD_N", Integers::Plain, {{"inputs...", Holds::Numbers, 'T'}}, importAddN);
  add(registry, "SQUARE", Integers::Plain, number,
      [](TfliteNode &node) { node.setResult(node.nn.mul(node.getOperand(0), node.getOperand(0))); });
  add(registry, "RSQRT", Integers::Plain, real, [](TfliteNode &node) {
    node.setResult(node.nn.unary(UnaryKind::Reciprocal, node.nn.unary(UnaryKind::Sqrt, node.getOperand(0))));
  });
  const Signature choice{{"condition", Holds::Booleans}, {"x", Holds::Anything, 'T'}, {"y", Holds::Anything, 'T'}};
  add(registry, "SELECT", Integers::Moved, choice, importSelect);
  add(registry, "SELECT_V2", Integers::Moved, choice, importSelect);
}

} // namespace nacre::importer::tflite_format
