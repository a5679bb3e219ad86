// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors of matrix products, and the checks of their shapes by NumPy's rule.

#ifndef NACRE_COMPILER_IMPORT_ONNX_OPERANDS_PRODUCTS_H
#define NACRE_COMPILER_IMPORT_ONNX_OPERANDS_PRODUCTS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer::onnx_format {

/// Reports an error unless the depths of two factors agree: `lhsDepth` of operand `lhs` and `rhsDepth` of operand
/// `rhs`.
bool checkDepth(OperandBinder &node, size_t lhs, int64_t lhsDepth, size_t rhs, int64_t rhsDepth);

/// Factors of NumPy's matmul as matrices, and the shape of their product.
struct Factors {
  mlir::Value lhs, rhs;
  llvm::SmallVector<int64_t> shape;
};

/// Reads operands `lhs` and `rhs`. Their last two axes are matrices, and earlier axes broadcast. A vector on the left
/// is a row, a vector on the right a column, and the product lacks that axis. Fails after an error.
mlir::FailureOr<Factors> readFactors(OperandBinder &node, size_t lhs, size_t rhs);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_OPERANDS_PRODUCTS_H
