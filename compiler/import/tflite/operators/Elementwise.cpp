// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise arithmetic, comparison and logic.
//
// How:  1. operators that are one `nn` kind, or a composition of one or two operands: rows of data,
//       2. sums, differences and products, of integers that stand for reals too, and quotients.

#include "compiler/import/operands/Elementwise.h"
#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/tflite/Handlers.h"
#include "compiler/import/tflite/quantized/QuantizedElementwise.h"

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

using nn::BinaryKind;
using nn::UnaryKind;

//===----------------------------------------------------------------------===//
// 1. Rows of data
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

struct UnaryComposition {
  const char *op;
  Value (*compose)(NnBuilder &, Value);
  Holds holds = Holds::Floats;
};

constexpr UnaryComposition unaryCompositions[] = {
    {"RSQRT", reciprocalRoot},
    {"SQUARE", square, Holds::Numbers},
};

struct BinaryRow {
  const char *op;
  BinaryKind kind;
  Holds holds = Holds::Numbers;
  Integers integers = Integers::Plain;
};

constexpr BinaryRow comparisonRows[] = {
    {"EQUAL", BinaryKind::Equal, Holds::Anything}, {"GREATER", BinaryKind::Greater},
    {"GREATER_EQUAL", BinaryKind::GreaterEqual},   {"LESS", BinaryKind::Less},
    {"LESS_EQUAL", BinaryKind::LessEqual},
};

/// The larger of integers that stand for the same reals is the larger one as they are.
constexpr BinaryRow binaryRows[] = {
    {"BITWISE_XOR", BinaryKind::Xor, Holds::Integers},
    {"FLOOR_MOD", BinaryKind::Mod},
    {"LOGICAL_AND", BinaryKind::And, Holds::Booleans},
    {"LOGICAL_OR", BinaryKind::Or, Holds::Booleans},
    {"MAXIMUM", BinaryKind::Max, Holds::Numbers, Integers::Moved},
    {"MINIMUM", BinaryKind::Min, Holds::Numbers, Integers::Moved},
    {"POW", BinaryKind::Pow},
    {"RIGHT_SHIFT", BinaryKind::ShiftRight, Holds::Integers},
};

struct BinaryComposition {
  const char *op;
  Value (*compose)(NnBuilder &, Value, Value);
  Holds holds = Holds::Numbers;
  Integers integers = Integers::Plain;
};

constexpr BinaryComposition binaryCompositions[] = {
    {"ATAN2", arcTangent, Holds::Floats},
    {"FLOOR_DIV", floorDivide},
    {"SQUARED_DIFFERENCE", squaredDifference},
};

template <typename Compose> void importBinary(TfliteNode &node, Compose compose) {
  if (succeeded(node->broadcastOperands()))
    node.setResult(compose(node.nn, node.getOperand(0), node.getOperand(1)));
}

/// Integers that stand for reals by two scales are brought to one.
void importComparison(TfliteNode &node, BinaryKind kind, bool isNegated = false) {
  Value lhs = node.getOperand(0), rhs = node.getOperand(1);
  if (failed(node->broadcastOperands()) || !alignScales(node, lhs, rhs))
    return;
  Value holds = node.nn.binary(kind, lhs, rhs);
  node.setResult(isNegated ? node.nn.unary(UnaryKind::Not, holds) : holds);
}

//===----------------------------------------------------------------------===//
// 2. Sums, differences, products, quotients
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

void importDiv(TfliteNode &node) {
  if (succeeded(node->broadcastOperands()))
    node.setResult(activate(node.nn, readActivation(node), node.nn.div(node.getOperand(0), node.getOperand(1))));
}

} // namespace

void registerElementwise(ImportRegistry &registry) {
  for (const UnaryRow &row : unaryRows)
    add(registry, row.op, Integers::Plain, {{"x", row.holds}},
        [kind = row.kind](TfliteNode &node) { node.setResult(node.nn.unary(kind, node.getOperand(0))); });
  for (const UnaryComposition &row : unaryCompositions)
    add(registry, row.op, Integers::Plain, {{"x", row.holds}},
        [&row](TfliteNode &node) { node.setResult(row.compose(node.nn, node.getOperand(0))); });
  for (const BinaryRow &row : binaryRows)
    add(registry, row.op, row.integers, {{"x", row.holds, 'T'}, {"y", row.holds, 'T'}},
        [kind = row.kind](TfliteNode &node) {
          importBinary(node, [kind](NnBuilder &nn, Value x, Value y) { return nn.binary(kind, x, y); });
        });
  for (const BinaryComposition &row : binaryCompositions)
    add(registry, row.op, row.integers, {{"x", row.holds, 'T'}, {"y", row.holds, 'T'}},
        [&row](TfliteNode &node) { importBinary(node, row.compose); });
  for (const BinaryRow &row : comparisonRows)
    add(registry, row.op, Integers::Computed, {{"x", row.holds, 'T'}, {"y", row.holds, 'T'}},
        [kind = row.kind](TfliteNode &node) { importComparison(node, kind); });
  add(registry, "NOT_EQUAL", Integers::Computed, {{"x", Holds::Anything, 'T'}, {"y", Holds::Anything, 'T'}},
      [](TfliteNode &node) { importComparison(node, BinaryKind::Equal, /*isNegated=*/true); });
  const Signature numbers{{"x", Holds::Numbers, 'T'}, {"y", Holds::Numbers, 'T'}};
  add(registry, "ADD", Integers::Computed, numbers, [](TfliteNode &node) { importArithmetic(node, BinaryKind::Add); });
  add(registry, "SUB", Integers::Computed, numbers, [](TfliteNode &node) { importArithmetic(node, BinaryKind::Sub); });
  add(registry, "MUL", Integers::Computed, numbers, [](TfliteNode &node) { importArithmetic(node, BinaryKind::Mul); });
  add(registry, "DIV", Integers::Plain, numbers, importDiv);
  add(registry, "ADD_N", Integers::Plain, {{"inputs...", Holds::Numbers, 'T'}}, addUp);
  const Signature choice{{"condition", Holds::Booleans}, {"x", Holds::Anything, 'T'}, {"y", Holds::Anything, 'T'}};
  add(registry, "SELECT", Integers::Moved, choice, chooseRows);
  add(registry, "SELECT_V2", Integers::Moved, choice, choose);
}

} // namespace nacre::importer::tflite_format
