// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of ONNX's operators for attention, and for state that is carried from step to step. Each function adds the
// handlers of one family to the registry; Domains.cpp calls them all.

#ifndef NACRE_COMPILER_IMPORT_ONNX_ATTENTION_HANDLERS_H
#define NACRE_COMPILER_IMPORT_ONNX_ATTENTION_HANDLERS_H

#include "compiler/import/binding/ImportRegistry.h"

namespace nacre::importer::onnx_format {

void registerAttention(ImportRegistry &registry);
void registerCarriedState(ImportRegistry &registry);
void registerFlexAttention(ImportRegistry &registry);
void registerRotaryEmbedding(ImportRegistry &registry);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_ATTENTION_HANDLERS_H
