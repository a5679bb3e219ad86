// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise arithmetic, comparison, logic and activations.
//
// How:  1. functions of one or two operands: SharedOperators.def, and tables for those that only TensorFlow has,
//       2. sums of any number of operands, activations, and choices,
//       3. other element types.

#include "compiler/import/operands/Elementwise.h"
#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/compositions/Movement.h"
#include "compiler/import/compositions/special/Gamma.h"
#include "compiler/import/compositions/special/Integrals.h"
#include "compiler/import/compositions/special/Zeta.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/operands/SharedOperators.h"
#include "compiler/import/tensorflow/arrays/Rows.h"
#include "compiler/import/tensorflow/operators/Handlers.h"

#include <limits>

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

using nn::BinaryKind;
using nn::UnaryKind;

//===----------------------------------------------------------------------===//
// 1. Tables
//===----------------------------------------------------------------------===//

struct UnaryComposition {
  const char *op;
  Value (*compose)(NnBuilder &, Value);
  Holds holds = Holds::Floats;
};

constexpr UnaryComposition unaryCompositions[] = {
    {"Digamma", digamma},
    {"Erfc", [](NnBuilder &nn, Value x) { return nn.sub(nn.scalar(x, 1), nn.unary(UnaryKind::Erf, x)); }},
    {"Expm1", expMinusOne},
    {"IsFinite",
     [](NnBuilder &nn, Value x) {
       return nn.binary(BinaryKind::Less, nn.unary(UnaryKind::Abs, x), std::numeric_limits<double>::infinity());
     }},
    {"Lgamma", logGamma},
    {"Log1p", logOnePlus},
    // Values between two integers, such as 2.5, round to the even one. Integers stay unchanged.
    {"Round", [](NnBuilder &nn, Value x) { return isFloat(x) ? nn.unary(UnaryKind::Round, x) : x; }, Holds::Numbers},
    {"Selu", selu},
};

struct BinaryComposition {
  const char *op;
  Value (*compose)(NnBuilder &, Value, Value);
  Holds holds = Holds::Floats;
};

/// Returns `value`, but 0 wherever `chooser` is 0, even if `value` is not a number there.
Value zeroWhere(NnBuilder &nn, Value chooser, Value value) {
  return nn.select(nn.binary(BinaryKind::Equal, chooser, 0.0), nn.scalar(chooser, 0), value);
}

constexpr BinaryComposition binaryCompositions[] = {
    {"DivNoNan", [](NnBuilder &nn, Value x, Value y) { return zeroWhere(nn, y, nn.div(x, y)); }},
    {"Igamma", lowerGamma},
    {"Igammac", upperGamma},
    {"MulNoNan", [](NnBuilder &nn, Value x, Value y) { return zeroWhere(nn, y, nn.mul(x, y)); }},
    {"Polygamma", polygamma},
    {"Xdivy", [](NnBuilder &nn, Value x, Value y) { return zeroWhere(nn, x, nn.div(x, y)); }},
    {"Xlogy", [](NnBuilder &nn, Value x, Value y) { return zeroWhere(nn, x, nn.mul(x, nn.unary(UnaryKind::Log, y))); }},
    {"Zeta", zeta},
};

template <typename Compose> void importBinary(OperandBinder &node, Compose compose) {
  // The attribute matters only for shapes that cannot be broadcast, which are always an error in Nacre.
  node.ignore({"incompatible_shape_error"});
  if (succeeded(node.broadcastOperands()))
    node.setResult(compose(node.nn, node.getOperand(0), node.getOperand(1)));
}

//===----------------------------------------------------------------------===//
// 2. Sums, activations, choices
//===----------------------------------------------------------------------===//

void importSum(OperandBinder &node) {
  node.ignore({"N", "shape"});
  Value sum = node.getOperand(0);
  const bool areTensors = llvm::all_of(node.getOperands(), isTensor);
  for (size_t index = 1; sum && index < node.getNumOperands(); ++index) {
    if (areTensors && !node.checkShape(index, getShape(node.getOperand(0)), "that of the other operands"))
      return;
    sum = addArrays(node, sum, node.getOperand(index));
  }
  node.setResult(sum);
}

/// Adds one element for each channel. Channels are the last axis, or the second axis.
void importBiasAdd(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), bias = node.getOperand(1);
  bool isFirst = node.getChoice("data_format", {"NHWC", "NCHW"}) == "NCHW";
  if (!node.checkRank(0, 2))
    return;
  int64_t axis = isFirst ? 1 : getRank(x) - 1;
  if (node.checkShape(1, getShape(x)[axis], "one element for each channel"))
    node.setResult(nn.add(x, isFirst ? nn.alignToAxis(bias, axis, getRank(x)) : bias));
}

void importClip(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Ints shape = getShape(node.getOperand(0));
  if (node.checkBroadcastsTo(1, shape, "the operand") && node.checkBroadcastsTo(2, shape, "the operand"))
    node.setResult(nn.binary(BinaryKind::Max, nn.binary(BinaryKind::Min, node.getOperand(0), node.getOperand(2)),
                             node.getOperand(1)));
}

