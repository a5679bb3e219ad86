// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of CNNdroid's layers, by type.

#ifndef NACRE_COMPILER_IMPORT_CNNDROID_HANDLERS_H
#define NACRE_COMPILER_IMPORT_CNNDROID_HANDLERS_H

#include "compiler/import/binding/ImportRegistry.h"

namespace nacre::importer::cnndroid_format {

const ImportRegistry &getOperators();

/// Returns the name of the type in the registry, ignoring case. Returns `type` itself if the registry does not have it.
llvm::StringRef findOperator(llvm::StringRef type);

} // namespace nacre::importer::cnndroid_format

#endif // NACRE_COMPILER_IMPORT_CNNDROID_HANDLERS_H
