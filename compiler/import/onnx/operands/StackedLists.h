// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists that are stored as one tensor, with a row for each element.
//
// A loop that counts its iterations at run time makes such a list if each iteration appends a tensor. So the length of
// the list may be known only at run time. The first axis of the tensor is then open.

#ifndef NACRE_COMPILER_IMPORT_ONNX_OPERANDS_STACKEDLISTS_H
#define NACRE_COMPILER_IMPORT_ONNX_OPERANDS_STACKEDLISTS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer::onnx_format {

/// Returns the list of the rows of `stack`, or null if it is null.
mlir::Value makeStackedList(NnBuilder &nn, mlir::Value stack);

/// Returns the tensor that holds the elements of `list`. Returns null for other lists and other values.
mlir::Value getStack(mlir::Value list);

/// True for a list, however it is stored.
bool isList(mlir::Value value);

/// Returns the elements of operand `index`, a list. Reports an error if their number is known only at run time.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> getElements(OperandBinder &node, size_t index);

/// True if `tensor` has the type of the elements of `list`, which is stored as one tensor.
bool hasRowType(mlir::Value list, mlir::Value tensor);

/// Returns a tensor with a row for each value. All values have the same type.
mlir::Value stackRows(NnBuilder &nn, llvm::ArrayRef<mlir::Value> values);

/// Returns a tensor with a row for each element of operand `index`, a list. Reports an error if the list is empty, or
/// if its elements have different types.
mlir::Value stackElements(OperandBinder &node, size_t index);

/// Returns `list` with the rows of `rows` after its elements, or null if `rows` is null. Reports an error if the types
/// differ. Messages call the list `name`.
mlir::Value appendRows(OperandBinder &node, mlir::Value list, mlir::Value rows, llvm::StringRef name);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_OPERANDS_STACKEDLISTS_H