/// Imports Cross: the cross products of vectors with three elements along the last axis.
void importCross(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value a = node.getOperand(0), b = node.getOperand(1);
  const int64_t last = getRank(a) - 1;
  if (last < 0 || getShape(a)[last] != 3) {
    node.error() << node.nameOf(0) << " must have 3 elements along its last axis, but is " << describe(a);
    return;
  }
  if (!node.checkShape(1, getShape(a), "the shape of 'a'"))
    return;
  auto roundAbout = [&](int64_t shift) { return nn.mul(roll(nn, a, last, -shift), roll(nn, b, last, shift)); };
  node.setResult(nn.sub(roundAbout(1), roundAbout(-1)));
}

void importBetainc(OperandBinder &node) {
  if (succeeded(node.broadcastOperands()))
    node.setResult(lowerBeta(node.nn, node.getOperand(0), node.getOperand(1), node.getOperand(2)));
}

void importApproximateEqual(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  double tolerance = node.getFloat("tolerance", 1e-5);
  if (failed(node.broadcastOperands()))
    return;
  Value distance = nn.unary(UnaryKind::Abs, nn.sub(node.getOperand(0), node.getOperand(1)));
  node.setResult(nn.binary(BinaryKind::Less, distance, tolerance));
}

//===----------------------------------------------------------------------===//
// 3. Other element types
//===----------------------------------------------------------------------===//

void importBitcast(OperandBinder &node) {
  Value x = node.getOperand(0);
  Type type = node.getType("type", getElementType(x));
  unsigned from = getElementType(x).getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
  if (from < 8 || to < 8) {
    node.error() << "attribute 'type' must not split booleans, but " << describe(x) << " becomes " << getTypeName(type);
    return;
  }
  if (to > from && (getRank(x) == 0 || getShape(x).back() != to / from)) {
    node.error() << node.nameOf(0) << " must have a last axis of " << describeCount(to / from, "element")
                 << " to form one " << getTypeName(type) << ", but is " << describe(x);
    return;
  }
  node.setResult(node.nn.bitcast(x, type));
}

} // namespace

void registerElementwise(ImportRegistry &registry) {
  forEachNamed(getUnaryOperators(), &OperatorNames::tensorflow, [&](StringRef op, const UnaryOperator &row) {
    registry.add(op, 1, {{"x", row.holds}},
                 [&row](OperandBinder &node) { node.setResult(row.compose(node.nn, node.getOperand(0))); });
  });
  for (const UnaryComposition &row : unaryCompositions)
    registry.add(row.op, 1, {{"x", row.holds}},
                 [&row](OperandBinder &node) { node.setResult(row.compose(node.nn, node.getOperand(0))); });
  forEachNamed(getBinaryOperators(), &OperatorNames::tensorflow, [&](StringRef op, const BinaryOperator &row) {
    registry.add(op, 1, {{"x", row.holds, 'T'}, {"y", row.holds, 'T'}},
                 [&row](OperandBinder &node) { importBinary(node, row.compose); });
  });
  for (const BinaryComposition &row : binaryCompositions)
    registry.add(row.op, 1, {{"x", row.holds, 'T'}, {"y", row.holds, 'T'}},
                 [&row](OperandBinder &node) { importBinary(node, row.compose); });

  const Signature floats{{"features", Holds::Floats}};
  registry.add("Elu", 1, floats,
               [](OperandBinder &node) { node.setResult(node.nn.unary(UnaryKind::Elu, node.getOperand(0), 1)); });
  registry.add("LeakyRelu", 1, floats, [](OperandBinder &node) {
    node.setResult(node.nn.unary(UnaryKind::LeakyRelu, node.getOperand(0), node.getFloat("alpha", 0.2)));
  });
  const Signature many{{"inputs...", Holds::Numbers, 'T', /*mayBeRows=*/true}};
  registry.add("AddN", 1, many, importSum);
  registry.add("AccumulateNV2", 1, many, importSum);
  registry.add("BiasAdd", 1, {{"value", Holds::Numbers, 'T'}, {"bias", Holds::Numbers, 'T'}}, importBiasAdd);
  registry.add("BiasAddV1", 1, {{"value", Holds::Numbers, 'T'}, {"bias", Holds::Numbers, 'T'}}, importBiasAdd);
  registry.add("Cross", 1, {{"a", Holds::Numbers, 'T'}, {"b", Holds::Numbers, 'T'}}, importCross);
  registry.add("ApproximateEqual", 1, {{"x", Holds::Numbers, 'T'}, {"y", Holds::Numbers, 'T'}}, importApproximateEqual);
  registry.add("Betainc", 1, {{"a", Holds::Floats, 'T'}, {"b", Holds::Floats, 'T'}, {"x", Holds::Floats, 'T'}},
               importBetainc);
  registry.add(
      "ClipByValue", 1,
      {{"t", Holds::Numbers, 'T'}, {"clip_value_min", Holds::Numbers, 'T'}, {"clip_value_max", Holds::Numbers, 'T'}},
      importClip);
  const Signature choice{{"condition", Holds::Booleans}, {"t", Holds::Anything, 'T'}, {"e", Holds::Anything, 'T'}};
  registry.add("Select", 1, choice, chooseRows);
  registry.add("SelectV2", 1, choice, choose);
  registry.add("Bitcast", 1, {{"input"}}, importBitcast);
}

} // namespace nacre::importer::tensorflow_format
