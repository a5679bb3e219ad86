// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the files of a layer's parameters, and checks them against the type of the layer.
//
// Parameters are the weights and bias of a convolution or a fully connected layer, or the labels of an accuracy layer.
// The definition does not state the sizes of layers, but these arrays have them.

#ifndef NACRE_COMPILER_IMPORT_CNNDROID_PARAMETERS_H
#define NACRE_COMPILER_IMPORT_CNNDROID_PARAMETERS_H

#include "compiler/import/files/StoredTensor.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace nacre::importer::cnndroid_format {

/// Returns the names of the parameters of layers of type `type`, in the order of readParameters. Empty if they have no
/// parameters.
llvm::ArrayRef<llvm::StringLiteral> getParameterNames(llvm::StringRef type);

/// Reads a file of parameters for a type that has parameters. Convolutions have f32 [outputs, inputs, rows, columns]
/// and [outputs]. Fully connected layers have f32 [outputs, inputs] and [outputs]. Labels are i64 [images].
llvm::Expected<llvm::SmallVector<StoredTensor, 2>> readParameters(llvm::StringRef type, llvm::StringRef bytes,
                                                                  mlir::MLIRContext *context);

} // namespace nacre::importer::cnndroid_format

#endif // NACRE_COMPILER_IMPORT_CNNDROID_PARAMETERS_H
