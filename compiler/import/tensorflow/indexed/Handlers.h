// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of operators whose indices are computed. Each function adds its handlers to the registry; Operators.cpp
// calls all functions.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_INDEXED_HANDLERS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_INDEXED_HANDLERS_H

#include "compiler/import/binding/ImportRegistry.h"

namespace nacre::importer::tensorflow_format {

void registerIndexed(ImportRegistry &registry);
void registerPartitions(ImportRegistry &registry);
void registerSelections(ImportRegistry &registry);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_INDEXED_HANDLERS_H
