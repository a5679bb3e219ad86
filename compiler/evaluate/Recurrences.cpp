// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recurrent layers with the cells that ONNX defines: LSTM, GRU and RNN.

#include "compiler/evaluate/Operators.h"
#include "compiler/evaluate/Walks.h"

#include <algorithm>

using namespace mlir;

namespace nacre::evaluate {
namespace {

/// One direction of a layer. Missing operands are null.
class Layer {
public:
  Layer(nn::RecurrentOp op, Operands operands) : op(op) {
    auto next = operands.begin();
    auto take = [&](bool isThere) { return isThere ? *next++ : Tensor(); };
    input = take(true);
    weights = take(true);
    recurrence = take(true);
    bias = take(bool(op.getBias()));
    lengths = take(bool(op.getLengths()));
    initialH = take(bool(op.getInitialH()));
    initialC = take(bool(op.getInitialC()));
    peepholes = take(bool(op.getPeepholes()));
    for (Attribute activation : op.getActivations())
      activations.push_back(cast<nn::UnaryKindAttr>(activation).getValue());
    hidden = recurrence.getShape()[0];
    columns = recurrence.getShape()[1];
  }

  Results run();

private:
  double activate(size_t number, double x) const { return nn::getFacts(activations[number]).ofFloat(x, /*alpha=*/0); }
  double limit(double x) {
    const double clip = op.getClip().convertToDouble();
    return clip > 0 ? std::clamp(x, -clip, clip) : x;
  }
  double biasOf(int64_t row, int64_t column) { return op.getBias() ? bias.number(row * columns + column) : 0; }
  double peephole(int64_t gate, int64_t unit) { return op.getPeepholes() ? peepholes.number(gate * hidden + unit) : 0; }

  void step(int64_t time, int64_t row);
  void stepLstm();
  void stepGru();
  void stepRnn();

  nn::RecurrentOp op;
  Tensor input, weights, recurrence, bias, lengths, initialH, initialC, peepholes;
  SmallVector<nn::UnaryKind> activations;
  int64_t hidden, columns;
  std::vector<double> h, c;                  ///< states of the current row of the batch
  std::vector<double> ofInput, ofRecurrence; ///< products for that row, with biases; for each gate, one column per unit
};

/// Adds `from` [rows] times `matrix` [rows, columns] to `to` [columns].
void multiplyRow(llvm::function_ref<double(int64_t)> from, int64_t rows, const Tensor &matrix,
                 std::vector<double> &to) {
  const auto columns = int64_t(to.size());
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      to[j] += from(i) * matrix.number(i * columns + j);
}

void Layer::step(int64_t time, int64_t row) {
  const int64_t batch = input.getShape()[1], width = input.getShape()[2];
  for (int64_t column = 0; column < columns; ++column) {
    ofInput[column] = biasOf(0, column);
    ofRecurrence[column] = biasOf(1, column);
  }
  multiplyRow([&](int64_t i) { return input.number((time * batch + row) * width + i); }, width, weights, ofInput);
  multiplyRow([&](int64_t i) { return h[i]; }, hidden, recurrence, ofRecurrence);
  switch (op.getKind()) {
  case nn::CellKind::Lstm:
    return stepLstm();
  case nn::CellKind::Gru:
    return stepGru();
  case nn::CellKind::Rnn:
    return stepRnn();
  }
}

/// Computes a step. The order of the gates is i, o, f, c.
void Layer::stepLstm() {
  auto sum = [&](int64_t gate, int64_t unit) {
    return ofInput[gate * hidden + unit] + ofRecurrence[gate * hidden + unit];
  };
  for (int64_t u = 0; u < hidden; ++u) {
    const double i = activate(0, limit(sum(0, u) + peephole(0, u) * c[u]));
    const double f = op.getInputForget() ? 1 - i : activate(0, limit(sum(2, u) + peephole(2, u) * c[u]));
    const double next = f * c[u] + i * activate(1, limit(sum(3, u)));
    const double o = activate(0, limit(sum(1, u) + peephole(1, u) * next));
    c[u] = next;
    h[u] = o * activate(2, next);
  }
}

/// Computes a step. The order of the gates is z, r, h.
void Layer::stepGru() {
  std::vector<double> z(hidden), r(hidden);
  for (int64_t u = 0; u < hidden; ++u) {
    z[u] = activate(0, limit(ofInput[u] + ofRecurrence[u]));
    r[u] = activate(0, limit(ofInput[hidden + u] + ofRecurrence[hidden + u]));
  }
  // The reset gate is multiplied by the state, or by the product with the state.
  std::vector<double> ofReset(hidden);
  for (int64_t u = 0; u < hidden; ++u) {
    const int64_t column = 2 * hidden + u;
    if (op.getLinearBeforeReset()) {
      ofReset[u] = r[u] * ofRecurrence[column];
      continue;
    }
    ofReset[u] = biasOf(1, column);
    for (int64_t i = 0; i < hidden; ++i)
      ofReset[u] += r[i] * h[i] * recurrence.number(i * columns + column);
  }
  for (int64_t u = 0; u < hidden; ++u)
    h[u] = (1 - z[u]) * activate(1, limit(ofInput[2 * hidden + u] + ofReset[u])) + z[u] * h[u];
}

void Layer::stepRnn() {
  for (int64_t u = 0; u < hidden; ++u)
    h[u] = activate(0, limit(ofInput[u] + ofRecurrence[u]));
}

Results Layer::run() {
  const int64_t steps = input.getShape()[0], batch = input.getShape()[1];
  Tensor all(op.getAllH().getType()), lastH(op.getLastH().getType()), lastC(op.getLastC().getType());
  ofInput.resize(columns);
  ofRecurrence.resize(columns);
  for (int64_t row = 0; row < batch; ++row) {
    h.assign(hidden, 0);
    c.assign(hidden, 0);
    for (int64_t u = 0; u < hidden; ++u) {
      h[u] = op.getInitialH() ? initialH.number(row * hidden + u) : 0;
      c[u] = op.getInitialC() ? initialC.number(row * hidden + u) : 0;
    }
    const int64_t length = op.getLengths() ? lengths.integer(row) : steps;
    for (int64_t iteration = 0; iteration < steps; ++iteration) {
      const int64_t time = op.getReverse() ? steps - 1 - iteration : iteration;
      if (time >= length) // after the end of a row, states are 0, and nothing is carried
        continue;
      step(time, row);
      for (int64_t u = 0; u < hidden; ++u)
        all.write()[(time * batch + row) * hidden + u].number = h[u];
    }
    for (int64_t u = 0; u < hidden; ++u) {
      lastH.write()[row * hidden + u].number = h[u];
      lastC.write()[row * hidden + u].number = c[u];
    }
  }
  return {all, lastH, lastC};
}

} // namespace

Results evaluate(nn::RecurrentOp op, Operands operands) { return Layer(op, operands).run(); }

} // namespace nacre::evaluate
