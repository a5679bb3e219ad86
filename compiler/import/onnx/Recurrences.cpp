// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSTM, GRU and RNN.
//
// How:  1. what the node says: directions, activations, options,
//       2. one `nn.recurrent` for each direction, on its slice of the weights,
//       3. the directions joined again.

#include "compiler/import/onnx/Handlers.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

using nn::CellKind;
using nn::UnaryKind;

/// What the three operators differ in.
struct Cell {
  CellKind kind;
  int64_t gates;
  SmallVector<UnaryKind> activations; ///< of one direction, when the node names none
};

//===----------------------------------------------------------------------===//
// 1. What the node says
//===----------------------------------------------------------------------===//

std::optional<int64_t> readDirections(OperandBinder &node) {
  StringRef direction = node.getString("direction", "forward");
  if (direction == "forward" || direction == "reverse")
    return 1;
  if (direction == "bidirectional")
    return 2;
  node.error() << "attribute 'direction' must be forward, reverse or bidirectional, but is '" << direction << "'";
  return std::nullopt;
}

/// The activations of all directions; nothing after an error.
std::optional<SmallVector<UnaryKind>> readActivations(OperandBinder &node, const Cell &cell, int64_t directions) {
  if (!node.getFloats("activation_alpha").empty() || !node.getFloats("activation_beta").empty()) {
    node.error() << "activations with parameters are not supported";
    return std::nullopt;
  }
  SmallVector<UnaryKind> result;
  SmallVector<StringRef> names = node.getStrings("activations");
  if (names.empty())
    for (int64_t direction = 0; direction < directions; ++direction)
      result.append(cell.activations);
  for (StringRef name : names) {
    std::optional<UnaryKind> kind = nn::symbolizeUnaryKind(name.lower());
    if (kind != UnaryKind::Sigmoid && kind != UnaryKind::Tanh && kind != UnaryKind::Relu &&
        kind != UnaryKind::Softplus) {
      node.error() << "activation '" << name << "' is not supported; supported: Sigmoid, Tanh, Relu, Softplus";
      return std::nullopt;
    }
    result.push_back(*kind);
  }
  if (result.size() == cell.activations.size() * directions)
    return result;
  node.error() << "attribute 'activations' must have " << cell.activations.size() * directions << " elements, but has "
               << result.size();
  return std::nullopt;
}

/// Reports an error unless operand `index`, where there is one, has the shape `wanted`.
bool checkShape(OperandBinder &node, size_t index, StringRef role, Ints wanted) {
  Value operand = node.getOperand(index);
  if (!operand || getShape(operand) == wanted)
    return true;
  node.error() << "operand " << index << " ('" << role << "') must have the shape [" << wanted << "], but is "
               << getType(operand);
  return false;
}

//===----------------------------------------------------------------------===//
// 2. and 3. The operator
//===----------------------------------------------------------------------===//

/// The part of `x` that belongs to `direction`, with that leading axis replaced by `shape`; null where `x` is.
Value takeDirection(NnBuilder &nn, Value x, int64_t direction, Ints shape) {
  return x ? nn.reshape(nn.slice(x, 0, direction, 1), shape) : Value();
}

