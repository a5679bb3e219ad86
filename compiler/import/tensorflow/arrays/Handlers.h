// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The families of TensorFlow's operators that hold arrays of tensors. Each adds its handlers to the registry; Operators.cpp calls
// them all.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_HANDLERS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_HANDLERS_H

#include "compiler/import/binding/ImportRegistry.h"

namespace nacre::importer::tensorflow_format {

void registerTensorArrays(ImportRegistry &registry);
void registerTensorLists(ImportRegistry &registry);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_HANDLERS_H
