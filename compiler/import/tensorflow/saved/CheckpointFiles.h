// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which files a model's checkpoint is in.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_CHECKPOINTFILES_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_CHECKPOINTFILES_H

#include "compiler/import/files/ModelFile.h"
#include "compiler/import/tensorflow/graph/Schema.h"

namespace nacre::importer::tensorflow_format {

/// What the names of the files begin with. `given` is the user's: this, the name of one of the files, or a folder whose file
/// `checkpoint` names the newest one. Without it, that of a saved model is in its folder, and that of a MetaGraph beside it;
/// empty where there is none. Errors are emitted at `loc`.
mlir::FailureOr<std::string> findCheckpoint(const ModelFile &file, WireRoot root, llvm::StringRef given,
                                            mlir::Location loc);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_SAVED_CHECKPOINTFILES_H
