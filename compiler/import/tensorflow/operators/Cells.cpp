// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cells of recurrent networks: operators for one step, and for a sequence of steps.

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/tensorflow/operators/Handlers.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

Value sigmoid(NnBuilder &nn, Value x) { return nn.unary(nn::UnaryKind::Sigmoid, x); }
Value tanh(NnBuilder &nn, Value x) { return nn.unary(nn::UnaryKind::Tanh, x); }

//===----------------------------------------------------------------------===//
// LSTM
//===----------------------------------------------------------------------===//

/// Results of a step: input gate, cell, forget gate, output gate, cell input, output of the cell, hidden state.
enum StepResult { InputGate, Cell, ForgetGate, OutputGate, CellInput, CellOutput, Hidden, kNumStepResults };
using StepResults = std::array<Value, kNumStepResults>;

struct LstmCell {
  Value weights;      ///< [inputs + units, 4 * units]
  Value peepholes[3]; ///< weights of input, forget and output gate: [units]; null without peepholes
  Value bias;         ///< [4 * units]
  double forgetBias, clip;
  bool forgetFirst; ///< the order of gates is i, f, c, o instead of i, c, f, o

  /// Computes one step. All results are null after an error.
  StepResults step(NnBuilder &nn, Value x, Value cell, Value hidden) const;
};

StepResults LstmCell::step(NnBuilder &nn, Value x, Value cell, Value hidden) const {
  if (!cell)
    return {};
  int64_t units = getShape(cell)[1];
  Value gates = nn.add(nn.matmul(nn.concat({x, hidden}, 1), weights), bias);
  auto gate = [&](int64_t index) { return gates ? nn.slice(gates, 1, index * units, units) : Value(); };
  auto peep = [&](Value sum, Value state, int64_t index) {
    return peepholes[index] ? nn.add(sum, nn.mul(state, peepholes[index])) : sum;
  };
  StepResults results;
  results[InputGate] = sigmoid(nn, peep(gate(0), cell, 0));
  results[CellInput] = tanh(nn, gate(forgetFirst ? 2 : 1));
  results[ForgetGate] = sigmoid(nn, nn.add(peep(gate(forgetFirst ? 1 : 2), cell, 1), forgetBias));
  Value next = nn.add(nn.mul(results[CellInput], results[InputGate]), nn.mul(cell, results[ForgetGate]));
  results[Cell] = clip > 0 && next ? clamp(nn, next, -clip, clip) : next;
  results[OutputGate] = sigmoid(nn, peep(gate(3), results[Cell], 2));
  results[CellOutput] = tanh(nn, results[Cell]);
  results[Hidden] = nn.mul(results[CellOutput], results[OutputGate]);
  return results;
}

/// Reads the cell whose weights are the operands w, wci, wcf, wco and b, which begin at index `first`. Fails after an
/// error.
FailureOr<LstmCell> readCell(OperandBinder &node, size_t first, int64_t inputs, int64_t units, bool isSecond) {
  LstmCell cell{node.getOperand(first), {}, node.getOperand(first + 4), 0, 0, isSecond};
  cell.forgetBias = isSecond ? 0 : node.getFloat("forget_bias", 1);
  cell.clip = node.getFloat("cell_clip", isSecond ? 0 : 3);
  bool areRight = node.checkShape(first, {inputs + units, 4 * units}, "a column for each gate of each unit") &&
                  node.checkShape(first + 4, {4 * units}, "one for each gate of each unit");
  if (node.getFlag("use_peephole", false))
    for (size_t index = 0; index < 3; ++index) {
      cell.peepholes[index] = node.getOperand(first + 1 + index);
      areRight &= node.checkShape(first + 1 + index, {units}, "one for each unit");
    }
  if (!areRight)
    return failure();
  return cell;
}

/// Operands: x, cs_prev, h_prev, w, wci, wcf, wco, b.
void importLstmBlockCell(OperandBinder &node) {
  if (!node.checkRank(0, 2, 2) || !node.checkRank(1, 2, 2))
    return;
  int64_t batch = getShape(node.getOperand(0))[0], units = getShape(node.getOperand(1))[1];
  bool areRight = node.checkShape(1, {batch, units}, "a state for each row of the input") &&
                  node.checkShape(2, {batch, units}, "a state for each row of the input");
  if (!areRight)
    return;
  FailureOr<LstmCell> cell = readCell(node, 3, getShape(node.getOperand(0))[1], units, /*isSecond=*/false);
  if (failed(cell))
    return;
  StepResults results = cell->step(node.nn, node.getOperand(0), node.getOperand(1), node.getOperand(2));
  for (size_t index = 0; index < node.getNumResults(); ++index)
    node.setResult(index, results[index]);
}

