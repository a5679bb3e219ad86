// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of operators without computed indices, arrays and complex numbers. Each function adds its handlers to the
// registry; Operators.cpp calls all functions.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_OPERATORS_HANDLERS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_OPERATORS_HANDLERS_H

#include "compiler/import/binding/ImportRegistry.h"

namespace nacre::importer::tensorflow_format {

void registerAudio(ImportRegistry &registry);
void registerBlocks(ImportRegistry &registry);
void registerCells(ImportRegistry &registry);
void registerColours(ImportRegistry &registry);
void registerContractions(ImportRegistry &registry);
void registerControlFlow(ImportRegistry &registry);
void registerConvolutions(ImportRegistry &registry);
void registerElementwise(ImportRegistry &registry);
void registerFakeQuantization(ImportRegistry &registry);
void registerImages(ImportRegistry &registry);
void registerLoops(ImportRegistry &registry);
void registerMatrices(ImportRegistry &registry);
void registerNormalizations(ImportRegistry &registry);
void registerParts(ImportRegistry &registry);
void registerPlumbing(ImportRegistry &registry);
void registerPoolings(ImportRegistry &registry);
void registerRandoms(ImportRegistry &registry);
void registerReductions(ImportRegistry &registry);
void registerShapes(ImportRegistry &registry);
void registerVariables(ImportRegistry &registry);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_OPERATORS_HANDLERS_H
