// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of ONNX's domain for classical machine learning, except trees. Each function adds the handlers of one family
// to the registry; Domains.cpp calls them all.

#ifndef NACRE_COMPILER_IMPORT_ONNX_CLASSICAL_HANDLERS_H
#define NACRE_COMPILER_IMPORT_ONNX_CLASSICAL_HANDLERS_H

#include "compiler/import/binding/ImportRegistry.h"

namespace nacre::importer::onnx_format::classical {

void registerFeatures(ImportRegistry &registry);
void registerLinearModels(ImportRegistry &registry);
void registerMaps(ImportRegistry &registry);
void registerScalings(ImportRegistry &registry);
void registerSupportVectors(ImportRegistry &registry);

} // namespace nacre::importer::onnx_format::classical

#endif // NACRE_COMPILER_IMPORT_ONNX_CLASSICAL_HANDLERS_H