/// Operands: seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b. Computes seq_len_max steps. The results of further
/// steps are zeros.
void importBlockLstm(OperandBinder &node, bool isSecond) {
  constexpr int64_t mostSteps = 1024;
  NnBuilder &nn = node.nn;
  FailureOr<int64_t> given = node.getInteger(0);
  if (failed(given) || !node.checkRank(1, 3, 3) || !node.checkRank(2, 2, 2))
    return;
  Value x = node.getOperand(1);
  int64_t steps = getShape(x)[0], batch = getShape(x)[1], inputs = getShape(x)[2];
  int64_t units = getShape(node.getOperand(2))[1], length = std::clamp<int64_t>(*given, 0, steps);
  bool areRight = node.checkShape(2, {batch, units}, "a state for each row of the input") &&
                  node.checkShape(3, {batch, units}, "a state for each row of the input");
  if (!areRight)
    return;
  if (steps > mostSteps) {
    node.error() << node.nameOf(1) << " must have at most " << mostSteps << " steps, but has " << steps;
    return;
  }
  FailureOr<LstmCell> cell = readCell(node, 4, inputs, units, isSecond);
  if (failed(cell))
    return;
  SmallVector<Value> rows[kNumStepResults];
  Value state = node.getOperand(2), hidden = node.getOperand(3);
  for (int64_t step = 0; step < length; ++step) {
    StepResults results = cell->step(nn, nn.reshape(nn.slice(x, 0, step, 1), {batch, inputs}), state, hidden);
    state = results[Cell];
    hidden = results[Hidden];
    for (size_t index = 0; index < node.getNumResults(); ++index)
      if (node.wantsResult(index))
        rows[index].push_back(nn.reshape(results[index], {1, batch, units}));
  }
  Value rest = nn.splat(RankedTensorType::get({steps - length, batch, units}, getElementType(x)), 0);
  for (size_t index = 0; index < node.getNumResults(); ++index) {
    rows[index].push_back(rest);
    if (node.wantsResult(index))
      node.setResult(index, nn.concat(rows[index], 0));
  }
}

//===----------------------------------------------------------------------===//
// GRU
//===----------------------------------------------------------------------===//

/// Operands: x, h_prev, w_ru, w_c, b_ru, b_c. Results: r, u, c, h.
void importGruBlockCell(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  if (!node.checkRank(0, 2, 2) || !node.checkRank(1, 2, 2))
    return;
  Value x = node.getOperand(0), hidden = node.getOperand(1);
  int64_t inputs = getShape(x)[1], units = getShape(hidden)[1];
  bool areRight = node.checkShape(1, {getShape(x)[0], units}, "a state for each row of the input") &&
                  node.checkShape(2, {inputs + units, 2 * units}, "a column for each of two gates of each unit") &&
                  node.checkShape(3, {inputs + units, units}, "a column for each unit") &&
                  node.checkShape(4, {2 * units}, "one for each of two gates of each unit") &&
                  node.checkShape(5, {units}, "one for each unit");
  if (!areRight)
    return;
  Value gates = sigmoid(nn, nn.add(nn.matmul(nn.concat({x, hidden}, 1), node.getOperand(2)), node.getOperand(4)));
  Value reset = gates ? nn.slice(gates, 1, 0, units) : Value(),
        update = gates ? nn.slice(gates, 1, units, units) : Value();
  Value joined = nn.concat({x, nn.mul(reset, hidden)}, 1);
  Value candidate = tanh(nn, nn.add(nn.matmul(joined, node.getOperand(3)), node.getOperand(5)));
  Value rest = nn.mul(nn.sub(nn.scalar(update, 1), update), candidate);
  Value results[] = {reset, update, candidate, nn.add(nn.mul(update, hidden), rest)};
  for (size_t index = 0; index < node.getNumResults(); ++index)
    node.setResult(index, results[index]);
}

} // namespace

void registerCells(ImportRegistry &registry) {
  auto floats = [](const char *name) { return OperandRule{name, Holds::Floats, 'T'}; };
  const OperandRule length = {"seq_len_max", Holds::Indices};
  const Signature block = {length,        floats("x"),   floats("cs_prev"), floats("h_prev"), floats("w"),
                           floats("wci"), floats("wcf"), floats("wco"),     floats("b")};
  registry.add("LSTMBlockCell", 1,
               {floats("x"), floats("cs_prev"), floats("h_prev"), floats("w"), floats("wci"), floats("wcf"),
                floats("wco"), floats("b")},
               importLstmBlockCell);
  registry.add("BlockLSTM", 1, block, [](OperandBinder &node) { importBlockLstm(node, /*isSecond=*/false); });
  registry.add("BlockLSTMV2", 1, block, [](OperandBinder &node) { importBlockLstm(node, /*isSecond=*/true); });
  for (StringRef op : {"BlockLSTM", "BlockLSTMV2"})
    registry.setLimit(op, "more than 1024 steps");
  registry.add("GRUBlockCell", 1,
               {floats("x"), floats("h_prev"), floats("w_ru"), floats("w_c"), floats("b_ru"), floats("b_c")},
               importGruBlockCell);
}

} // namespace nacre::importer::tensorflow_format
