// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes of tensors that are indices of elements: the shape of the tensor whose elements they number.
//
// Why:  an unpooling must place elements where a pooling found them, but only the pooling knows the shape.
// How:  attributes of the operators that compute the indices, until the end of the import.

#ifndef NACRE_COMPILER_IMPORT_BUILDER_INDEXNOTES_H
#define NACRE_COMPILER_IMPORT_BUILDER_INDEXNOTES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"

namespace nacre::importer {

/// Notes that `indices`, the result of an operator or null, number the elements of a tensor of `shape`.
void noteIndexed(mlir::Value indices, llvm::ArrayRef<int64_t> shape);

/// Returns the shape noted for `indices`, or for the tensor of which they are a reshape or a cast. Empty if there is no
/// note.
llvm::ArrayRef<int64_t> findIndexed(mlir::Value indices);

/// Erases all notes in `root`.
void eraseIndexNotes(mlir::Operation *root);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BUILDER_INDEXNOTES_H
