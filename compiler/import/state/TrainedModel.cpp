// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TrainedModel.h.

#include "compiler/import/state/TrainedModel.h"

#include "compiler/import/Formats.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

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
    return emitError(loc) << "--state must go with an ONNX model, but '" << path << "' is "
                          << (format == getFormats().end() ? "no model" : (*format)->name);
  FailureOr<StateFile> read = readStateFile(std::move(*stateBytes), loc);
  if (failed(read))
    return failure();
  // The result may take the model's place: it is written beside it first.
  LogicalResult replaced = success();
  llvm::Error error = llvm::writeToOutput(output, [&](raw_ostream &to) -> llvm::Error {
    replaced = (*format)->replaceWeights(file, *read, to, loc);
    return succeeded(replaced) ? llvm::Error::success() : llvm::createStringError("");
  });
  std::string text = llvm::toString(std::move(error));
  if (succeeded(replaced) && !text.empty())
    return emitError(loc) << "cannot write '" << output << "': " << text;
  return replaced;
}

} // namespace nacre::importer
