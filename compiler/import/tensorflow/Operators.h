// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registry of TensorFlow's operators.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_OPERATORS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_OPERATORS_H

#include "compiler/import/binding/ImportRegistry.h"

namespace nacre::importer::tensorflow_format {

/// Returns the registry of all operators that have handlers.
const ImportRegistry &getOperators();

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_OPERATORS_H
