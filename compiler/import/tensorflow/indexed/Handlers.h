// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The families of TensorFlow's operators that index by what they compute. Each adds its handlers to the registry; Operators.cpp calls
// them all.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_INDEXED_HANDLERS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_INDEXED_HANDLERS_H

#include "compiler/import/binding/ImportRegistry.h"

namespace nacre::importer::tensorflow_format {

void registerIndexed(ImportRegistry &registry);
void registerPartitions(ImportRegistry &registry);
void registerSelections(ImportRegistry &registry);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_INDEXED_HANDLERS_H
