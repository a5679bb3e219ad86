// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports a node in one way, and in another way if that fails. For example, a loop is imported as a loop, or unrolled.

#include "compiler/import/binding/OperandBinder.h"

using namespace mlir;

namespace nacre::importer {

std::optional<OperandBinder::Attempt> OperandBinder::attempt(llvm::function_ref<void()> work) {
  assert(!hasFailed() && "an attempt follows another, or comes first");
  DiagnosticEngine &engine = nn.getLoc()->getContext()->getDiagEngine();
  Attempt result;
  llvm::SetVector<StringRef> unfixedBefore = nn.getUnfixedInputs();
  {
    ScopedDiagnosticHandler listener(nn.getLoc()->getContext(), [&](Diagnostic &diagnostic) {
      result.said.push_back(std::move(diagnostic));
      return success();
    });
    work();
  }
  if (hasFailed()) {
    failed = false;
    nn.getNumErrors() = errorsBefore;
    result.unfixedInputs = std::exchange(nn.getUnfixedInputs(), unfixedBefore);
    return result;
  }
  for (Diagnostic &diagnostic : result.said) // the attempt succeeded, so these are remarks
    engine.emit(std::move(diagnostic));
  return std::nullopt;
}

void OperandBinder::report(Attempt attempt) {
  failed = true;
  nn.getUnfixedInputs().insert_range(attempt.unfixedInputs);
  for (Diagnostic &diagnostic : attempt.said)
    nn.getLoc()->getContext()->getDiagEngine().emit(std::move(diagnostic));
}

} // namespace nacre::importer
