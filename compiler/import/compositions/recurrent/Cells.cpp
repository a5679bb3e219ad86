// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers of cells as loops over their steps.
//
// The input's product for all steps, and the mask of rows that end early, are computed before the loop. Then the parts
// of this file are a step, and the loop.

#include "compiler/import/compositions/recurrent/Cells.h"

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/control/RegionBuilder.h"

using namespace mlir;

namespace nacre::importer {
namespace {

using nn::BinaryKind;
using nn::CellKind;

class CellBuilder {
public:
  CellBuilder(NnBuilder &nn, const CellLayer &layer)
      : nn(nn), layer(layer), steps(getShape(layer.input)[0]), batch(getShape(layer.input)[1]),
        hidden(getShape(layer.recurrence)[0]) {}

  RecurrentResults build();

private:
  struct States {
    Value hidden, cell; ///< `cell` is for an LSTM only
  };

  bool isLstm() const { return layer.kind == CellKind::Lstm; }
  /// True if the loop carries the output separately, because the operand of products differs from the state.
  bool carriesOutput() const { return mask && layer.multiplyState; }

  Value zero(Value like) { return nn.scalar(like, 0); }
  Value gate(Value matrix, int64_t first, int64_t count = 1) {
    return matrix ? nn.slice(matrix, 1, first * hidden, count * hidden) : Value();
  }
  Value subtractFromOne(Value x) { return x ? nn.sub(nn.scalar(x, 1), x) : Value(); }
  Value multiplyState(Value state) {
    return layer.multiplyState ? layer.multiplyState(state) : nn.matmul(state, layer.recurrence);
  }
  Value activate(int64_t index, Value x) {
    if (layer.clip > 0 && x)
      x = clamp(nn, x, -layer.clip, layer.clip);
    return x ? layer.activate(index, x) : Value();
  }
  /// Returns `next` if the step is inside the length of the row, and `otherwise` if it is not.
  Value keepOutside(Value next, Value otherwise) { return isInside ? nn.select(isInside, next, otherwise) : next; }

  Value projectInput();
  Value makeMask();
  Value initialState(Value given);
  void prepareGru();

  States stepLstm(Value x, const States &before, Value output);
  Value stepGru(Value x, Value state);
  Value stepGruThatResetsProducts(Value x, Value state);
  Value blend(Value update, Value next, Value state);
  States step(Value x, const States &before, Value output);

