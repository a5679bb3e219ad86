// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RNN layers without gates.

#include "compiler/import/compositions/recurrent/Cells.h"
#include "compiler/import/tflite/FusedActivation.h"
#include "compiler/import/tflite/Handlers.h"
#include "compiler/import/tflite/recurrent/Steps.h"

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

/// Imports one direction. Its operands begin at index `first`: weights, recurrence, bias, state.
RecurrentResults importRnnDirection(TfliteNode &node, size_t first, Value x, Activation activation, bool reverse) {
  NnBuilder &nn = node.nn;
  if (!node->checkRank(first, 2, 2))
    return {};
  const int64_t steps = getShape(x)[0], batch = getShape(x)[1], units = getShape(node.getOperand(first))[0];
  constexpr StringLiteral reason = "units by inputs";
  if (!node->checkShape(first, {units, getShape(x)[2]}, reason) ||
      !node->checkShape(first + 1, {units, units}, reason) || !node->checkShape(first + 2, {units}, reason) ||
      !node->checkFits({steps, batch, units}, "the input products of all time steps"))
    return {};
  CellLayer layer;
  layer.kind = nn::CellKind::Rnn;
  layer.input = x;
  layer.weights = turnMatrix(node, first);
  layer.recurrence = turnMatrix(node, first + 1);
  layer.bias = readReals(node, first + 2);
  layer.initialHidden = readState(node, first + 3, {batch, units});
  layer.reverse = reverse;
  auto activateState = [&](int64_t, Value value) { return activate(nn, activation, value); };
  layer.activate = activateState;
  return node->hasFailed() ? RecurrentResults() : buildCells(nn, layer);
}

void importRnn(TfliteNode &node, Steps steps) {
  if (!checkInput(node, steps) || !checkReals(node, 1))
    return;
  Activation activation = readActivation(node);
  Value x = toTimeFirst(node.nn, node.getOperand(0), steps);
  RecurrentResults results = importRnnDirection(node, 1, x, activation, /*reverse=*/false);
  setSequences(node, results, steps);
  node.setAssigned({{4, results.lastHidden}});
}

void importBidirectionalRnn(TfliteNode &node) {
  const Steps steps = readSteps(node, /*missing=*/false);
  if (!checkInput(node, steps) || !checkReals(node, 1) || !checkNoSecondInput(node, 9))
    return;
  Activation activation = readActivation(node);
  Value x = toTimeFirst(node.nn, node.getOperand(0), steps);
  RecurrentResults there = importRnnDirection(node, 1, x, activation, /*reverse=*/false);
  if (node->hasFailed() || !there.all)
    return node.setResult({});
  RecurrentResults back = importRnnDirection(node, 5, x, activation, /*reverse=*/true);
  setSequences(node, {there, back}, steps);
  node.setAssigned({{4, there.lastHidden}, {8, back.lastHidden}});
}

} // namespace

void registerRnns(ImportRegistry &registry) {
  const Signature one{{"input", Holds::Floats},
                      {"weights", Holds::Stored},
                      {"recurrent_weights", Holds::Stored},
                      {"bias", Holds::Floats},
                      {"state", Holds::Floats}};
  add(registry, "UNIDIRECTIONAL_SEQUENCE_RNN", Integers::Computed, one,
      [](TfliteNode &node) { importRnn(node, readSteps(node, /*missing=*/false)); });
  add(registry, "RNN", Integers::Computed, one, [](TfliteNode &node) { importRnn(node, Steps::One); });
  add(registry, "BIDIRECTIONAL_SEQUENCE_RNN", Integers::Computed,
      {{"input", Holds::Floats},
       {"weights", Holds::Stored},
       {"recurrent_weights", Holds::Stored},
       {"bias", Holds::Floats},
       {"state", Holds::Floats},
       {"backward_weights", Holds::Stored},
       {"backward_recurrent_weights", Holds::Stored},
       {"backward_bias", Holds::Floats},
       {"backward_state", Holds::Floats},
       {"second...?", Holds::Stored}},
      importBidirectionalRnn);
}

} // namespace nacre::importer::tflite_format
