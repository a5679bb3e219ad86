// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSTM layers of floats, whose weights may be integers: with one direction, with two directions, or for one step.

#include "compiler/import/tflite/FusedActivation.h"
#include "compiler/import/tflite/Handlers.h"
#include "compiler/import/tflite/recurrent/LstmOperands.h"

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

/// Joins the operands of all gates side by side, with transposed matrices. Returns null if they are omitted.
Value joinGates(TfliteNode &node, size_t first, bool isCoupled) {
  SmallVector<Value> parts;
  for (size_t gate = isCoupled ? 1 : 0; gate < kNumLstmGates; ++gate)
    parts.push_back(readReals(node, first + placeOfGate[gate]));
  if (llvm::is_contained(parts, Value()))
    return {};
  Value joined = node.nn.concat(parts, 0);
  return joined && getRank(joined) == 2 ? node.nn.transpose(joined, {1, 0}) : joined;
}

/// Reads a vector for each of `gates`, from the operand `first` on. Returns false after an error.
bool readGateVectors(TfliteNode &node, size_t first, ArrayRef<LstmGate> gates, bool isCoupled, Value *vectors) {
  size_t given = 0;
  for (auto [index, gate] : llvm::enumerate(gates))
    if ((vectors[gate] = readReals(node, first + index)))
      ++given;
  const size_t wanted = gates.size() - (isCoupled ? 1 : 0);
  if (given == 0 || (given == wanted && (!isCoupled || !vectors[InputGate])))
    return true;
  node.error() << node->nameOf(first) << " and the next ones must be given for all gates or none, but are given for "
               << given;
  return false;
}

/// Imports one direction over `x`, [T, B, I]. Does not set the node's results. The returned values are null after an
/// error.
RecurrentResults importLstmDirection(TfliteNode &node, const LstmPlaces &places, Value x, Activation activation,
                                     bool reverse) {
  NnBuilder &nn = node.nn;
  FailureOr<LstmSizes> sizes = readLstmSizes(node, places, x);
  if (failed(sizes))
    return {};
  LstmLayer layer;
  layer.isCoupled = sizes->isCoupled;
  layer.reverse = reverse;
  layer.cellClip = node->getFloat("cell_clip", 0);
  layer.projectionClip = node->getFloat("proj_clip", 0);
  layer.input = x;
  layer.weights = joinGates(node, places.weights, layer.isCoupled);
  layer.recurrence = joinGates(node, places.recurrence, layer.isCoupled);
  layer.bias = joinGates(node, places.biases, layer.isCoupled);
  layer.initialHidden = readState(node, places.state, {sizes->batch, sizes->outputs});
  layer.initialCell = readState(node, places.state + 1, {sizes->batch, sizes->cells});
  if (!readGateVectors(node, places.peepholes, {InputGate, ForgetGate, OutputGate}, layer.isCoupled, layer.peepholes))
    return {};
  if (places.norms && !readGateVectors(node, *places.norms, {InputGate, ForgetGate, CellGate, OutputGate},
                                       layer.isCoupled, layer.norms))
    return {};
  if (node.getOperand(places.projection))
    layer.projection = turnMatrix(node, places.projection);
  layer.projectionBias = readReals(node, places.projection + 1);
  auto activateCell = [&](Value value) { return value ? activate(nn, activation, value) : Value(); };
  layer.activation = activateCell;
  if (node->hasFailed())
    return {};
  return buildLstm(nn, layer);
}

void importLstm(TfliteNode &node, Steps steps) {
  if (!checkInput(node, steps))
    return;
  if (!isFloat(node.getOperand(0)))
    return importIntegerLstm(node, steps);
  if (!checkReals(node, 1))
    return;
  if (node->getFlag("diagonal_recurrent_tensors", false)) {
    node.error() << "attribute 'diagonal_recurrent_tensors' must be false, but is true; use full matrices";
    return;
  }
  Activation activation = readActivation(node);
  Value x = toTimeFirst(node.nn, node.getOperand(0), steps);
  RecurrentResults results = importLstmDirection(node, onlyDirection, x, activation, /*reverse=*/false);
  setSequences(node, results, steps);
  node.setAssigned({{18, results.lastHidden}, {19, results.lastCell}});
}

