// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of ONNX's operators that compute. Each function adds the handlers of one family to the registry; Domains.cpp
// calls them all.

#ifndef NACRE_COMPILER_IMPORT_ONNX_OPERATORS_HANDLERS_H
#define NACRE_COMPILER_IMPORT_ONNX_OPERATORS_HANDLERS_H

#include "compiler/import/binding/ImportRegistry.h"

namespace nacre::importer::onnx_format {

void registerActivations(ImportRegistry &registry);
void registerCasts(ImportRegistry &registry);
void registerContractions(ImportRegistry &registry);
void registerConvolutions(ImportRegistry &registry);
void registerElementwise(ImportRegistry &registry);
void registerLosses(ImportRegistry &registry);
void registerNormalizations(ImportRegistry &registry);
void registerPoolings(ImportRegistry &registry);
void registerQuantizations(ImportRegistry &registry);
void registerRecurrences(ImportRegistry &registry);
void registerReductions(ImportRegistry &registry);
void registerRetired(ImportRegistry &registry);
void registerSamplings(ImportRegistry &registry);
void registerSignals(ImportRegistry &registry);
void registerTfIdf(ImportRegistry &registry);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_OPERATORS_HANDLERS_H
