// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The families of TensorFlow's operators. Each adds its handlers to the registry.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_HANDLERS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_HANDLERS_H

#include "compiler/import/ImportRegistry.h"

namespace nacre::importer::tensorflow_format {

/// All operators that have handlers.
const ImportRegistry &getOperators();

void registerPlumbing(ImportRegistry &registry);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_HANDLERS_H
