// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the files of a model's checkpoint.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_CHECKPOINTFILES_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_CHECKPOINTFILES_H

#include "compiler/import/files/ModelFile.h"
#include "compiler/import/tensorflow/graph/Schema.h"

namespace nacre::importer::tensorflow_format {

/// Returns the common prefix of the checkpoint's file names. `given` is the user's prefix, the name of one of the
/// files, or a folder whose file `checkpoint` names the newest checkpoint. If `given` is empty, searches the saved
/// model's folder, or the files next to a MetaGraph. Returns "" if no checkpoint exists. Errors are emitted at `loc`.
mlir::FailureOr<std::string> findCheckpoint(const ModelFile &file, WireRoot root, llvm::StringRef given,
                                            mlir::Location loc);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_CHECKPOINTFILES_H
