// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts a model to the part between the tensors that the user names.
//
// Apps may not need the beginning of a model, such as the decoding of images, or its end. The result is a view of the
// model that hides nodes on which the outputs do not depend. Names of tensors do not change.

#ifndef NACRE_COMPILER_IMPORT_MODEL_CUTMODEL_H
#define NACRE_COMPILER_IMPORT_MODEL_CUTMODEL_H

#include "compiler/import/model/GraphView.h"
#include "compiler/import/options/ImportOptions.h"

namespace nacre::importer {

/// Returns the part of `model` that --input and --output in `options` select. Without these options, returns the model
/// itself. Fails after an error.
mlir::FailureOr<std::unique_ptr<ModelView>> cutModel(std::unique_ptr<ModelView> model, const ImportOptions &options);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_MODEL_CUTMODEL_H
