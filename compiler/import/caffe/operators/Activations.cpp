// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise layers with one bottom or several.

#include "compiler/import/caffe/Blobs.h"
#include "compiler/import/caffe/Handlers.h"
#include "compiler/import/compositions/Elementary.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer::caffe_format {
namespace {

using nn::BinaryKind;
using nn::UnaryKind;

void importRelu(OperandBinder &node) {
  double slope = node.getFloat("negative_slope", 0);
  Value x = node.getOperand(0);
  node.setResult(slope == 0 ? node.nn.unary(UnaryKind::Relu, x) : node.nn.unary(UnaryKind::LeakyRelu, x, slope));
}

/// Imports a PReLU, which has one slope for each channel, or one for all channels.
void importPRelu(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Blobs blobs(node);
  bool isShared = node.getFlag("channel_shared", false);
  Value x = node.getOperand(0);
  if (!node.checkRank(0, 2))
    return;
  SmallVector<int64_t> shape = {isShared ? 1 : getShape(x)[1]};
  Value slopes = blobs.get(0, shape, {"filler", 0.25});
  if (!slopes)
    return node.fail();
  Value slope = isShared ? slopes : nn.alignToAxis(slopes, 1, getRank(x));
  node.setResult(nn.select(nn.binary(BinaryKind::Less, x, 0.0), nn.mul(x, slope), x));
}

/// Returns shift + scale * x.
Value affine(OperandBinder &node) {
  double scale = node.getFloat("scale", 1), shift = node.getFloat("shift", 0);
  Value x = node.getOperand(0);
  if (scale != 1)
    x = node.nn.mul(x, scale);
  return shift == 0 ? x : node.nn.add(x, shift);
}

void importPower(OperandBinder &node) {
  double power = node.getFloat("power", 1);
  Value x = affine(node);
  node.setResult(power == 1 ? x : node.nn.binary(BinaryKind::Pow, x, power));
}

/// Reads a base; -1 means e. Returns false after an error.
bool readBase(OperandBinder &node, double &logarithm) {
  double base = node.getFloat("base", -1);
  logarithm = base == -1 ? 1 : std::log(base);
  if (base == -1 || (base > 0 && base != 1))
    return true;
  node.error() << "parameter 'base' must be greater than 0 and not 1, or -1 for e";
  return false;
}

void importExp(OperandBinder &node) {
  double logarithm;
  if (!readBase(node, logarithm))
    return;
  Value x = affine(node);
  node.setResult(node.nn.unary(UnaryKind::Exp, logarithm == 1 ? x : node.nn.mul(x, logarithm)));
}

void importLog(OperandBinder &node) {
  double logarithm;
  if (!readBase(node, logarithm))
    return;
  Value y = node.nn.unary(UnaryKind::Log, affine(node));
  node.setResult(logarithm == 1 ? y : node.nn.div(y, logarithm));
}

void importThreshold(OperandBinder &node) {
  Value x = node.getOperand(0);
  double threshold = node.getFloat("threshold", 0);
  node.setResult(node.nn.cast(node.nn.binary(BinaryKind::Greater, x, threshold), getElementType(x)));
}

void importEltwise(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  node.ignore({"stable_prod_grad"});
  StringRef operation = node.getString("operation", "SUM");
  SmallVector<double> factors = node.getFloats("coeff");
  if (!factors.empty() && (operation != "SUM" || factors.size() != node.getNumOperands())) {
    node.error() << "parameter 'coeff' must be one number for each of the " << node.getNumOperands()
                 << " bottoms of a sum, but has " << factors.size() << " and the operation is " << operation;
    return;
  }
  for (size_t index = 1; index < node.getNumOperands(); ++index)
    if (!node.checkShape(index, getShape(node.getOperand(0)), "that of the first bottom"))
      return;
  BinaryKind kind = operation == "PROD" ? BinaryKind::Mul : operation == "MAX" ? BinaryKind::Max : BinaryKind::Add;
  Value result;
  for (auto [index, x] : llvm::enumerate(node.getOperands())) {
    Value term = factors.empty() || factors[index] == 1 ? x : nn.mul(x, factors[index]);
    result = index ? nn.binary(kind, result, term) : term;
  }
  node.setResult(result);
}

} // namespace

void registerActivations(ImportRegistry &registry) {
  const Signature one{{"bottom", Holds::Floats}};
  auto addUnary = [&](StringRef name, UnaryKind kind) {
    registry.add(name, 1, one,
                 [kind](OperandBinder &node) { node.setResult(node.nn.unary(kind, node.getOperand(0))); });
  };
  addUnary("AbsVal", UnaryKind::Abs);
  addUnary("BNLL", UnaryKind::Softplus);
  addUnary("Sigmoid", UnaryKind::Sigmoid);
  addUnary("TanH", UnaryKind::Tanh);
  registry.add("Clip", 1, one, [](OperandBinder &node) {
    node.setResult(clamp(node.nn, node.getOperand(0), node.getFloat("min", 0), node.getFloat("max", 0)));
  });
  registry.add("ELU", 1, one, [](OperandBinder &node) {
    node.setResult(node.nn.unary(UnaryKind::Elu, node.getOperand(0), node.getFloat("alpha", 1)));
  });
  registry.add("Eltwise", 1, {{"bottoms...", Holds::Floats}}, importEltwise);
  registry.add("Exp", 1, one, importExp);
  registry.add("Log", 1, one, importLog);
  registry.add("PReLU", 1, {{"bottom", Holds::Floats}, {"blobs...?", Holds::Floats}}, importPRelu);
  registry.add("Power", 1, one, importPower);
  registry.add("ReLU", 1, one, importRelu);
  registry.add("Swish", 1, one, [](OperandBinder &node) {
    node.setResult(swish(node.nn, node.getOperand(0), node.getFloat("beta", 1)));
  });
  registry.add("Threshold", 1, one, importThreshold);
}

} // namespace nacre::importer::caffe_format
