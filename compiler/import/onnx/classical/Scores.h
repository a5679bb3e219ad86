// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of features, and their scores for targets or classes.

#ifndef NACRE_COMPILER_IMPORT_ONNX_CLASSICAL_SCORES_H
#define NACRE_COMPILER_IMPORT_ONNX_CLASSICAL_SCORES_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer::onnx_format::classical {

/// Returns operand 0 as [rows, features]: as f64 if it is f64, else as f32. Null after an error.
mlir::Value readRows(OperandBinder &node);

/// Returns the numbers of an attribute as a constant of the element type `type`. They are as many as `shape` has
/// elements.
mlir::Value makeNumbers(NnBuilder &nn, llvm::ArrayRef<double> numbers, Ints shape, mlir::Type type);

/// Choices of attribute 'post_transform', in the order of TreeEnsemble's numbers.
inline constexpr llvm::StringRef transforms[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};

/// Applies the transform of that name to `scores` [rows, targets].
mlir::Value transform(NnBuilder &nn, llvm::StringRef name, mlir::Value scores);

/// Reports an error for a transform of a single score that ONNX Runtime lacks.
bool checkTransform(OperandBinder &node, llvm::StringRef name, int64_t targets);

/// Returns the index of the largest score of each row, the first one of equal ones: [rows].
mlir::Value findLargest(NnBuilder &nn, mlir::Value scores);

/// Returns 1 for rows whose only score [rows, 1] is above `threshold`, else 0: [rows].
mlir::Value findAbove(NnBuilder &nn, mlir::Value score, double threshold);

} // namespace nacre::importer::onnx_format::classical

#endif // NACRE_COMPILER_IMPORT_ONNX_CLASSICAL_SCORES_H
