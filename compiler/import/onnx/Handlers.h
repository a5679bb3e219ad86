// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The families of ONNX operators. Each adds its handlers to the registry; Format.cpp calls them all.

#ifndef NACRE_COMPILER_IMPORT_ONNX_HANDLERS_H
#define NACRE_COMPILER_IMPORT_ONNX_HANDLERS_H

#include "compiler/import/ImportRegistry.h"

namespace nacre::importer::onnx_format {

void registerElementwise(ImportRegistry &registry);
void registerActivations(ImportRegistry &registry);
void registerAttention(ImportRegistry &registry);
void registerCarriedState(ImportRegistry &registry);
void registerCasts(ImportRegistry &registry);
void registerConstants(ImportRegistry &registry);
void registerContractions(ImportRegistry &registry);
void registerControlFlow(ImportRegistry &registry);
void registerConvolutions(ImportRegistry &registry);
void registerFlexAttention(ImportRegistry &registry);
void registerPoolings(ImportRegistry &registry);
void registerNormalizations(ImportRegistry &registry);
void registerRandoms(ImportRegistry &registry);
void registerReductions(ImportRegistry &registry);
void registerLosses(ImportRegistry &registry);
void registerRecurrences(ImportRegistry &registry);
void registerReorderings(ImportRegistry &registry);
void registerResizes(ImportRegistry &registry);
void registerRetired(ImportRegistry &registry);
void registerRotaryEmbedding(ImportRegistry &registry);
void registerSamplings(ImportRegistry &registry);
void registerScatters(ImportRegistry &registry);
void registerSelections(ImportRegistry &registry);
void registerSequences(ImportRegistry &registry);
void registerShapes(ImportRegistry &registry);
void registerSignals(ImportRegistry &registry);
void registerTfIdf(ImportRegistry &registry);
void registerSlices(ImportRegistry &registry);
void registerQuantizations(ImportRegistry &registry);
void registerQuantizedOperators(ImportRegistry &registry);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_HANDLERS_H