/// Imports an LSTM of kernel type 1. Operands: x, h, w, b, c. Results: h, c, intermediate values. Gates: input, cell,
/// forget, output.
void importBasicLstm(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  if (!node->checkRank(0, 2, 2) || !node->checkRank(1, 2, 2) || !node->checkRank(4, 2, 2))
    return;
  Value x = node.getOperand(0), hidden = node.getOperand(1), cell = node.getOperand(4);
  const int64_t batch = getShape(x)[0], inputs = getShape(x)[1], units = getShape(hidden)[1];
  const bool areRight = node->checkShape(1, {batch, units}, "a state for each row of the input") &&
                        node->checkShape(4, {batch, units}, "a state for each row of the input") &&
                        node->checkShape(2, {4 * units, inputs + units}, "a row for each gate of each unit") &&
                        node->checkShape(3, {4 * units}, "one for each gate of each unit");
  if (!areRight || !checkReals(node, 0))
    return;
  if (!isFloat(x) || !isFloat(hidden) || !isFloat(cell)) {
    node.error() << "input and states must be floating-point numbers, but are " << describe(x) << ", "
                 << describe(hidden) << " and " << describe(cell);
    return;
  }
  node->ignore(
      {"cell_clip", "proj_clip", "fused_activation_function", "asymmetric_quantize_inputs"}); // options of the full
                                                                                              // kernel
  Value joined = nn.concat({x, hidden}, 1);
  Value gates = nn.add(nn.matmul(joined, turnMatrix(node, 2)), readReals(node, 3));
  auto gate = [&](nn::UnaryKind kind, int64_t index) {
    return gates ? nn.unary(kind, nn.slice(gates, 1, index * units, units)) : Value();
  };
  Value candidate = nn.mul(gate(nn::UnaryKind::Sigmoid, 0), gate(nn::UnaryKind::Tanh, 1));
  Value next = nn.add(nn.mul(gate(nn::UnaryKind::Sigmoid, 2), cell), candidate);
  const Value results[] = {nn.mul(gate(nn::UnaryKind::Sigmoid, 3), nn.unary(nn::UnaryKind::Tanh, next)), next, joined,
                           gates};
  for (auto [index, result] : llvm::enumerate(results))
    node.setResult(index, result);
  node.setAssigned({{1, results[0]}, {4, results[1]}});
}

void importOneStepLstm(TfliteNode &node) {
  if (node->getInt("kernel_type", 0) == 0)
    return importLstm(node, Steps::One);
  if (node->getNumOperands() == 5)
    return importBasicLstm(node);
  node.error() << "attribute 'kernel_type' must be 0, or 1 with 5 operands, but has " << node->getNumOperands();
}

void importBidirectionalLstm(TfliteNode &node) {
  const Steps steps = readSteps(node, /*missing=*/true);
  constexpr LstmPlaces forward{1, 5, 9, 12, 16, 35, {}}, backward{18, 22, 26, 29, 33, 37, {}};
  if (!checkInput(node, steps) || !checkReals(node, 0) || !checkNoSecondInput(node, 39))
    return;
  if (!isFloat(node.getOperand(0))) {
    node.error() << node->nameOf(0) << " must be floating-point numbers, but is " << describe(node.getOperand(0));
    return;
  }
  Activation activation = readActivation(node);
  Value x = toTimeFirst(node.nn, node.getOperand(0), steps);
  RecurrentResults there = importLstmDirection(node, forward, x, activation, /*reverse=*/false);
  if (node->hasFailed() || !there.all)
    return node.setResult({});
  RecurrentResults back = importLstmDirection(node, backward, x, activation, /*reverse=*/true);
  setSequences(node, {there, back}, steps);
  node.setAssigned({{35, there.lastHidden}, {36, there.lastCell}, {37, back.lastHidden}, {38, back.lastCell}});
}

} // namespace

void registerLstms(ImportRegistry &registry) {
  const Signature full{{"input", Holds::Numbers},
                       {"input_to_input?", Holds::Stored},
                       {"input_to_forget?", Holds::Stored},
                       {"input_to_cell?", Holds::Stored},
                       {"input_to_output?", Holds::Stored},
                       {"recurrent_to_input?", Holds::Stored},
                       {"recurrent_to_forget?", Holds::Stored},
                       {"recurrent_to_cell?", Holds::Stored},
                       {"recurrent_to_output?", Holds::Stored},
                       {"more...?", Holds::Stored}};
  add(registry, "UNIDIRECTIONAL_SEQUENCE_LSTM", Integers::Computed, full,
      [](TfliteNode &node) { importLstm(node, readSteps(node, /*missing=*/false)); });
  add(registry, "LSTM", Integers::Computed, full, importOneStepLstm);
  add(registry, "BIDIRECTIONAL_SEQUENCE_LSTM", Integers::Computed, full, importBidirectionalLstm);
}

} // namespace nacre::importer::tflite_format
