// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise arithmetic, comparison and logic.
//
// How:  1. functions of one operand,
//       2. functions of two operands. SharedOperators.def lists the functions. The tables in this file list those that
//          support quantized integers.

#include "compiler/import/operands/Elementwise.h"
#include "compiler/import/operands/SharedOperators.h"
#include "compiler/import/tflite/Handlers.h"
#include "compiler/import/tflite/operators/Reals.h"
#include "compiler/import/tflite/quantized/QuantizedElementwise.h"
#include "compiler/import/tflite/quantized/QuantizedFunctions.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

using nn::BinaryKind;

//===----------------------------------------------------------------------===//
// 1. One operand
//===----------------------------------------------------------------------===//

/// An operator that supports quantized integers.
struct QuantizedUnary {
  StringRef op;
  void (*import)(TfliteNode &);
};

constexpr QuantizedUnary quantizedUnary[] = {
    {"ABS", importQuantizedAbs},
    {"EXP", [](TfliteNode &node) { importTabulated(node, std::exp); }},
    {"LOG", importQuantizedLog},
    {"LOGISTIC", importQuantizedLogistic},
    {"RELU", [](TfliteNode &node) { importQuantizedClamp(node, Activation::Relu); }},
    {"RELU6", [](TfliteNode &node) { importQuantizedClamp(node, Activation::Relu6); }},
    {"RSQRT", importQuantizedReciprocalRoot},
    {"SQRT", importQuantizedSqrt},
    {"TANH", importQuantizedTanh},
};

void importUnary(TfliteNode &node, const UnaryOperator &row, const QuantizedUnary &quantized) {
  if (node.isQuantized())
    return quantized.import(node);
  if (row.holds != Holds::Floats || checkReals(node))
    node.setResult(row.compose(node.nn, node.getOperand(0)));
}

void addUnary(ImportRegistry &registry, StringRef op, const UnaryOperator &row) {
  const auto *quantized = llvm::find_if(quantizedUnary, [&](const QuantizedUnary &one) { return one.op == op; });
  if (quantized == std::end(quantizedUnary))
    add(registry, op, Integers::Plain, {{"x", row.holds}},
        [&row](TfliteNode &node) { node.setResult(row.compose(node.nn, node.getOperand(0))); });
  else
    add(registry, op, Integers::Computed, {{"x", Holds::Numbers}},
        [&row, quantized](TfliteNode &node) { importUnary(node, row, *quantized); });
}

//===----------------------------------------------------------------------===//
// 2. Two operands
//===----------------------------------------------------------------------===//

/// Imports a comparison. Quantized operands with different scales are first converted to one scale.
void importComparison(TfliteNode &node, const BinaryOperator &row) {
  Value lhs = node.getOperand(0), rhs = node.getOperand(1);
  if (succeeded(node->broadcastOperands()) && alignScales(node, lhs, rhs))
    node.setResult(row.compose(node.nn, lhs, rhs));
}

/// Imports sums, differences and products.
void importArithmetic(TfliteNode &node, const BinaryOperator &row) {
  const bool byPowers = node->getFlag("pot_scale_int16", true);
  if (failed(node->broadcastOperands()))
    return;
  if (node.isQuantized())
    return row.kind == BinaryKind::Mul ? importQuantizedProduct(node) : importQuantizedSum(node, *row.kind, byPowers);
  node.setResult(activate(node.nn, readActivation(node), row.compose(node.nn, node.getOperand(0), node.getOperand(1))));
}

void importDiv(TfliteNode &node, const BinaryOperator &row) {
  if (failed(node->broadcastOperands()))
    return;
  if (node.isQuantized())
    return importQuantizedQuotient(node);
  node.setResult(activate(node.nn, readActivation(node), row.compose(node.nn, node.getOperand(0), node.getOperand(1))));
}

void importSquaredDifference(TfliteNode &node, const BinaryOperator &row) {
  if (failed(node->broadcastOperands()))
    return;
  if (node.isQuantized())
    return importQuantizedSquaredDifference(node);
  node.setResult(row.compose(node.nn, node.getOperand(0), node.getOperand(1)));
}

/// An operator that supports quantized integers. If `import` is null, it treats them like other integers.
struct QuantizedBinary {
  StringRef op;
  Integers integers;
  void (*import)(TfliteNode &node, const BinaryOperator &row) = nullptr;
};

constexpr QuantizedBinary quantizedBinary[] = {
    {"ADD", Integers::Computed, importArithmetic},
    {"DIV", Integers::Computed, importDiv},
    {"EQUAL", Integers::Computed, importComparison},
    {"GREATER", Integers::Computed, importComparison},
    {"GREATER_EQUAL", Integers::Computed, importComparison},
    {"LESS", Integers::Computed, importComparison},
    {"LESS_EQUAL", Integers::Computed, importComparison},
    // If the scales are equal, the larger integer represents the larger real.
    {"MAXIMUM", Integers::Moved},
    {"MINIMUM", Integers::Moved},
    {"MUL", Integers::Computed, importArithmetic},
    {"NOT_EQUAL", Integers::Computed, importComparison},
    {"SQUARED_DIFFERENCE", Integers::Computed, importSquaredDifference},
    {"SUB", Integers::Computed, importArithmetic},
};

void importBinary(TfliteNode &node, const BinaryOperator &row) {
  if (succeeded(node->broadcastOperands()))
    node.setResult(row.compose(node.nn, node.getOperand(0), node.getOperand(1)));
}

void addBinary(ImportRegistry &registry, StringRef op, const BinaryOperator &row) {
  const auto *quantized = llvm::find_if(quantizedBinary, [&](const QuantizedBinary &one) { return one.op == op; });
  const bool isKnown = quantized != std::end(quantizedBinary);
  add(registry, op, isKnown ? quantized->integers : Integers::Plain, {{"x", row.holds, 'T'}, {"y", row.holds, 'T'}},
      [&row, import = isKnown && quantized->import ? quantized->import : importBinary](TfliteNode &node) {
        import(node, row);
      });
}

} // namespace

void registerElementwise(ImportRegistry &registry) {
  forEachNamed(getUnaryOperators(), &OperatorNames::tflite,
               [&](StringRef op, const UnaryOperator &row) { addUnary(registry, op, row); });
  forEachNamed(getBinaryOperators(), &OperatorNames::tflite,
               [&](StringRef op, const BinaryOperator &row) { addBinary(registry, op, row); });
  add(registry, "ADD_N", Integers::Plain, {{"inputs...", Holds::Numbers, 'T'}}, addUp);
  const Signature choice{{"condition", Holds::Booleans}, {"x", Holds::Anything, 'T'}, {"y", Holds::Anything, 'T'}};
  add(registry, "SELECT", Integers::Moved, choice, chooseRows);
  add(registry, "SELECT_V2", Integers::Moved, choice, choose);
}

} // namespace nacre::importer::tflite_format
