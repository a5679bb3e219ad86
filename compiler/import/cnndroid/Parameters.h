// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file of one layer's parameters, checked against the type of the layer.
//
// What: Weights and bias of a convolution or a fully connected layer; labels of an accuracy layer.
// Why:  The definition does not state the sizes of layers: they are those of these arrays.

#ifndef NACRE_COMPILER_IMPORT_CNNDROID_PARAMETERS_H
#define NACRE_COMPILER_IMPORT_CNNDROID_PARAMETERS_H

#include "compiler/import/files/StoredTensor.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace nacre::importer::cnndroid_format {

/// Returns the names of the parameters of layers of that type, in the order of the results of readParameters; empty if such
/// layers have none.
llvm::ArrayRef<llvm::StringLiteral> getParameterNames(llvm::StringRef type);

/// Reads a file of parameters for a layer of a type that has some: convolutions [outputs, inputs, rows, columns] and [outputs]
/// of f32, fully connected ones [outputs, inputs] and [outputs], labels [images] of i64.
llvm::Expected<llvm::SmallVector<StoredTensor, 2>> readParameters(llvm::StringRef type, llvm::StringRef bytes,
                                                                  mlir::MLIRContext *context);

} // namespace nacre::importer::cnndroid_format

#endif // NACRE_COMPILER_IMPORT_CNNDROID_PARAMETERS_H
