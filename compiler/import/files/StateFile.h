// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of a file that nacre_state_save wrote, or of another file in the safetensors format. The compiler uses them
// to put weights that were trained on a device into the model again. A JSON header has names, types, shapes and
// positions. It is checked against the size of the file. A checksum, if there is one, is checked against the data.
// Tensors are views of the file.

#ifndef NACRE_COMPILER_IMPORT_FILES_STATEFILE_H
#define NACRE_COMPILER_IMPORT_FILES_STATEFILE_H

#include "compiler/import/files/ModelFile.h"

#include "llvm/ADT/SmallVector.h"
#include <map>
#include <optional>

namespace nacre::importer {

struct StateTensor {
  std::string type; ///< name of the type in the file: F32, I64
  llvm::SmallVector<int64_t> shape;
  llvm::StringRef bytes;
};

struct StateFile {
  FileBytes file;
  std::map<std::string, StateTensor, std::less<>> tensors;
};

/// Reads the file. Emits errors at `loc`.
mlir::FailureOr<StateFile> readStateFile(FileBytes bytes, mlir::Location loc);

/// Returns the name of the weight to which a value of an optimizer belongs: `w` for `w#momentum`. It is empty if the
/// value belongs to all weights, like a counter. Returns `nullopt` for other names.
std::optional<llvm::StringRef> ownerOf(llvm::StringRef name);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_FILES_STATEFILE_H
