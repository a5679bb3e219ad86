// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See WriteTrained.h.

#include "compiler/state/WriteTrained.h"

#include "compiler/import/Formats.h"
#include "dialects/OutputFile.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

using namespace mlir;

namespace nacre::importer {

LogicalResult writeTrained(StringRef path, StringRef state, StringRef output, MLIRContext *context) {
  Location loc = UnknownLoc::get(context);
  FailureOr<FileBytes> bytes = mapFile(path, loc), stateBytes = mapFile(state, loc);
  if (failed(bytes) || failed(stateBytes))
    return failure();
  ModelFile file = {std::move(*bytes), llvm::sys::path::filename(path).str(), ""};
  const auto *format = llvm::find_if(getFormats(), [&](const Format *one) { return one->claims(file); });
  if (format == getFormats().end() || !(*format)->replaceWeights)
    return emitError(loc) << "--state requires an ONNX model, but '" << path << "' is "
                          << (format == getFormats().end() ? "no model" : (*format)->name);
  FailureOr<StateFile> read = readStateFile(std::move(*stateBytes), loc);
  if (failed(read))
    return failure();
  // The result may take the model's place: it is written beside it first.
  OutputFile written;
  const bool isFile = output != "-";
  std::string problem = isFile ? written.open(output.str()) : "";
  if (problem.empty()) {
    llvm::raw_fd_ostream to(isFile ? written.descriptor() : STDOUT_FILENO, /*shouldClose=*/false);
    const LogicalResult replaced = (*format)->replaceWeights(file, *read, to, loc);
    to.flush();
    problem = to.has_error() ? to.error().message() : "";
    to.clear_error(); // which would end the program
    if (failed(replaced))
      return failure();
    if (problem.empty() && isFile)
      problem = written.keep();
  }
  if (!problem.empty())
    return emitError(loc) << "cannot write '" << output << "': " << problem;
  return success();
}

} // namespace nacre::importer
