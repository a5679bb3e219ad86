// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of ONNX's operators that move, select and make elements. Each function adds the handlers of one family to
// the registry; Domains.cpp calls them all.

#ifndef NACRE_COMPILER_IMPORT_ONNX_MOVEMENT_HANDLERS_H
#define NACRE_COMPILER_IMPORT_ONNX_MOVEMENT_HANDLERS_H

#include "compiler/import/binding/ImportRegistry.h"

namespace nacre::importer::onnx_format {

void registerConstants(ImportRegistry &registry);
void registerRandoms(ImportRegistry &registry);
void registerReorderings(ImportRegistry &registry);
void registerResizes(ImportRegistry &registry);
void registerScatters(ImportRegistry &registry);
void registerSelections(ImportRegistry &registry);
void registerSequences(ImportRegistry &registry);
void registerShapes(ImportRegistry &registry);
void registerSlices(ImportRegistry &registry);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_MOVEMENT_HANDLERS_H
