// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The families of TensorFlow's operators.

#include "compiler/import/tensorflow/Handlers.h"

namespace nacre::importer::tensorflow_format {

const ImportRegistry &getOperators() {
  static const ImportRegistry registry = [] {
    ImportRegistry result;
    registerAudio(result);
    registerBlocks(result);
    registerCells(result);
    registerComplex(result);
    registerContractions(result);
    registerControlFlow(result);
    registerConvolutions(result);
    registerElementwise(result);
    registerFakeQuantization(result);
    registerFourier(result);
    registerImages(result);
    registerIndexed(result);
    registerMatrices(result);
    registerNormalizations(result);
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
    return result;
  }();
  return registry;
}

mlir::Type readIndexType(OperandBinder &node, llvm::StringRef attribute, unsigned missing, bool hasNarrow) {
  mlir::Type type = node.getType(attribute, node.nn.types().getIntegerType(missing));
  if (type.isSignlessInteger(32) || type.isSignlessInteger(64) || (hasNarrow && type.isInteger(16)))
    return type;
  node.error() << "attribute '" << attribute << "' must be " << (hasNarrow ? "int16, int32" : "int32")
               << " or int64, but is " << getTypeName(type);
  return {};
}

} // namespace nacre::importer::tensorflow_format
