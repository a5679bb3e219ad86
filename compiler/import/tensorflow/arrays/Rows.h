// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of tensors, which loops write and read. `nn` has no operators for them, so the importer converts them to lists
// and tensors.
//
// An array has one of two forms. The first is a list of its rows; a row that was not written is the value `nothing`.
// The second is one tensor, [rows, ...], for rows of one type if an index is only known at run time. Writing returns a
// new array. Both TensorArray and TensorList are represented in this way. Loops carry arrays like other values.
//
// Rows that were not written are read as zeros. Their type comes from another row, or from a template if no row was
// written. A template is a tensor [0, ...] without rows, or `nothing` if the type is unknown. The functions report
// errors at the node and return null.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_ROWS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_ROWS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer::tensorflow_format {

int64_t countRows(mlir::Value array);
/// Sets the node's result to the number of rows, an i32 scalar.
void giveCount(OperandBinder &node, mlir::Value array);

/// Returns an array of `count` rows that were not written.
mlir::Value makeArray(OperandBinder &node, int64_t count);
/// Returns a template of rows of `shape`, or nothing if the shape is unknown.
mlir::Value makeTemplate(OperandBinder &node, std::optional<Ints> shape, mlir::Type elementType);

/// Returns a template of an array's rows, or nothing if no row was written.
mlir::Value templateOf(OperandBinder &node, mlir::Value array);

/// Returns the array as one tensor.
mlir::Value joinRows(OperandBinder &node, mlir::Value array, mlir::Value rowTemplate);

/// Read or replace the row whose index is the operand `index`. A written row may be after the end of the array.
mlir::Value readRow(OperandBinder &node, mlir::Value array, size_t index, mlir::Value rowTemplate);
mlir::Value writeRow(OperandBinder &node, mlir::Value array, size_t index, mlir::Value row);

/// Returns the sum of two arrays, row by row, or null after an error. A missing row counts as zeros.
mlir::Value addArrays(OperandBinder &node, mlir::Value left, mlir::Value right);
/// Returns zeros in the shape of the tensor `value`. For an array, returns an array with zeros in the shape of each
/// written row.
mlir::Value zerosLike(OperandBinder &node, mlir::Value value);

/// Read or replace the rows whose indices are the operand `index`. gatherRows() joins them in one tensor; scatterRows()
/// replaces them by the rows of `values`.
mlir::Value gatherRows(OperandBinder &node, mlir::Value array, size_t index, mlir::Value rowTemplate);
mlir::Value scatterRows(OperandBinder &node, mlir::Value array, size_t index, mlir::Value values);

/// Returns each row as a value; fails after an error.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> takeRows(OperandBinder &node, mlir::Value array,
                                                         mlir::Value rowTemplate);
/// Sets result 0 to the rows, joined along their first axis, and result 1 to the lengths of the rows, which may differ.
void concatRows(OperandBinder &node, mlir::Value array, mlir::Value rowTemplate);
/// Splits `values` along its first axis and returns an array of the parts. The operand `lengths` contains the lengths
/// of the parts.
mlir::Value splitRows(OperandBinder &node, mlir::Value values, size_t lengths);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_ROWS_H
