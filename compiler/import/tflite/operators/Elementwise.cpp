// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise arithmetic, comparison and logic.
//
// How:  1. operators that are one `nn` kind, or a composition of one or two operands: rows of data,
//       2. sums, differences and products, of integers that stand for reals too, and quotients.

#include "compiler/import/operands/Elementwise.h"
#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/tflite/Handlers.h"
#include "compiler/import/tflite/operators/Reals.h"
#include "compiler/import/tflite/quantized/QuantizedElementwise.h"
#include "compiler/import/tflite/quantized/QuantizedFunctions.h"

#include <cmath>

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
    {"CEIL", UnaryKind::Ceil},
    {"COS", UnaryKind::Cos},
    {"FLOOR", UnaryKind::Floor},
    {"LOGICAL_NOT", UnaryKind::Not, Holds::Booleans},
    {"NEG", UnaryKind::Neg, Holds::Numbers},
    {"ROUND", UnaryKind::Round},
    {"SIGN", UnaryKind::Sign, Holds::Numbers},
    {"SIN", UnaryKind::Sin},
};

struct UnaryComposition {
  const char *op;
  Value (*compose)(NnBuilder &, Value);
  Holds holds = Holds::Floats;
};

constexpr UnaryComposition unaryCompositions[] = {
    {"SQUARE", square, Holds::Numbers},
};

/// Of floats, and of integers that stand for reals.
struct RealRow {
  const char *op;
  Value (*compose)(NnBuilder &, Value);
  void (*importQuantized)(TfliteNode &);
};

template <UnaryKind kind> Value compose(NnBuilder &nn, Value x) { return nn.unary(kind, x); }

constexpr RealRow realRows[] = {
    {"EXP", compose<UnaryKind::Exp>, [](TfliteNode &node) { importTabulated(node, std::exp); }},
    {"LOG", compose<UnaryKind::Log>, importQuantizedLog},
    {"RSQRT", importer::reciprocalRoot, importQuantizedReciprocalRoot},
    {"SQRT", compose<UnaryKind::Sqrt>, importQuantizedSqrt},
};

void importReal(TfliteNode &node, const RealRow &row) {
  if (node.isQuantized())
    return row.importQuantized(node);
  if (checkReals(node))
    node.setResult(row.compose(node.nn, node.getOperand(0)));
}

void importAbs(TfliteNode &node) {
  if (node.isQuantized())
    return importQuantizedAbs(node);
  node.setResult(node.nn.unary(UnaryKind::Abs, node.getOperand(0)));
}

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
  const bool byPowers = node->getFlag("pot_scale_int16", true);
  if (failed(node->broadcastOperands()))
    return;
  if (node.isQuantized())
    return kind == BinaryKind::Mul ? importQuantizedProduct(node) : importQuantizedSum(node, kind, byPowers);
  node.setResult(activate(nn, readActivation(node), nn.binary(kind, node.getOperand(0), node.getOperand(1))));
}

void importDiv(TfliteNode &node) {
  if (failed(node->broadcastOperands()))
    return;
  if (node.isQuantized())
    return importQuantizedQuotient(node);
  node.setResult(activate(node.nn, readActivation(node), node.nn.div(node.getOperand(0), node.getOperand(1))));
}

void importSquaredDifference(TfliteNode &node) {
  if (failed(node->broadcastOperands()))
    return;
  if (node.isQuantized())
    return importQuantizedSquaredDifference(node);
  node.setResult(squaredDifference(node.nn, node.getOperand(0), node.getOperand(1)));
}

} // namespace

void registerElementwise(ImportRegistry &registry) {
  for (const UnaryRow &row : unaryRows)
    add(registry, row.op, Integers::Plain, {{"x", row.holds}},
        [kind = row.kind](TfliteNode &node) { node.setResult(node.nn.unary(kind, node.getOperand(0))); });
  for (const UnaryComposition &row : unaryCompositions)
    add(registry, row.op, Integers::Plain, {{"x", row.holds}},
        [&row](TfliteNode &node) { node.setResult(row.compose(node.nn, node.getOperand(0))); });
  for (const RealRow &row : realRows)
    add(registry, row.op, Integers::Computed, {{"x", Holds::Numbers}},
        [&row](TfliteNode &node) { importReal(node, row); });
  add(registry, "ABS", Integers::Computed, {{"x", Holds::Numbers}}, importAbs);
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
  add(registry, "DIV", Integers::Computed, numbers, importDiv);
  add(registry, "SQUARED_DIFFERENCE", Integers::Computed, numbers, importSquaredDifference);
  add(registry, "ADD_N", Integers::Plain, {{"inputs...", Holds::Numbers, 'T'}}, addUp);
  const Signature choice{{"condition", Holds::Booleans}, {"x", Holds::Anything, 'T'}, {"y", Holds::Anything, 'T'}};
  add(registry, "SELECT", Integers::Moved, choice, chooseRows);
  add(registry, "SELECT_V2", Integers::Moved, choice, choose);
}

} // namespace nacre::importer::tflite_format
