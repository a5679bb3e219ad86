// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of the supported layers of Caffe, by family.

#ifndef NACRE_COMPILER_IMPORT_CAFFE_HANDLERS_H
#define NACRE_COMPILER_IMPORT_CAFFE_HANDLERS_H

#include "compiler/import/binding/ImportRegistry.h"

namespace nacre::importer::caffe_format {

/// Returns the registry of all supported layers.
const ImportRegistry &getOperators();

void registerActivations(ImportRegistry &registry);
void registerAugmentation(ImportRegistry &registry);
void registerConvolutions(ImportRegistry &registry);
void registerDetections(ImportRegistry &registry);
void registerImages(ImportRegistry &registry);
void registerMovement(ImportRegistry &registry);
void registerNormalizations(ImportRegistry &registry);
void registerOpticalFlow(ImportRegistry &registry);
void registerPoolings(ImportRegistry &registry);
void registerProducts(ImportRegistry &registry);
void registerReductions(ImportRegistry &registry);

} // namespace nacre::importer::caffe_format

#endif // NACRE_COMPILER_IMPORT_CAFFE_HANDLERS_H
