// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSTM, GRU and RNN.
//
// Each direction becomes one `nn.recurrent` on its slice of the weights. Then the directions are joined.

#include "compiler/import/onnx/operators/Recurrences.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/operators/Handlers.h"
#include "dialects/NumberText.h"

using namespace mlir;

namespace nacre::importer::onnx_format {

using nn::CellKind;

namespace {

//===----------------------------------------------------------------------===//
// 1. Attributes
//===----------------------------------------------------------------------===//

std::optional<int64_t> readDirections(OperandBinder &node) {
  StringRef direction = node.getChoice("direction", {"forward", "reverse", "bidirectional"});
  if (node.hasFailed())
    return std::nullopt;
  return direction == "bidirectional" ? 2 : 1;
}

/// Reports an error unless constant lengths of sequences lie within `steps`.
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

/// Returns the number of hidden states. The recurrence, operand 2, must have three axes.
int64_t getHidden(OperandBinder &node, const CellOperator &cell) {
  return getShape(node.getOperand(2))[cell.hasRowsOfGates ? 2 : 1];
}

/// Reports an error unless the operands have the shapes of the operator's definition.
bool checkShapes(OperandBinder &node, const CellOperator &cell, int64_t directions, bool batchFirst) {
  if (!node.checkRank(0, 3, 3) || !node.checkRank(1, 3, 3) || !node.checkRank(2, 3, 3))
    return false;
  Ints x = getShape(node.getOperand(0));
  int64_t steps = x[batchFirst], batch = x[!batchFirst], inputs = x[2];
  int64_t hidden = getHidden(node, cell), rows = cell.gates * hidden;
  if (node.getInt("hidden_size", hidden) != hidden) {
    node.error() << "attribute 'hidden_size' must be " << hidden << ", that of " << node.nameOf(2) << ", but is "
                 << node.getInt("hidden_size", hidden);
    return false;
  }
  SmallVector<int64_t> state{directions, batch, hidden};
  if (batchFirst)
    std::swap(state[0], state[1]);
  StringRef weights = cell.hasRowsOfGates ? "directions by gates by the last axis of the weights"
                                          : "directions by the rows of the weights by gates";
  StringRef inputWeights = cell.hasRowsOfGates ? "directions by gates by inputs" : "directions by inputs by gates";
  constexpr StringLiteral states = "directions by batch by hidden size";
  auto shapeOf = [&](int64_t columns) -> std::array<int64_t, 3> {
    if (cell.hasRowsOfGates)
      return {directions, rows, columns};
    return {directions, columns, rows};
  };
  return node.checkShape(1, shapeOf(inputs), inputWeights) && node.checkShape(2, shapeOf(hidden), weights) &&
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

/// Returns the slice of `x` for `direction`, reshaped to `shape`. Returns null if `x` is null.
Value takeDirection(NnBuilder &nn, Value x, int64_t direction, Ints shape) {
  return x ? nn.reshape(nn.slice(x, 0, direction, 1), shape) : Value();
}

/// Returns the weights of `direction` as [columns, gates].
Value takeWeights(NnBuilder &nn, const CellOperator &cell, Value weights, int64_t direction) {
  SmallVector<int64_t> shape(getShape(weights).drop_front());
  Value matrix = takeDirection(nn, weights, direction, shape);
  return cell.hasRowsOfGates ? nn.transpose(matrix, {1, 0}) : matrix;
}

/// Attributes that all directions share.
struct Options {
  int64_t directions;
  SmallVector<CellFunction> functions;
  bool batchFirst;
  NnBuilder::Recurrence layer;
};

/// Reads the options. Fails after an error.
FailureOr<Options> readOptions(OperandBinder &node, const CellOperator &cell) {
  node.ignore({"output_sequence"}); // the uses of the node's outputs show which results are needed
  std::optional<int64_t> directions = readDirections(node);
  if (!directions)
    return failure();
  FailureOr<SmallVector<CellFunction>> functions = readCellFunctions(node, cell.functions, *directions);
  int64_t layout = node.getInt("layout", 0);
  NnBuilder::Recurrence layer;
  layer.reverse = node.getString("direction", "forward") == "reverse";
  layer.linearBeforeReset = cell.kind == CellKind::Gru && node.getFlag("linear_before_reset", false);
  layer.inputForget = cell.kind == CellKind::Lstm && node.getFlag("input_forget", false);
  layer.clip = node.getFloat("clip", 0);
  if (layout != 0 && layout != 1)
    node.error() << "attribute 'layout' must be 0 (time first) or 1 (batch first), but is " << layout;
  if (!(layer.clip >= 0))
    node.error() << "attribute 'clip' must be 0 or more, but is " << describeNumber(layer.clip);
  if (failed(functions) || node.hasFailed())
    return failure();
  return Options{*directions, std::move(*functions), layout == 1, layer};
}

/// Builds one direction. It is an nn.recurrent if that supports the functions, and otherwise a loop.
RecurrentResults buildDirection(NnBuilder &nn, CellKind kind, const Direction &direction) {
  NnBuilder::Recurrence layer = direction.layer;
  for (const CellFunction &function : direction.functions)
    if (std::optional<nn::UnaryKind> unary = function.getUnary())
      layer.activations.push_back(*unary);
  if (layer.activations.size() == direction.functions.size()) {
    auto [all, lastHidden, lastCell] = nn.recurrent(kind, layer);
    return {all, lastHidden, lastCell};
  }
  auto activate = [&](int64_t index, Value x) { return direction.functions[index].apply(nn, x); };
  return buildCells(nn, describeCells(nn, kind, layer, activate));
}

} // namespace

CellLayer describeCells(NnBuilder &nn, CellKind kind, const NnBuilder::Recurrence &layer,
                        llvm::function_ref<Value(int64_t, Value)> activate) {
  CellLayer cells;
  cells.kind = kind;
  cells.input = layer.input;
  cells.weights = layer.weights;
  cells.recurrence = layer.recurrence;
  cells.lengths = layer.lengths;
  cells.peepholes = layer.peepholes;
  cells.initialHidden = layer.initialH;
  cells.initialCell = layer.initialC;
  cells.reverse = layer.reverse;
  cells.resetsProducts = layer.linearBeforeReset;
  cells.inputForget = layer.inputForget;
  cells.clip = layer.clip;
  cells.activate = activate;
  if (layer.bias) {
    const int64_t columns = getShape(layer.bias)[1];
    auto row = [&](int64_t index) { return nn.reshape(nn.slice(layer.bias, 0, index, 1), {columns}); };
    cells.bias = row(0);
    if (cells.resetsProducts)
      cells.recurrenceBias = row(1);
    else
      cells.bias = nn.add(cells.bias, row(1));
  }
  return cells;
}

void importCells(OperandBinder &node, const CellOperator &cell,
                 llvm::function_ref<RecurrentResults(const Direction &direction)> build) {
  NnBuilder &nn = node.nn;
  FailureOr<Options> options = readOptions(node, cell);
  if (failed(options) || !checkShapes(node, cell, options->directions, options->batchFirst))
    return;
  const bool batchFirst = options->batchFirst;
  const int64_t batch = getShape(node.getOperand(0))[!batchFirst], hidden = getHidden(node, cell);
  const auto count = static_cast<int64_t>(cell.functions.size());

  auto toTimeFirst = [&](Value value) { return value && batchFirst ? nn.transpose(value, {1, 0, 2}) : value; };
  Value input = toTimeFirst(node.getOperand(0));
  Value initialH = toTimeFirst(node.getOperand(5)), initialC = toTimeFirst(node.getOperand(6));
  SmallVector<Value> sequences, lastHs, lastCs;
  for (int64_t index = 0; index < options->directions; ++index) {
    Direction direction{index, options->layer, ArrayRef(options->functions).slice(index * count, count)};
    NnBuilder::Recurrence &r = direction.layer;
    r.input = input;
    r.weights = takeWeights(nn, cell, node.getOperand(1), index);
    r.recurrence = takeWeights(nn, cell, node.getOperand(2), index);
    r.bias = takeDirection(nn, node.getOperand(3), index, {2, cell.gates * hidden});
    r.lengths = node.getOperand(4);
    r.initialH = takeDirection(nn, initialH, index, {batch, hidden});
    r.initialC = takeDirection(nn, initialC, index, {batch, hidden});
    r.peepholes = takeDirection(nn, node.getOperand(7), index, {3, hidden});
    r.reverse |= index == 1;
    auto [sequence, lastH, lastC] = build(direction);
    if (!sequence || !lastH || !lastC) {
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
  if (cell.kind == CellKind::Lstm)
    node.setResult(2, toTimeFirst(join(lastCs, 0)));
}

void registerRecurrences(ImportRegistry &registry) {
  auto add = [&](StringRef op, const Signature &signature, const CellOperator &cell) {
    registry.add(op, 1, signature, [cell](OperandBinder &node) {
      importCells(node, cell,
                  [&](const Direction &direction) { return buildDirection(node.nn, cell.kind, direction); });
    });
  };
  const Signature gated{{"X", Holds::Floats, 'T'},          {"W", Holds::Floats, 'T'},
                        {"R", Holds::Floats, 'T'},          {"B?", Holds::Floats, 'T'},
                        {"sequence_lens?", Holds::Indices}, {"initial_h?", Holds::Floats, 'T'}};
  const Signature withCell{{"X", Holds::Floats, 'T'},          {"W", Holds::Floats, 'T'},
                           {"R", Holds::Floats, 'T'},          {"B?", Holds::Floats, 'T'},
                           {"sequence_lens?", Holds::Indices}, {"initial_h?", Holds::Floats, 'T'},
                           {"initial_c?", Holds::Floats, 'T'}, {"P?", Holds::Floats, 'T'}};
  add("LSTM", withCell, {CellKind::Lstm, 4, {"Sigmoid", "Tanh", "Tanh"}});
  add("GRU", gated, {CellKind::Gru, 3, {"Sigmoid", "Tanh"}});
  add("RNN", gated, {CellKind::Rnn, 1, {"Tanh"}});
}

} // namespace nacre::importer::onnx_format
