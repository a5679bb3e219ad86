// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of a model, and where they come from.

#ifndef NACRE_COMPILER_IMPORT_MODELFILE_H
#define NACRE_COMPILER_IMPORT_MODELFILE_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace nacre::importer {

/// Read-only bytes that constants of the IR may keep.
using FileBytes = std::shared_ptr<const llvm::MemoryBuffer>;

struct ModelFile {
  FileBytes bytes;
  std::string name;   ///< what diagnostics call it: the file's name without its folder
  std::string folder; ///< where files beside it must lie; empty: there are none

  llvm::StringRef getBuffer() const { return bytes->getBuffer(); }
};

/// Maps the regular file at `path`. Diagnostics are emitted at `loc`.
mlir::FailureOr<FileBytes> mapFile(llvm::StringRef path, mlir::Location loc);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_MODELFILE_H
