// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the tensors of a file that nacre_state_save has written, or others in its format: safetensors.
// Why:   what was trained on a device goes back into the model that it was compiled of.
// How:   a header in JSON says names, types, shapes and places; what it says is checked against the file, and its checksum, if it has
//        one, against all bytes. Tensors are views of the file.

#ifndef NACRE_COMPILER_IMPORT_FILES_STATEFILE_H
#define NACRE_COMPILER_IMPORT_FILES_STATEFILE_H

#include "compiler/import/files/ModelFile.h"

#include "llvm/ADT/SmallVector.h"
#include <map>
#include <optional>

namespace nacre::importer {

struct StateTensor {
  std::string type; ///< as such files have it: F32, I64
  llvm::SmallVector<int64_t> shape;
  llvm::StringRef bytes;
};

struct StateFile {
  FileBytes file;
  std::map<std::string, StateTensor, std::less<>> tensors;
};

/// Errors are emitted at `loc`.
mlir::FailureOr<StateFile> readStateFile(FileBytes bytes, mlir::Location loc);

/// Of what optimizers and counters keep the weight that it belongs to, empty where it is of all: `w#momentum` is `w`'s. Nothing of
/// another name.
std::optional<llvm::StringRef> ownerOf(llvm::StringRef name);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_FILES_STATEFILE_H
