// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The families of operators that ONNX Runtime contributed, which exporters and optimizers write. Each family adds its
// handlers to the registry of their domain; Domains.cpp calls them all. All operators have version 1, the only one.
// Their definition is ONNX Runtime's implementation.

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
