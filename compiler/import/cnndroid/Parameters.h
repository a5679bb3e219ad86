// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of a layer's parameters, checked against the type of the layer.
//
// Parameters are weights and bias of a convolution or a fully connected layer, or labels of an accuracy layer. The
// definition does not state the sizes of layers; these arrays do.

#ifndef NACRE_COMPILER_IMPORT_CNNDROID_PARAMETERS_H
#define NACRE_COMPILER_IMPORT_CNNDROID_PARAMETERS_H

#include "compiler/import/files/StoredTensor.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace nacre::importer::cnndroid_format {

/// Returns the names of parameters of layers of that type, in the order of readParameters. Empty if such layers have no
/// parameters.
llvm::ArrayRef<llvm::StringLiteral> getParameterNames(llvm::StringRef type);

/// Reads a file of parameters for a type that has some. Convolutions have f32 [outputs, inputs, rows, columns] and
/// [outputs], fully connected layers [outputs, inputs] and [outputs]. Labels are i64 [images].
llvm::Expected<llvm::SmallVector<StoredTensor, 2>> readParameters(llvm::StringRef type, llvm::StringRef bytes,
                                                                  mlir::MLIRContext *context);

} // namespace nacre::importer::cnndroid_format

#endif // NACRE_COMPILER_IMPORT_CNNDROID_PARAMETERS_H
