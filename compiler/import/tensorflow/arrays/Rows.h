// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of tensors, which loops write to and read from. They are resolved here: no operator of `nn` has any.
//
// What: an array is what it holds. It is a list of its rows, of which those that were not written are nothing; or one tensor,
//       [rows, ...], where all are of one type and a run may decide which is meant. What is written is a new array.
// Why:  TensorArray and TensorList say the same in two ways; as values they follow the data, and a loop carries them.
// How:  rows that nobody wrote are zeros. Their type is that of another row, or else of a template, which has no rows: a tensor
//       [0, ...]; or nothing, where no one knows. Functions report errors at the node, and return null then.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_ROWS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_ROWS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer::tensorflow_format {

int64_t countRows(mlir::Value array);
/// The same as the node's result.
void giveCount(OperandBinder &node, mlir::Value array);

/// An array of `count` rows, none of which is written.
mlir::Value makeArray(OperandBinder &node, int64_t count);
/// A template of rows of `shape`, if that is known.
mlir::Value makeTemplate(OperandBinder &node, std::optional<Ints> shape, mlir::Type elementType);

/// A template of the rows that an array has; nothing where none is written.
mlir::Value templateOf(OperandBinder &node, mlir::Value array);

/// The array as one tensor.
mlir::Value joinRows(OperandBinder &node, mlir::Value array, mlir::Value rowTemplate);

/// The row that operand `index` names; and the array with another row there, which may lie behind its end.
mlir::Value readRow(OperandBinder &node, mlir::Value array, size_t index, mlir::Value rowTemplate);
mlir::Value writeRow(OperandBinder &node, mlir::Value array, size_t index, mlir::Value row);

/// The sum of two arrays, row by row; a row that one of them lacks is zeros there. Null after an error.
mlir::Value addArrays(OperandBinder &node, mlir::Value left, mlir::Value right);
/// Zeros in the place of a tensor, or of each row that was written.
mlir::Value zerosLike(OperandBinder &node, mlir::Value value);

/// The rows that operand `index` names as one tensor; and the array with rows of `values` there.
mlir::Value gatherRows(OperandBinder &node, mlir::Value array, size_t index, mlir::Value rowTemplate);
mlir::Value scatterRows(OperandBinder &node, mlir::Value array, size_t index, mlir::Value values);

/// All rows, each a value; fails after an error.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> takeRows(OperandBinder &node, mlir::Value array,
                                                         mlir::Value rowTemplate);
/// Rows of any lengths along their first axis one behind the other, as result 0, and their lengths, as result 1.
void concatRows(OperandBinder &node, mlir::Value array, mlir::Value rowTemplate);
/// Parts of `values` along its first axis, whose lengths operand `lengths` says, as rows.
mlir::Value splitRows(OperandBinder &node, mlir::Value values, size_t lengths);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_ROWS_H
