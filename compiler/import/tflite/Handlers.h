// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of TensorFlow Lite's operators. Each function adds its handlers to the registry; Operators.cpp calls all
// functions.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_HANDLERS_H
#define NACRE_COMPILER_IMPORT_TFLITE_HANDLERS_H

#include "compiler/import/tflite/TfliteNode.h"

namespace nacre::importer::tflite_format {

/// Returns the registry of all operators that have handlers.
const ImportRegistry &getOperators();

void registerActivations(ImportRegistry &registry);
void registerConstants(ImportRegistry &registry);
void registerContractions(ImportRegistry &registry);
void registerControlFlow(ImportRegistry &registry);
void registerConvolutions(ImportRegistry &registry);
void registerDetections(ImportRegistry &registry);
void registerElementwise(ImportRegistry &registry);
void registerNormalizations(ImportRegistry &registry);
void registerPoolings(ImportRegistry &registry);
void registerQuantizations(ImportRegistry &registry);
void registerLstms(ImportRegistry &registry);
void registerReductions(ImportRegistry &registry);
void registerResizes(ImportRegistry &registry);
void registerRnns(ImportRegistry &registry);
void registerScatters(ImportRegistry &registry);
void registerSelections(ImportRegistry &registry);
void registerShapes(ImportRegistry &registry);
void registerSlices(ImportRegistry &registry);
void registerSvdf(ImportRegistry &registry);
void registerVariables(ImportRegistry &registry);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_HANDLERS_H
