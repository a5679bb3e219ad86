// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data of a model, and its origin.

#ifndef NACRE_COMPILER_IMPORT_FILES_MODELFILE_H
#define NACRE_COMPILER_IMPORT_FILES_MODELFILE_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace nacre::importer {

/// Read-only data. Constants of the IR can keep it alive.
using FileBytes = std::shared_ptr<const llvm::MemoryBuffer>;

struct ModelFile {
  FileBytes bytes;
  std::string name;   ///< name in diagnostics: the name of the file without its folder
  std::string folder; ///< folder of accompanying files; empty if the model has no folder

  llvm::StringRef getBuffer() const { return bytes->getBuffer(); }
};

/// Maps the regular file at `path`. Emits errors at `loc`.
mlir::FailureOr<FileBytes> mapFile(llvm::StringRef path, mlir::Location loc);

/// Maps the regular file `path` in `folder`. An empty `folder` means that the model has no folder, and is an error. An
/// untrusted model states `path`, so a path or a link that leads out of the folder is an error, too. Diagnostics call
/// the file `what` ("external data"), and the folder `where` ("the model's folder").
mlir::FailureOr<FileBytes> mapFileInside(llvm::StringRef folder, llvm::StringRef path, llvm::StringRef what,
                                         llvm::StringRef where, mlir::Location loc);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_FILES_MODELFILE_H
