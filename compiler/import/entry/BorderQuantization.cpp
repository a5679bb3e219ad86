// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BorderQuantization.h.

#include "compiler/import/entry/BorderQuantization.h"

#include "compiler/import/builder/CodeNotes.h"

using namespace mlir;

namespace nacre::importer {

static LogicalResult settleArguments(func::FuncOp function, const SettledInputs &inputs, GraphView &graph) {
  unsigned argument = 0;
  for (const SettledInput &input : inputs.inputs) {
    if (input.value)
      continue; // a constant, not an argument
    FailureOr<DictionaryAttr> stated = graph.readQuantization(input.source);
    if (failed(stated))
      return failure();
    if (*stated)
      function.setArgAttr(argument, nn::quantizationAttr, *stated);
    else if (function.getArgAttrOfType<UnitAttr>(argument, nn::quantizationAttr))
      function.removeArgAttr(argument, nn::quantizationAttr); // operators disagree
    ++argument;
  }
  return success();
}

static LogicalResult settleResults(func::FuncOp function, GraphView &graph) {
  const SmallVector<GraphValue> outputs = graph.getOutputs();
  for (auto [index, value] : llvm::enumerate(function.front().getTerminator()->getOperands())) {
    auto name = function.getResultAttrOfType<StringAttr>(index, nn::nameAttr);
    if (!name)
      continue; // a count
    FailureOr<DictionaryAttr> note =
        graph.readQuantization(index < outputs.size() ? outputs[index].getSource() : name.getValue());
    if (failed(note))
      return failure();
    if (!*note)
      note = findCodeNote(value);
    if (*note)
      function.setResultAttr(index, nn::quantizationAttr, *note);
  }
  return success();
}

LogicalResult settleQuantization(func::FuncOp function, const SettledInputs &inputs, GraphView &graph) {
  if (failed(settleArguments(function, inputs, graph)) || failed(settleResults(function, graph)))
    return failure();
  // On operators, the note would prevent merging equal operators.
  function.front().walk([](Operation *op) { op->removeAttr(nn::quantizationAttr); });
  return success();
}

} // namespace nacre::importer
