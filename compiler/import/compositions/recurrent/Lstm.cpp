// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSTM layers as loops over their steps. The parts of this file are the input's product for all steps together, a step,
// and the loop.

#include "compiler/import/compositions/recurrent/Lstm.h"

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/compositions/Moments.h"
#include "compiler/import/control/RegionBuilder.h"

using namespace mlir;

namespace nacre::importer {
namespace {

using nn::UnaryKind;

/// Multiplies [T, B, I] by [I, columns] and adds a bias, which may be null.
Value projectSteps(NnBuilder &nn, Value input, Value weights, Value bias) {
  if (!input || !weights)
    return {};
  const int64_t steps = getShape(input)[0], batch = getShape(input)[1];
  Value x = nn.matmul(nn.reshape(input, {steps * batch, getShape(input)[2]}), weights);
  return nn.reshape(bias ? nn.add(x, bias) : x, {steps, batch, getShape(weights)[1]});
}

/// Normalizes the sums of a gate like TensorFlow Lite: a variance of 0 is replaced by 1e-8.
Value normalizeGate(NnBuilder &nn, Value x, Value coefficients) {
  constexpr double epsilon = 1e-8;
  if (!x)
    return {};
  Moments moments = computeMoments(nn, x, {1}, /*keepDims=*/true);
  Value isNothing = nn.binary(nn::BinaryKind::Equal, moments.variance, 0.0);
  Value variance = isNothing ? nn.select(isNothing, nn.scalar(x, epsilon), moments.variance) : Value();
  Value inverse = nn.unary(UnaryKind::Reciprocal, nn.unary(UnaryKind::Sqrt, variance));
  return nn.mul(nn.mul(nn.sub(x, moments.mean), inverse), coefficients);
}

class LstmBuilder {
public:
  LstmBuilder(NnBuilder &nn, const LstmLayer &layer)
      : nn(nn), layer(layer), hidden(getShape(layer.initialCell)[1]), isNormalized(layer.norms[ForgetGate]) {}

  RecurrentResults build() {
    Loop loop;
    loop.bound = getShape(layer.input)[0];
    loop.initial = {layer.initialHidden, layer.initialCell};
    loop.scanned = {projectSteps(nn, layer.input, layer.weights, isNormalized ? Value() : layer.bias)};
    loop.reverse = layer.reverse;
    if (llvm::is_contained(loop.initial, Value()) || !loop.scanned.front())
      return {};
    auto compute = [&](Value, ArrayRef<Value> carried, ArrayRef<Value> rows) -> FailureOr<Iteration> {
      auto [state, cell] = step(rows.front(), carried[0], carried[1]);
      if (!state || !cell)
        return failure();
      return Iteration{{state, cell}, {state}};
    };
    FailureOr<LoopResults> results = RegionBuilder(nn).buildLoop(loop, compute);
    if (failed(results))
      return {};
    return {results->stacks.front(), results->finals[0], results->finals[1]};
  }

private:
  int64_t column(LstmGate gate) const { return (gate - (layer.isCoupled ? 1 : 0)) * hidden; }

  /// Returns a gate before its activation. Its peephole multiplies `of`.
  Value gate(Value sums, LstmGate which, Value of) {
    Value x = sums ? nn.slice(sums, 1, column(which), hidden) : Value();
    if (layer.peepholes[which])
      x = nn.add(x, nn.mul(layer.peepholes[which], of));
    if (!isNormalized)
      return x;
    x = normalizeGate(nn, x, layer.norms[which]);
    return layer.bias ? nn.add(x, nn.slice(layer.bias, 0, column(which), hidden)) : x;
  }

  Value clip(Value x, double limit) { return limit > 0 && x ? clamp(nn, x, -limit, limit) : x; }

  std::pair<Value, Value> step(Value x, Value oldHidden, Value oldCell) {
    Value sums = nn.add(nn.matmul(oldHidden, layer.recurrence), x);
    auto sigmoid = [&](Value value) { return nn.unary(UnaryKind::Sigmoid, value); };
    Value input = layer.isCoupled ? Value() : sigmoid(gate(sums, InputGate, oldCell));
    Value forget = sigmoid(gate(sums, ForgetGate, oldCell));
    if (layer.isCoupled && forget)
      input = nn.sub(nn.scalar(forget, 1), forget);
    Value next = nn.add(nn.mul(forget, oldCell), nn.mul(input, layer.activation(gate(sums, CellGate, {}))));
    next = clip(next, layer.cellClip);
    if (!next)
      return {};
    Value state = nn.mul(sigmoid(gate(sums, OutputGate, next)), layer.activation(next));
    if (layer.projection) {
      state = nn.matmul(state, layer.projection);
      if (layer.projectionBias)
        state = nn.add(state, layer.projectionBias);
      state = clip(state, layer.projectionClip);
    }
    return {state, next};
  }

  NnBuilder &nn;
  const LstmLayer &layer;
  int64_t hidden;
  bool isNormalized;
};

} // namespace

RecurrentResults buildLstm(NnBuilder &nn, const LstmLayer &layer) {
  if (!layer.input || !layer.weights || !layer.recurrence || !layer.initialHidden || !layer.initialCell)
    return {};
  return LstmBuilder(nn, layer).build();
}

} // namespace nacre::importer