  NnBuilder &nn;
  const CellLayer &layer;
  int64_t steps, batch, hidden;
  // Set before the loop.
  Value mask, updateAndReset, candidate;
  // Set in each step.
  Value isInside;
};

//===----------------------------------------------------------------------===//
// 1. Before the loop
//===----------------------------------------------------------------------===//

Value CellBuilder::projectInput() {
  Value rows = nn.reshape(layer.input, {steps * batch, getShape(layer.input)[2]});
  Value x = layer.multiplyInput ? layer.multiplyInput(rows) : nn.matmul(rows, layer.weights);
  if (layer.bias)
    x = nn.add(x, layer.bias);
  return x ? nn.reshape(x, {steps, batch, getShape(x)[1]}) : Value();
}

/// Returns the mask [T, B, 1]. It is true if step t is inside the length of row b.
Value CellBuilder::makeMask() {
  Value times = nn.cast(nn.counting(steps), getElementType(layer.lengths));
  Value inside = nn.binary(BinaryKind::Less, times ? nn.reshape(times, {steps, 1}) : Value(),
                           nn.reshape(layer.lengths, {1, batch}));
  return inside ? nn.reshape(inside, {steps, batch, 1}) : Value();
}

Value CellBuilder::initialState(Value given) {
  return given ? given : nn.splat(RankedTensorType::get({batch, hidden}, getElementType(layer.input)), 0);
}

void CellBuilder::prepareGru() {
  if (layer.kind != CellKind::Gru || layer.resetsProducts)
    return;
  updateAndReset = gate(layer.recurrence, 0, 2);
  candidate = gate(layer.recurrence, 2);
}

//===----------------------------------------------------------------------===//
// 2. A step
//===----------------------------------------------------------------------===//

/// Computes a step. The gates are in the order i, o, f, c. Products use `output` as the state.
CellBuilder::States CellBuilder::stepLstm(Value x, const States &before, Value output) {
  Value z = nn.add(multiplyState(output), x);
  auto addPeephole = [&](Value sum, int64_t index, Value of) {
    return layer.peepholes ? nn.add(sum, nn.mul(nn.slice(layer.peepholes, 0, index, 1), of)) : sum;
  };
  Value input = activate(0, addPeephole(gate(z, 0), 0, before.cell));
  Value forget = layer.inputForget ? subtractFromOne(input) : activate(0, addPeephole(gate(z, 2), 2, before.cell));
  Value next = nn.add(nn.mul(forget, before.cell), nn.mul(input, activate(1, gate(z, 3))));
  next = keepOutside(next, before.cell);
  Value shown = activate(0, addPeephole(gate(z, 1), 1, next));
  Value state = nn.mul(shown, next ? layer.activate(2, next) : Value());
  return {keepOutside(state, before.hidden), next};
}

/// Computes a step. The gates are in the order z, r, h.
Value CellBuilder::stepGru(Value x, Value state) {
  Value zr = nn.add(nn.matmul(state, updateAndReset), gate(x, 0, 2));
  Value reset = nn.mul(activate(0, gate(zr, 1)), state);
  Value next = activate(1, nn.add(nn.matmul(reset, candidate), gate(x, 2)));
  return blend(activate(0, gate(zr, 0)), next, state);
}

Value CellBuilder::stepGruThatResetsProducts(Value x, Value state) {
  Value h = nn.matmul(state, layer.recurrence);
  if (layer.recurrenceBias)
    h = nn.add(h, layer.recurrenceBias);
  Value reset = activate(0, nn.add(gate(x, 1), gate(h, 1)));
  Value next = activate(1, nn.add(gate(x, 2), nn.mul(reset, gate(h, 2))));
  return blend(activate(0, nn.add(gate(x, 0), gate(h, 0))), next, state);
}

Value CellBuilder::blend(Value update, Value next, Value state) {
  return nn.add(nn.mul(subtractFromOne(update), next), nn.mul(update, state));
}

CellBuilder::States CellBuilder::step(Value x, const States &before, Value output) {
  if (isLstm())
    return stepLstm(x, before, output);
  Value next = layer.kind == CellKind::Rnn ? activate(0, nn.add(multiplyState(output), x))
               : layer.resetsProducts      ? stepGruThatResetsProducts(x, before.hidden)
                                           : stepGru(x, before.hidden);
  return {keepOutside(next, before.hidden), {}};
}

//===----------------------------------------------------------------------===//
// 3. The loop
//===----------------------------------------------------------------------===//

RecurrentResults CellBuilder::build() {
  prepareGru();
  Loop loop;
  loop.bound = steps;
  loop.reverse = layer.reverse;
  loop.scanned = {projectInput()};
  if (layer.lengths)
    loop.scanned.push_back(mask = makeMask());
  loop.initial = {initialState(layer.initialHidden)};
  if (isLstm())
    loop.initial.push_back(initialState(layer.initialCell));
  if (carriesOutput())
    loop.initial.push_back(loop.initial.front());
  if (llvm::is_contained(loop.initial, Value()) || llvm::is_contained(loop.scanned, Value()))
    return {};
  auto compute = [&](Value, ArrayRef<Value> carried, ArrayRef<Value> rows) -> FailureOr<Iteration> {
    isInside = mask ? rows[1] : Value();
    Value output = carriesOutput() ? carried.back() : carried[0];
    States next = step(rows[0], {carried[0], isLstm() ? carried[1] : Value()}, output);
    if (!next.hidden || (isLstm() && !next.cell))
      return failure();
    Iteration iteration{{next.hidden}};
    if (isLstm())
      iteration.carried.push_back(next.cell);
    Value row = next.hidden;
    if (carriesOutput()) {
      row = nn.select(isInside, row, zero(row));
      iteration.carried.push_back(row);
    }
    iteration.rows = {row};
    return iteration;
  };
  FailureOr<LoopResults> results = RegionBuilder(nn).buildLoop(loop, compute);
  if (failed(results))
    return {};
  Value all = results->stacks.front();
  // After the end of a row, its state does not change, but its outputs are zero.
  if (mask && !carriesOutput())
    all = nn.select(mask, all, zero(all));
  return {all, results->finals[0], results->finals[isLstm() ? 1 : 0]};
}

} // namespace

RecurrentResults buildCells(NnBuilder &nn, const CellLayer &layer) {
  if (!layer.input || !layer.weights || !layer.recurrence)
    return {};
  return CellBuilder(nn, layer).build();
}

} // namespace nacre::importer
