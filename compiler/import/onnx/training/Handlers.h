// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of ONNX's domain for training. Each function adds the handlers of one family to the registry of the domain.

#ifndef NACRE_COMPILER_IMPORT_ONNX_TRAINING_HANDLERS_H
#define NACRE_COMPILER_IMPORT_ONNX_TRAINING_HANDLERS_H

#include "compiler/import/binding/ImportRegistry.h"

namespace nacre::importer::onnx_format::training {

void registerGradients(ImportRegistry &registry);
void registerOptimizers(ImportRegistry &registry);

} // namespace nacre::importer::onnx_format::training

#endif // NACRE_COMPILER_IMPORT_ONNX_TRAINING_HANDLERS_H
