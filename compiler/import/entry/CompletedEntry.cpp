// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CompletedEntry.h.

#include "compiler/import/entry/CompletedEntry.h"

#include "compiler/import/batch/ChangeBatch.h"
#include "compiler/import/builder/EraseUnused.h"
#include "compiler/import/builder/IndexNotes.h"
#include "compiler/import/entry/KeptState.h"
#include "compiler/import/entry/PixelInputs.h"

using namespace mlir;

namespace nacre::importer {

/// Changes the batch along an axis that is probably not a batch. If an operator combines elements along it, the error
/// is that the input has a wrong size.
static LogicalResult tryBatch(func::FuncOp function, const BatchChange &change, const NewBatch &unlikely,
                              Location input) {
  std::optional<Diagnostic> reason;
  {
    ScopedDiagnosticHandler handler(function.getContext(), [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
        return failure();
      reason.emplace(std::move(diagnostic));
      return success();
    });
    if (succeeded(changeBatch(function, change)))
      return success();
  }
  InFlightDiagnostic error = emitError(input) << unlikely.describe();
  if (reason)
    error.attachNote(reason->getLocation()) << "it cannot be a batch: " << reason->str();
  return error;
}

/// Reports an error if no output has elements. A past of 0 steps is useful at the beginning of a prompt, but a batch of
/// 0 is a mistake.
static LogicalResult checkElements(func::FuncOp function, const SettledInputs &inputs) {
  const auto isEmpty = [](Type type) {
    const auto tensor = cast<RankedTensorType>(type);
    return tensor.hasStaticShape() && tensor.getNumElements() == 0;
  };
  if (!llvm::all_of(function.getResultTypes(), isEmpty))
    return success();
  unsigned argument = 0;
  for (const SettledInput &input : inputs.inputs) {
    if (input.value)
      continue; // a constant, not an argument
    if (input.emptiedAxis)
      return emitError(function.getArgument(argument).getLoc())
             << "axis " << *input.emptiedAxis << " must have a size of at least 1 for an output to have elements, but "
             << "--shape sets 0";
    ++argument;
  }
  return success();
}

/// Changes the batch to the size in `--shape` if the model states another size.
static LogicalResult settleBatch(func::FuncOp function, const SettledInputs &inputs, const ImportOptions &options) {
  BatchChange change;
  change.isTrained = options.training.has_value();
  std::optional<std::pair<NewBatch, unsigned>> unlikely;
  unsigned argument = 0;
  for (const SettledInput &input : inputs.inputs) {
    if (input.value)
      continue; // a constant, not an argument
    if (const std::optional<NewBatch> &batch = input.batch) {
      change.stated = batch->stated;
      change.wanted = batch->wanted;
      change.inputs.push_back({argument, batch->axis});
      if (!batch->isLikely())
        unlikely = {*batch, argument};
    }
    ++argument;
  }
  if (change.inputs.empty())
    return checkElements(function, inputs);
  if (unlikely)
    return tryBatch(function, change, unlikely->first, function.getArgument(unlikely->second).getLoc());
  return changeBatch(function, change);
}

LogicalResult completeEntry(func::FuncOp function, const SettledInputs &inputs, const ImportOptions &options,
                            const ModelView &model) {
  eraseUnused(function.front());
  eraseIndexNotes(function);
  return success(succeeded(keepStates(function, options.states, model)) &&
                 succeeded(settleBatch(function, inputs, options)) &&
                 succeeded(takePixels(function, options.pixelInputs, model)));
}

} // namespace nacre::importer
