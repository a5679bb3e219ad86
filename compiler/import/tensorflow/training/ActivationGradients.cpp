// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradients of activations and of biases, by TensorFlow's formulas. Most of the formulas use the activation's result
// instead of its operand.

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/tensorflow/training/Handlers.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

using nn::BinaryKind;
using nn::UnaryKind;

struct ActivationRow {
  const char *op;
  bool isGradientFirst; ///< true if the operands are (gradients, features); false if they are (y, dy)
  /// Composes the gradient. `x` is the operand that is not a gradient: the activation's operand, or its result.
  Value (*compose)(NnBuilder &, Value dy, Value x);
};

Value isPositive(NnBuilder &nn, Value x) { return nn.binary(BinaryKind::Greater, x, 0.0); }
Value zero(NnBuilder &nn, Value like) { return nn.scalar(like, 0); }
Value oneMinus(NnBuilder &nn, Value x) { return nn.sub(nn.scalar(x, 1), x); }

constexpr ActivationRow activations[] = {
    {"ReluGrad", true, [](NnBuilder &nn, Value dy, Value x) { return nn.select(isPositive(nn, x), dy, zero(nn, dy)); }},
    {"Relu6Grad", true,
     [](NnBuilder &nn, Value dy, Value x) {
       Value isInside = nn.binary(BinaryKind::And, isPositive(nn, x), nn.binary(BinaryKind::Less, x, 6.0));
       return nn.select(isInside, dy, zero(nn, dy));
     }},
    {"EluGrad", true,
     [](NnBuilder &nn, Value dy, Value y) {
       return nn.select(nn.binary(BinaryKind::Less, y, 0.0), nn.mul(dy, nn.add(y, 1)), dy);
     }},
    {"SeluGrad", true,
     [](NnBuilder &nn, Value dy, Value y) {
       Value below = nn.mul(dy, nn.add(y, seluScale * seluAlpha));
       return nn.select(nn.binary(BinaryKind::Less, y, 0.0), below, nn.mul(dy, seluScale));
     }},
    {"SoftplusGrad", true,
     [](NnBuilder &nn, Value dy, Value x) { return nn.mul(dy, nn.unary(UnaryKind::Sigmoid, x)); }},
    {"SoftsignGrad", true,
     [](NnBuilder &nn, Value dy, Value x) { return nn.div(dy, square(nn, nn.add(nn.unary(UnaryKind::Abs, x), 1))); }},
    {"SigmoidGrad", false, [](NnBuilder &nn, Value dy, Value y) { return nn.mul(dy, nn.mul(y, oneMinus(nn, y))); }},
    {"TanhGrad", false, [](NnBuilder &nn, Value dy, Value y) { return nn.mul(dy, oneMinus(nn, square(nn, y))); }},
    {"SqrtGrad", false, [](NnBuilder &nn, Value dy, Value y) { return nn.div(nn.mul(dy, 0.5), y); }},
    {"RsqrtGrad", false,
     [](NnBuilder &nn, Value dy, Value y) { return nn.mul(nn.mul(dy, nn.mul(square(nn, y), y)), -0.5); }},
    {"ReciprocalGrad", false,
     [](NnBuilder &nn, Value dy, Value y) { return nn.unary(UnaryKind::Neg, nn.mul(dy, square(nn, y))); }},
};

void importActivation(OperandBinder &node, bool isGradientFirst,
                      llvm::function_ref<Value(NnBuilder &, Value, Value)> compose) {
  Value dy = node.getOperand(isGradientFirst ? 0 : 1), x = node.getOperand(isGradientFirst ? 1 : 0);
  if (node.checkShape(1, getShape(node.getOperand(0)), "the shape of " + node.nameOf(0)))
    node.setResult(compose(node.nn, dy, x));
}

void importLeakyRelu(OperandBinder &node) {
  const double alpha = node.getFloat("alpha", 0.2f);
  importActivation(node, /*isGradientFirst=*/true, [&](NnBuilder &nn, Value dy, Value x) {
    return nn.select(isPositive(nn, x), dy, nn.mul(dy, alpha));
  });
}

/// Imports BiasAddGrad: the sums over all axes except the channels' axis.
void importBias(OperandBinder &node) {
  const bool isFirst = node.getChoice("data_format", {"NHWC", "NCHW"}) == "NCHW";
  if (!node.checkRank(0, 2))
    return;
  Value dy = node.getOperand(0);
  SmallVector<int64_t> axes = axisRange(0, getRank(dy));
  axes.erase(isFirst ? axes.begin() + 1 : axes.end() - 1);
  node.setResult(node.nn.reduce(nn::ReduceKind::Sum, dy, axes, /*keepDims=*/false));
}

} // namespace

void registerActivationGradients(ImportRegistry &registry) {
  for (const ActivationRow &row : activations) {
    const Signature signature = row.isGradientFirst
                                    ? Signature{{"gradients", Holds::Floats, 'T'}, {"features", Holds::Floats, 'T'}}
                                    : Signature{{"y", Holds::Floats, 'T'}, {"dy", Holds::Floats, 'T'}};
    auto handler = [&row](OperandBinder &node) { importActivation(node, row.isGradientFirst, row.compose); };
    registry.add(row.op, 1, signature, handler);
    if (StringRef(row.op) == "ReciprocalGrad")
      registry.add("InvGrad", 1, signature, handler);
  }
  registry.add("LeakyReluGrad", 1, {{"gradients", Holds::Floats, 'T'}, {"features", Holds::Floats, 'T'}},
               importLeakyRelu);
  registry.add("BiasAddGrad", 1, {{"out_backprop", Holds::Floats}}, importBias);
}

} // namespace nacre::importer::tensorflow_format
