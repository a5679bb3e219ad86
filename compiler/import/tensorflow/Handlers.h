// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The families of TensorFlow's operators. Each adds its handlers to the registry.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_HANDLERS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_HANDLERS_H

#include "compiler/import/ImportRegistry.h"

namespace nacre::importer::tensorflow_format {

/// All operators that have handlers.
const ImportRegistry &getOperators();

/// An attribute that says which integers indices or sizes are: of 32 bits or 64, or also of 16 for those that have such;
/// without it of `missing` bits. Null after an error.
mlir::Type readIndexType(OperandBinder &node, llvm::StringRef attribute, unsigned missing = 32, bool hasNarrow = false);

void registerAudio(ImportRegistry &registry);
void registerBlocks(ImportRegistry &registry);
void registerCells(ImportRegistry &registry);
void registerComplex(ImportRegistry &registry);
void registerContractions(ImportRegistry &registry);
void registerControlFlow(ImportRegistry &registry);
void registerConvolutions(ImportRegistry &registry);
void registerElementwise(ImportRegistry &registry);
void registerFakeQuantization(ImportRegistry &registry);
void registerFourier(ImportRegistry &registry);
void registerImages(ImportRegistry &registry);
void registerIndexed(ImportRegistry &registry);
void registerMatrices(ImportRegistry &registry);
void registerNormalizations(ImportRegistry &registry);
void registerPartitions(ImportRegistry &registry);
void registerParts(ImportRegistry &registry);
void registerPlumbing(ImportRegistry &registry);
void registerPoolings(ImportRegistry &registry);
void registerRandoms(ImportRegistry &registry);
void registerReductions(ImportRegistry &registry);
void registerSelections(ImportRegistry &registry);
void registerShapes(ImportRegistry &registry);
void registerTensorArrays(ImportRegistry &registry);
void registerTensorLists(ImportRegistry &registry);
void registerVariables(ImportRegistry &registry);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_HANDLERS_H