void importRecurrence(OperandBinder &node, const Cell &cell) {
  NnBuilder &nn = node.nn;
  node.ignore({"output_sequence"}); // whether a result is wanted is seen from the node's outputs
  bool isLstm = cell.kind == CellKind::Lstm;
  std::optional<int64_t> directions = readDirections(node);
  if (!directions)
    return;
  std::optional<SmallVector<UnaryKind>> activations = readActivations(node, cell, *directions);
  bool batchFirst = node.getInt("layout", 0) == 1;
  bool isReverse = node.getString("direction", "forward") == "reverse";
  bool linearBeforeReset = cell.kind == CellKind::Gru && node.getFlag("linear_before_reset", false);
  bool inputForget = isLstm && node.getFlag("input_forget", false);
  double clip = node.getFloat("clip", 0);

  Value x = node.getOperand(0), weights = node.getOperand(1), recurrence = node.getOperand(2);
  if (!activations || node.hasFailed())
    return;
  if (getRank(x) != 3 || getRank(weights) != 3 || getRank(recurrence) != 3) {
    node.error() << "operands 0, 1 and 2 must have 3 axes, but are " << getType(x) << ", " << getType(weights)
                 << " and " << getType(recurrence);
    return;
  }
  int64_t batch = getShape(x)[batchFirst ? 0 : 1], inputs = getShape(x)[2], hidden = getShape(recurrence)[2];
  int64_t rows = cell.gates * hidden;
  if (node.getInt("hidden_size", hidden) != hidden) {
    node.error() << "attribute 'hidden_size' must be that of the weights, " << hidden;
    return;
  }
  SmallVector<int64_t> state{*directions, batch, hidden};
  if (batchFirst)
    std::swap(state[0], state[1]);
  if (!checkShape(node, 1, "W", {*directions, rows, inputs}) ||
      !checkShape(node, 2, "R", {*directions, rows, hidden}) || !checkShape(node, 3, "B", {*directions, 2 * rows}) ||
      !checkShape(node, 4, "sequence_lens", {batch}) || !checkShape(node, 5, "initial_h", state) ||
      !checkShape(node, 6, "initial_c", state) || !checkShape(node, 7, "P", {*directions, 3 * hidden}))
    return;

  auto toTimeFirst = [&](Value value) { return value && batchFirst ? nn.transpose(value, {1, 0, 2}) : value; };
  Value input = toTimeFirst(x), initialH = toTimeFirst(node.getOperand(5)), initialC = toTimeFirst(node.getOperand(6));
  SmallVector<Value> sequences, lastHs, lastCs;
  for (int64_t direction = 0; direction < *directions; ++direction) {
    NnBuilder::Recurrence r;
    r.input = input;
    r.weights = nn.transpose(takeDirection(nn, weights, direction, {rows, inputs}), {1, 0});
    r.recurrence = nn.transpose(takeDirection(nn, recurrence, direction, {rows, hidden}), {1, 0});
    r.bias = takeDirection(nn, node.getOperand(3), direction, {2, rows});
    r.lengths = node.getOperand(4);
    r.initialH = takeDirection(nn, initialH, direction, {batch, hidden});
    r.initialC = takeDirection(nn, initialC, direction, {batch, hidden});
    r.peepholes = takeDirection(nn, node.getOperand(7), direction, {3, hidden});
    r.reverse = isReverse || direction == 1;
    r.linearBeforeReset = linearBeforeReset;
    r.inputForget = inputForget;
    r.clip = clip;
    size_t count = cell.activations.size();
    r.activations = llvm::to_vector(ArrayRef(*activations).slice(direction * count, count));
    auto [sequence, lastH, lastC] = nn.recurrent(cell.kind, r);
    if (!sequence) {
      node.setResult({});
      return;
    }
    int64_t steps = getShape(sequence)[0];
    sequences.push_back(nn.reshape(sequence, {steps, 1, batch, hidden}));
    lastHs.push_back(nn.reshape(lastH, {1, batch, hidden}));
    lastCs.push_back(nn.reshape(lastC, {1, batch, hidden}));
  }

  auto join = [&](ArrayRef<Value> parts, int64_t axis) {
    return parts.size() == 1 ? parts[0] : nn.concat(parts, axis);
  };
  Value sequence = join(sequences, 1);
  node.setResult(0, batchFirst ? nn.transpose(sequence, {2, 0, 1, 3}) : sequence);
  node.setResult(1, toTimeFirst(join(lastHs, 0)));
  if (isLstm)
    node.setResult(2, toTimeFirst(join(lastCs, 0)));
}

} // namespace

void registerRecurrences(ImportRegistry &registry) {
  auto add = [&](StringRef op, size_t maxOperands, const Cell &cell) {
    registry.add(op, 7, {3, maxOperands}, [cell](OperandBinder &node) { importRecurrence(node, cell); });
  };
  add("LSTM", 8, {CellKind::Lstm, 4, {UnaryKind::Sigmoid, UnaryKind::Tanh, UnaryKind::Tanh}});
  add("GRU", 6, {CellKind::Gru, 3, {UnaryKind::Sigmoid, UnaryKind::Tanh}});
  add("RNN", 6, {CellKind::Rnn, 1, {UnaryKind::Tanh}});
}

} // namespace nacre::importer::onnx_format
