// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model of which a part is computed: from tensors that the user names to others.
//
// Why:  the front of a model may decode what an app has decoded already, and the end may be of no use to it.
// How:  a view of the model's view, which hides what the outputs do not reach; names of tensors stay as they are.

#ifndef NACRE_COMPILER_IMPORT_CUTMODEL_H
#define NACRE_COMPILER_IMPORT_CUTMODEL_H

#include "compiler/import/GraphView.h"
#include "compiler/import/Import.h"

namespace nacre::importer {

/// The part of `model` that `options` name with --input and --output; the model itself where they name none. Fails after
/// an error.
mlir::FailureOr<std::unique_ptr<ModelView>> cutModel(std::unique_ptr<ModelView> model, const ImportOptions &options);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_CUTMODEL_H
