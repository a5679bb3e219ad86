// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of a file that nacre_state_save wrote, or of another file in the safetensors format. Weights that were
// trained on a device return to the model that they come from. A JSON header has names, types, shapes and positions. It
// is checked against the file, and a checksum, if there is one, against all bytes. Tensors are views of the file.

#ifndef NACRE_COMPILER_IMPORT_FILES_STATEFILE_H
#define NACRE_COMPILER_IMPORT_FILES_STATEFILE_H

#include "compiler/import/files/ModelFile.h"

#include "llvm/ADT/SmallVector.h"
#include <map>
#include <optional>

namespace nacre::importer {

struct StateTensor {
  std::string type; ///< name of the type in such files: F32, I64
  llvm::SmallVector<int64_t> shape;
  llvm::StringRef bytes;
};

struct StateFile {
  FileBytes file;
  std::map<std::string, StateTensor, std::less<>> tensors;
};

/// Reads the file. Errors are emitted at `loc`.
mlir::FailureOr<StateFile> readStateFile(FileBytes bytes, mlir::Location loc);

/// Returns the weight that a value of an optimizer or a counter belongs to: `w` for `w#momentum`, empty if it belongs
/// to all. `nullopt` for other names.
std::optional<llvm::StringRef> ownerOf(llvm::StringRef name);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_FILES_STATEFILE_H
