// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of operators that ONNX Runtime added, and which exporters and optimizers write. Each function adds the
// handlers of one family to the registry of their domain; Domains.cpp calls them all. All operators have only version
// 1. ONNX Runtime's implementation is their definition.

#ifndef NACRE_COMPILER_IMPORT_ONNX_CONTRIB_HANDLERS_H
#define NACRE_COMPILER_IMPORT_ONNX_CONTRIB_HANDLERS_H

#include "compiler/import/binding/ImportRegistry.h"

namespace nacre::importer::onnx_format::contrib {

void registerActivations(ImportRegistry &registry);
void registerBlockQuantization(ImportRegistry &registry);
void registerAttention(ImportRegistry &registry);
void registerContractions(ImportRegistry &registry);
void registerGroupQueryAttention(ImportRegistry &registry);
void registerNormalizations(ImportRegistry &registry);
void registerQuantizedOperators(ImportRegistry &registry);
void registerQuantizedRecurrences(ImportRegistry &registry);

} // namespace nacre::importer::onnx_format::contrib

#endif // NACRE_COMPILER_IMPORT_ONNX_CONTRIB_HANDLERS_H
