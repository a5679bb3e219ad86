// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of operators that hold arrays of tensors. Each function adds its handlers to the registry; Operators.cpp
// calls all functions.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_HANDLERS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_HANDLERS_H

#include "compiler/import/binding/ImportRegistry.h"

namespace nacre::importer::tensorflow_format {

void registerTensorArrays(ImportRegistry &registry);
void registerTensorLists(ImportRegistry &registry);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_HANDLERS_H
