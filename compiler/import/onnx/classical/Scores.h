// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of features, and their scores for targets or classes.

#ifndef NACRE_COMPILER_IMPORT_ONNX_CLASSICAL_SCORES_H
#define NACRE_COMPILER_IMPORT_ONNX_CLASSICAL_SCORES_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer::onnx_format::classical {

/// Returns operand 0 as [rows, features], or null after an error. The result is f64 if the operand is, and f32
/// otherwise.
mlir::Value readRows(OperandBinder &node);

/// Returns the values of an attribute as a constant of the element type `type`. Their number must fit `shape`.
mlir::Value makeNumbers(NnBuilder &nn, llvm::ArrayRef<double> numbers, Ints shape, mlir::Type type);

/// Choices of attribute 'post_transform', in the order of the integers that TreeEnsemble has instead.
inline constexpr llvm::StringRef transforms[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};

/// Applies the transform called `name` to `scores` [rows, targets].
mlir::Value transform(NnBuilder &nn, llvm::StringRef name, mlir::Value scores);

/// Reports an error if ONNX Runtime does not support the transform for a single score.
bool checkTransform(OperandBinder &node, llvm::StringRef name, int64_t targets);

/// Returns the index of the largest score of each row, [rows]. Among equal scores, it is the first one.
mlir::Value findLargest(NnBuilder &nn, mlir::Value scores);

/// Returns 1 for each row whose only score, in `score` [rows, 1], is above `threshold`, and 0 for other rows: [rows].
mlir::Value findAbove(NnBuilder &nn, mlir::Value score, double threshold);

} // namespace nacre::importer::onnx_format::classical

#endif // NACRE_COMPILER_IMPORT_ONNX_CLASSICAL_SCORES_H
