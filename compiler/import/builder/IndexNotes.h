// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes about tensors of indices: each note is the shape of the tensor into which the indices point.
//
// An unpooling must place elements at the positions where a pooling found them, but only the pooling knows the shape.
// The notes are attributes of the operators that compute the indices, until the end of the import.

#ifndef NACRE_COMPILER_IMPORT_BUILDER_INDEXNOTES_H
#define NACRE_COMPILER_IMPORT_BUILDER_INDEXNOTES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"

namespace nacre::importer {

/// Notes that `indices` are positions in a tensor of `shape`. `indices` is the result of an operator, or null.
void noteIndexed(mlir::Value indices, llvm::ArrayRef<int64_t> shape);

/// Returns the shape noted for `indices`, or for the tensor of which `indices` is a reshape or a cast. Returns an empty
/// shape if there is no note.
llvm::ArrayRef<int64_t> findIndexed(mlir::Value indices);

/// Erases all notes in `root`.
void eraseIndexNotes(mlir::Operation *root);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BUILDER_INDEXNOTES_H
