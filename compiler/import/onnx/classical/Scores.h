// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of features, and the scores of rows for targets or classes.

#ifndef NACRE_COMPILER_IMPORT_ONNX_CLASSICAL_SCORES_H
#define NACRE_COMPILER_IMPORT_ONNX_CLASSICAL_SCORES_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer::onnx_format::classical {

/// Returns operand 0 as [rows, features]: f64 if it is that, else f32. Null after an error.
mlir::Value readRows(OperandBinder &node);

/// Returns numbers of an attribute, as many as `shape` has elements, as a constant of the element type `type`.
mlir::Value makeNumbers(NnBuilder &nn, llvm::ArrayRef<double> numbers, Ints shape, mlir::Type type);

/// The choices of attribute 'post_transform', in the order of TreeEnsemble's numbers.
inline constexpr llvm::StringRef transforms[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};

/// Returns `scores` [rows, targets] by the transform of that name.
mlir::Value transform(NnBuilder &nn, llvm::StringRef name, mlir::Value scores);

/// Reports an error for a transform of one score that ONNX Runtime leaves out.
bool checkTransform(OperandBinder &node, llvm::StringRef name, int64_t targets);

/// Returns the number of the largest score of each row, the first of equal ones: [rows].
mlir::Value findLargest(NnBuilder &nn, mlir::Value scores);

/// Returns 1 for rows whose only score [rows, 1] is above `threshold`, else 0: [rows].
mlir::Value findAbove(NnBuilder &nn, mlir::Value score, double threshold);

} // namespace nacre::importer::onnx_format::classical

#endif // NACRE_COMPILER_IMPORT_ONNX_CLASSICAL_SCORES_H
