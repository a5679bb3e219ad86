// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of a model, and their origin.

#ifndef NACRE_COMPILER_IMPORT_FILES_MODELFILE_H
#define NACRE_COMPILER_IMPORT_FILES_MODELFILE_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace nacre::importer {

/// Read-only bytes. Constants of the IR can keep them alive.
using FileBytes = std::shared_ptr<const llvm::MemoryBuffer>;

struct ModelFile {
  FileBytes bytes;
  std::string name;   ///< name in diagnostics: the file name without the folder
  std::string folder; ///< folder of accompanying files; empty without one

  llvm::StringRef getBuffer() const { return bytes->getBuffer(); }
};

/// Maps the regular file at `path`. Diagnostics are emitted at `loc`.
mlir::FailureOr<FileBytes> mapFile(llvm::StringRef path, mlir::Location loc);

/// Maps the regular file `path` of `folder`. An empty `folder` is an error, because the model then has no folder. An
/// untrusted model names `path`, so a path or a link that leads out of the folder is an error, too. `what` and `where`
/// name file and folder in diagnostics: "external data", "the model's folder".
mlir::FailureOr<FileBytes> mapFileInside(llvm::StringRef folder, llvm::StringRef path, llvm::StringRef what,
                                         llvm::StringRef where, mlir::Location loc);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_FILES_MODELFILE_H
