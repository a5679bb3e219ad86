// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices and shapes of the operands of an LSTM layer.

#include "compiler/import/tflite/recurrent/LstmOperands.h"
#include "compiler/import/messages/TypeNames.h"

using namespace mlir;

namespace nacre::importer::tflite_format {

/// Reports an error unless the operands of a direction have consistent shapes.
static bool checkLstm(TfliteNode &node, const LstmPlaces &places, const LstmSizes &sizes) {
  const int64_t inputs = sizes.inputs, cells = sizes.cells, outputs = sizes.outputs;
  const bool isCoupled = sizes.isCoupled;
  auto check = [&](size_t index, Ints shape) { return node->checkShape(index, shape, "cells by inputs or outputs"); };
  bool agree = true;
  for (size_t gate = 0; gate < 4 && agree; ++gate) {
    const bool isNeeded = gate > 0 || !isCoupled;
    for (size_t place : {places.weights, places.recurrence, places.biases})
      if (isNeeded != static_cast<bool>(node.getOperand(place + gate))) {
        node.error() << node->nameOf(place + gate) << " must be "
                     << (isNeeded ? "given" : "omitted like the input gate's weights");
        return false;
      }
    agree = check(places.weights + gate, {cells, inputs}) && check(places.recurrence + gate, {cells, outputs}) &&
            check(places.biases + gate, {cells}) && (gate == 3 || check(places.peepholes + gate, {cells})) &&
            (!places.norms || check(*places.norms + gate, {cells}));
  }
  agree = agree && check(places.projection, {outputs, cells}) && check(places.projection + 1, {outputs});
  if (agree && !node.getOperand(places.projection) && (outputs != cells || node.getOperand(places.projection + 1))) {
    node.error() << node->nameOf(places.projection) << " is required if there are " << describeCount(outputs, "output")
                 << " of " << cells << " cells, or a bias";
    return false;
  }
  return agree;
}

FailureOr<LstmSizes> readLstmSizes(TfliteNode &node, const LstmPlaces &places, Value x) {
  constexpr size_t forget = 1;
  Value weights = node.getOperand(places.weights + forget), recurrence = node.getOperand(places.recurrence + forget);
  if (!x || node->hasFailed())
    return failure();
  if (!weights || !recurrence || getRank(weights) != 2 || getRank(recurrence) != 2)
    return node.error() << "the forget gate's weights must be matrices, but are not";
  LstmSizes sizes{getShape(x)[1], getShape(x)[2], getShape(weights)[0], getShape(recurrence)[1],
                  !node.getOperand(places.weights)};
  if (!checkLstm(node, places, sizes) ||
      !node->checkFits({getShape(x)[0], sizes.batch, 4 * sizes.cells}, "the input products of all time steps"))
    return failure();
  return sizes;
}

} // namespace nacre::importer::tflite_format
