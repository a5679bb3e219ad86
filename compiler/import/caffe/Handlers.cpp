// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of the supported layers of Caffe, by family.

#include "compiler/import/caffe/Handlers.h"

namespace nacre::importer::caffe_format {

const ImportRegistry &getOperators() {
  static const ImportRegistry registry = [] {
    ImportRegistry result;
    registerActivations(result);
    registerAugmentation(result);
    registerConvolutions(result);
    registerDetections(result);
    registerImages(result);
    registerMovement(result);
    registerNormalizations(result);
    registerOpticalFlow(result);
    registerPoolings(result);
    registerProducts(result);
    registerReductions(result);
    return result;
  }();
  return registry;
}

} // namespace nacre::importer::caffe_format
