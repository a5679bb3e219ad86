// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See WriteTrained.h.

#include "compiler/state/WriteTrained.h"

#include "compiler/import/Formats.h"
#include "compiler/import/files/MappedPaths.h"
#include "dialects/NamedFiles.h"
#include "dialects/OutputFile.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

using namespace mlir;

namespace nacre::importer {

/// Reports an error if `output` is one of the files in `apart`. The new model still refers to these external weights of
/// the old one.
static LogicalResult checkApart(ArrayRef<std::string> apart, StringRef output, Location loc) {
  NamedFiles files;
  for (const std::string &path : apart)
    files.addInput("the model's data", path);
  files.addOutput("-o", output.str());
  const std::string same = files.findProblem();
  return same.empty() ? success() : emitError(loc) << same;
}

LogicalResult writeTrained(StringRef path, StringRef state, StringRef output, MLIRContext *context) {
  Location loc = UnknownLoc::get(context);
  FailureOr<FileBytes> bytes = mapFile(path, loc), stateBytes = mapFile(state, loc);
  if (failed(bytes) || failed(stateBytes))
    return failure();
  const StringRef folder = llvm::sys::path::parent_path(path);
  ModelFile file = {std::move(*bytes), llvm::sys::path::filename(path).str(), folder.empty() ? "." : folder.str()};
  const auto *format = llvm::find_if(getFormats(), [&](const Format *one) { return one->claims(file); });
  if (format == getFormats().end() || !(*format)->replaceWeights)
    return emitError(loc) << "--state requires an ONNX model, but '" << path << "' is "
                          << (format == getFormats().end() ? "no model" : (*format)->name);
  FailureOr<StateFile> read = readStateFile(std::move(*stateBytes), loc);
  if (failed(read))
    return failure();
  OutputFile written;
  const bool isFile = output != "-";
  std::string problem = isFile ? written.open(output.str()) : "";
  if (problem.empty()) {
    llvm::raw_fd_ostream to(isFile ? written.descriptor() : STDOUT_FILENO, /*shouldClose=*/false);
    std::vector<std::string> apart;
    const MappedPaths paths(apart);
    const LogicalResult replaced = (*format)->replaceWeights(file, *read, to, loc);
    to.flush();
    problem = to.has_error() ? to.error().message() : "";
    to.clear_error(); // An error that is not cleared would end the program.
    if (failed(replaced) || (isFile && failed(checkApart(apart, output, loc))))
      return failure();
    if (problem.empty() && isFile)
      problem = written.keep();
  }
  if (!problem.empty())
    return emitError(loc) << "cannot write '" << output << "': " << problem;
  return success();
}

} // namespace nacre::importer
