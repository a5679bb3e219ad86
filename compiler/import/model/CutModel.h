// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts a model to the part between tensors that the user names.
//
// Apps may not need the beginning of a model, such as the decoding of images, or its end. A view of the model's view
// hides nodes that the outputs do not depend on. Names of tensors do not change.

#ifndef NACRE_COMPILER_IMPORT_MODEL_CUTMODEL_H
#define NACRE_COMPILER_IMPORT_MODEL_CUTMODEL_H

#include "compiler/import/model/GraphView.h"
#include "compiler/import/options/ImportOptions.h"

namespace nacre::importer {

/// Returns the part of `model` that --input and --output of `options` select. Without them, returns the model itself.
/// Fails after an error.
mlir::FailureOr<std::unique_ptr<ModelView>> cutModel(std::unique_ptr<ModelView> model, const ImportOptions &options);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_MODEL_CUTMODEL_H
