// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The families of operators of ONNX's domain of classical machine learning, except trees. Each adds its handlers to the
// registry; Domains.cpp calls them all.

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
