// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSTM, GRU and RNN.
//
// How:  1. what the node says: directions, activations, options,
//       2. one `nn.recurrent` for each direction, on its slice of the weights,
//       3. the directions joined again.

#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/operators/Handlers.h"

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
  StringRef direction = node.getChoice("direction", {"forward", "reverse", "bidirectional"});
  if (node.hasFailed())
    return std::nullopt;
  return direction == "bidirectional" ? 2 : 1;
}

/// The activations of all directions; nothing after an error.
std::optional<SmallVector<UnaryKind>> readActivations(OperandBinder &node, const Cell &cell, int64_t directions) {
  if (!node.getFloats("activation_alpha").empty() || !node.getFloats("activation_beta").empty()) {
    node.error()
        << "attributes 'activation_alpha' and 'activation_beta' are not supported; use activations without parameters";
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
      node.error() << "attribute 'activations' must name Sigmoid, Tanh, Relu or Softplus, but names '" << name << "'";
      return std::nullopt;
    }
    result.push_back(*kind);
  }
  if (result.size() == cell.activations.size() * directions)
    return result;
  node.error() << "attribute 'activations' must have " << describeCount(cell.activations.size() * directions, "element")
               << ", but has " << result.size();
  return std::nullopt;
}

/// Reports an error unless the lengths of the sequences, where they are constant, lie within `steps`.
bool checkLengths(OperandBinder &node, int64_t steps) {
  Value lengths = node.getOperand(4);
  if (!lengths || !getConstant(lengths))
    return true;
  FailureOr<SmallVector<int64_t>> given = node.getIntegers(4);
  if (failed(given))
    return false;
  if (llvm::all_of(*given, [&](int64_t length) { return length >= 0 && length <= steps; }))
    return true;
  node.error() << node.nameOf(4) << " must lie between 0 and the " << describeCount(steps, "step") << " of "
               << node.nameOf(0) << ", but is [" << Ints(*given) << "]";
  return false;
}

/// Reports an error unless the operands have the shapes that the operator's definition says.
bool checkShapes(OperandBinder &node, const Cell &cell, int64_t directions, bool batchFirst) {
  if (!node.checkRank(0, 3, 3) || !node.checkRank(1, 3, 3) || !node.checkRank(2, 3, 3))
    return false;
  Ints x = getShape(node.getOperand(0));
  int64_t steps = x[batchFirst], batch = x[!batchFirst], inputs = x[2];
  int64_t hidden = getShape(node.getOperand(2))[2], rows = cell.gates * hidden;
  if (node.getInt("hidden_size", hidden) != hidden) {
    node.error() << "attribute 'hidden_size' must be " << hidden << ", that of " << node.nameOf(2) << ", but is "
                 << node.getInt("hidden_size", hidden);
    return false;
  }
  SmallVector<int64_t> state{directions, batch, hidden};
  if (batchFirst)
    std::swap(state[0], state[1]);
  constexpr StringLiteral weights = "directions by gates by the last axis of the weights";
  constexpr StringLiteral states = "directions by batch by hidden size";
  return node.checkShape(1, {directions, rows, inputs}, "directions by gates by inputs") &&
         node.checkShape(2, {directions, rows, hidden}, weights) &&
         node.checkShape(3, {directions, 2 * rows}, weights) &&
         node.checkShape(4, batch, "one length per sequence of the batch") && checkLengths(node, steps) &&
         node.checkShape(5, state, states) && node.checkShape(6, state, states) &&
         node.checkShape(7, {directions, 3 * hidden}, weights) &&
         node.checkFits({steps, batch, rows}, "the products of all time steps") &&
         node.checkFits({steps + 1, directions, batch, hidden}, "the hidden states of all time steps");
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
  int64_t layout = node.getInt("layout", 0);
  bool batchFirst = layout == 1;
  bool isReverse = node.getString("direction", "forward") == "reverse";
  bool linearBeforeReset = cell.kind == CellKind::Gru && node.getFlag("linear_before_reset", false);
  bool inputForget = isLstm && node.getFlag("input_forget", false);
  double clip = node.getFloat("clip", 0);
  if (layout != 0 && layout != 1)
    node.error() << "attribute 'layout' must be 0 (time first) or 1 (batch first), but is " << layout;
  if (!(clip >= 0))
    node.error() << "attribute 'clip' must be 0 or more, but is " << clip;

  Value x = node.getOperand(0), weights = node.getOperand(1), recurrence = node.getOperand(2);
  if (!activations || node.hasFailed())
    return;
  if (!checkShapes(node, cell, *directions, batchFirst))
    return;
  int64_t batch = getShape(x)[!batchFirst], inputs = getShape(x)[2], hidden = getShape(recurrence)[2];
  int64_t rows = cell.gates * hidden;

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
  auto add = [&](StringRef op, const Signature &signature, const Cell &cell) {
    registry.add(op, 1, signature, [cell](OperandBinder &node) { importRecurrence(node, cell); });
    registry.setLimit(op, "activations with parameters; activations except Sigmoid, Tanh, Relu and Softplus");
  };
  const Signature gated{{"X", Holds::Floats, 'T'},          {"W", Holds::Floats, 'T'},
                        {"R", Holds::Floats, 'T'},          {"B?", Holds::Floats, 'T'},
                        {"sequence_lens?", Holds::Indices}, {"initial_h?", Holds::Floats, 'T'}};
  const Signature withCell{{"X", Holds::Floats, 'T'},          {"W", Holds::Floats, 'T'},
                           {"R", Holds::Floats, 'T'},          {"B?", Holds::Floats, 'T'},
                           {"sequence_lens?", Holds::Indices}, {"initial_h?", Holds::Floats, 'T'},
                           {"initial_c?", Holds::Floats, 'T'}, {"P?", Holds::Floats, 'T'}};
  add("LSTM", withCell, {CellKind::Lstm, 4, {UnaryKind::Sigmoid, UnaryKind::Tanh, UnaryKind::Tanh}});
  add("GRU", gated, {CellKind::Gru, 3, {UnaryKind::Sigmoid, UnaryKind::Tanh}});
  add("RNN", gated, {CellKind::Rnn, 1, {UnaryKind::Tanh}});
}

} // namespace nacre::importer::onnx_format
