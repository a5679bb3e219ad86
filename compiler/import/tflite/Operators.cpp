// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All operators that have handlers.

#include "compiler/import/tflite/Handlers.h"

namespace nacre::importer::tflite_format {

const ImportRegistry &getOperators() {
  static const ImportRegistry registry = [] {
    ImportRegistry result;
    for (auto addFamily : {registerActivations, registerConstants, registerContractions, registerConvolutions,
                           registerElementwise, registerNormalizations, registerPoolings, registerQuantizations,
                           registerReductions, registerResizes, registerSelections, registerShapes, registerSlices})
      addFamily(result);
    return result;
  }();
  return registry;
}

} // namespace nacre::importer::tflite_format
