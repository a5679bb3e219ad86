// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of tensors, which loops write to and read from. They are resolved here: `nn` has no operators for them.
//
// An array is its contents, in one of two forms. It is a list of its rows, in which rows that were not written are
// nothing. Or it is one tensor, [rows, ...], if all rows have one type and an index may be known only at run time.
// Writing returns a new array. TensorArray and TensorList mean the same in two ways. As values, arrays follow the data,
// and loops carry them.
//
// Rows that were not written are zeros. Their type is that of another row, or else that of a template. A template has
// no rows: it is a tensor [0, ...], or nothing if the type is unknown. Functions report errors at the node and return
// null.

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

/// Read the row that operand `index` names, and replace it. A written row may be after the end of the array.
mlir::Value readRow(OperandBinder &node, mlir::Value array, size_t index, mlir::Value rowTemplate);
mlir::Value writeRow(OperandBinder &node, mlir::Value array, size_t index, mlir::Value row);

/// Returns the sum of two arrays, row by row, or null after an error. A missing row counts as zeros.
mlir::Value addArrays(OperandBinder &node, mlir::Value left, mlir::Value right);
/// Returns zeros in the shape of a tensor, or of each row that was written.
mlir::Value zerosLike(OperandBinder &node, mlir::Value value);

/// Gather the rows that operand `index` names as one tensor, and replace them by rows of `values`.
mlir::Value gatherRows(OperandBinder &node, mlir::Value array, size_t index, mlir::Value rowTemplate);
mlir::Value scatterRows(OperandBinder &node, mlir::Value array, size_t index, mlir::Value values);

/// Returns each row as a value; fails after an error.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> takeRows(OperandBinder &node, mlir::Value array,
                                                         mlir::Value rowTemplate);
/// Joins rows of any lengths along their first axis as result 0, and sets result 1 to the lengths.
void concatRows(OperandBinder &node, mlir::Value array, mlir::Value rowTemplate);
/// Returns parts of `values` along its first axis as rows. Operand `lengths` has their lengths.
mlir::Value splitRows(OperandBinder &node, mlir::Value values, size_t lengths);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_ROWS_H
