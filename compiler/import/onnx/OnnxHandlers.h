// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The families of ONNX operators. Each adds its handlers to the registry; OnnxImporter calls them all.

#ifndef NACRE_COMPILER_IMPORT_ONNX_ONNXHANDLERS_H
#define NACRE_COMPILER_IMPORT_ONNX_ONNXHANDLERS_H

#include "compiler/import/ImportRegistry.h"

namespace nacre::importer {

void registerElementwise(ImportRegistry &registry);
void registerActivations(ImportRegistry &registry);
void registerConstants(ImportRegistry &registry);
void registerContractions(ImportRegistry &registry);
void registerConvolutions(ImportRegistry &registry);
void registerPoolings(ImportRegistry &registry);
void registerNormalizations(ImportRegistry &registry);
void registerReductions(ImportRegistry &registry);
void registerRecurrences(ImportRegistry &registry);
void registerResizes(ImportRegistry &registry);
void registerShapes(ImportRegistry &registry);
void registerSlices(ImportRegistry &registry);
void registerQuantizations(ImportRegistry &registry);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ONNX_ONNXHANDLERS_H
