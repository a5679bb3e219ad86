// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of a model, and where they come from.

#include "compiler/import/files/ModelFile.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;

namespace nacre::importer {

FailureOr<FileBytes> mapFile(StringRef path, Location loc) {
  // Asked before opening, because opening a pipe or a device may block for ever.
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return emitError(loc) << "cannot open '" << path << "': " << error.message();
  if (status.type() != llvm::sys::fs::file_type::regular_file)
    return emitError(loc) << "'" << path << "' must be a regular file";
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return emitError(loc) << "cannot open '" << path << "': " << buffer.getError().message();
  return FileBytes(std::move(*buffer));
}

} // namespace nacre::importer
