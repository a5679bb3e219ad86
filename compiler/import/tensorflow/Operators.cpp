// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The families of TensorFlow's operators.

#include "compiler/import/tensorflow/Operators.h"

#include "compiler/import/tensorflow/arrays/Handlers.h"
#include "compiler/import/tensorflow/complex/Handlers.h"
#include "compiler/import/tensorflow/indexed/Handlers.h"
#include "compiler/import/tensorflow/operators/Handlers.h"
#include "compiler/import/tensorflow/training/Handlers.h"

namespace nacre::importer::tensorflow_format {

const ImportRegistry &getOperators() {
  static const ImportRegistry registry = [] {
    ImportRegistry result;
    registerActivationGradients(result);
    registerAudio(result);
    registerBlocks(result);
    registerCells(result);
    registerColours(result);
    registerComplex(result);
    registerContractions(result);
    registerControlFlow(result);
    registerConvolutions(result);
    registerElementwise(result);
    registerFakeQuantization(result);
    registerFourier(result);
    registerImages(result);
    registerIndexed(result);
    registerLoops(result);
    registerMatrices(result);
    registerNormalizations(result);
    registerOptimizers(result);
    registerPartitions(result);
    registerParts(result);
    registerPlumbing(result);
    registerPoolings(result);
    registerRandoms(result);
    registerReductions(result);
    registerSelections(result);
    registerShapes(result);
    registerTensorArrays(result);
    registerTensorLists(result);
    registerVariables(result);
    registerGradients(result); // gradients of the operators above
    return result;
  }();
  return registry;
}

} // namespace nacre::importer::tensorflow_format
