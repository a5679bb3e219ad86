// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of operators with trees in ONNX's domain for classical machine learning.

#ifndef NACRE_COMPILER_IMPORT_ONNX_TREES_HANDLERS_H
#define NACRE_COMPILER_IMPORT_ONNX_TREES_HANDLERS_H

#include "compiler/import/binding/ImportRegistry.h"

namespace nacre::importer::onnx_format::trees {

void registerTreeEnsembles(ImportRegistry &registry);

} // namespace nacre::importer::onnx_format::trees

#endif // NACRE_COMPILER_IMPORT_ONNX_TREES_HANDLERS_H
