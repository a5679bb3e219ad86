// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers rounded to those that an integer of few bits can stand for.

#include "compiler/import/tensorflow/Handlers.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

/// `x` clamped to the range from `low` to `high`, moved so that zero is one of its steps, and rounded to a step. The range may
/// have one element for each of the last axis.
void quantize(OperandBinder &node, Value low, Value high) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  int64_t bits = node.getInt("num_bits", 8);
  bool isNarrow = node.getFlag("narrow_range", false);
  if (bits < 2 || bits > 16) {
    node.error() << "attribute 'num_bits' must lie between 2 and 16, but is " << bits;
    return;
  }
  auto least = static_cast<double>(isNarrow), most = static_cast<double>((1 << bits) - 1);
  Value step = nn.div(nn.sub(high, low), most - least);
  Value fromLow = nn.sub(nn.scalar(low, least), nn.div(low, step));
  // Halves away from zero; what is below the first step is clamped to it anyhow.
  Value rounded = nn.unary(nn::UnaryKind::Floor, nn.add(fromLow, 0.5));
  Value zero = nn.binary(nn::BinaryKind::Min, nn.binary(nn::BinaryKind::Max, rounded, least), most);
  Value first = nn.mul(nn.sub(nn.scalar(zero, least), zero), step);
  Value last = nn.mul(nn.sub(nn.scalar(zero, most), zero), step);
  Value clamped = nn.binary(nn::BinaryKind::Min, nn.binary(nn::BinaryKind::Max, x, first), last);
  Value steps = nn.unary(nn::UnaryKind::Floor, nn.add(nn.div(nn.sub(clamped, first), step), 0.5));
  Value result = nn.add(nn.mul(steps, step), first);
  // A range of nothing but zero has no steps.
  Value isZero = nn.binary(nn::BinaryKind::Equal, nn.sub(high, low), 0.0);
  node.setResult(result ? nn.select(isZero, nn.scalar(x, 0), result) : Value());
}

void importArgs(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  double low = node.getFloat("min", -6), high = node.getFloat("max", 6);
  if (!(low < high)) {
    node.error() << "attribute 'min' must be less than 'max', but they are " << low << " and " << high;
    return;
  }
  quantize(node, nn.scalar(node.getOperand(0), low), nn.scalar(node.getOperand(0), high));
}

void importVars(OperandBinder &node) {
  if (node.checkShape(1, {}, "one for all elements") && node.checkShape(2, {}, "one for all elements"))
    quantize(node, node.getOperand(1), node.getOperand(2));
}

void importVarsPerChannel(OperandBinder &node) {
  if (!node.checkRank(0, 1))
    return;
  int64_t channels = getShape(node.getOperand(0)).back();
  if (node.checkShape(1, {channels}, "one for each channel") && node.checkShape(2, {channels}, "one for each channel"))
    quantize(node, node.getOperand(1), node.getOperand(2));
}

} // namespace

void registerFakeQuantization(ImportRegistry &registry) {
  const OperandRule inputs = {"inputs", Holds::Floats, 'T'}, low = {"min", Holds::Floats, 'T'},
                    high = {"max", Holds::Floats, 'T'};
  registry.add("FakeQuantWithMinMaxArgs", 1, {inputs}, importArgs);
  registry.add("FakeQuantWithMinMaxVars", 1, {inputs, low, high}, importVars);
  registry.add("FakeQuantWithMinMaxVarsPerChannel", 1, {inputs, low, high}, importVarsPerChannel);
}

} // namespace nacre::importer::tensorflow_format
