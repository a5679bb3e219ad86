// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors of matrix products, with checks of their shapes by NumPy's rule.

#ifndef NACRE_COMPILER_IMPORT_ONNX_OPERANDS_PRODUCTS_H
#define NACRE_COMPILER_IMPORT_ONNX_OPERANDS_PRODUCTS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer::onnx_format {

/// Reports an error unless the inner dimensions of a product agree. They are `lhsDepth` in operand `lhs` and `rhsDepth`
/// in operand `rhs`.
bool checkDepth(OperandBinder &node, size_t lhs, int64_t lhsDepth, size_t rhs, int64_t rhsDepth);

/// Factors of NumPy's matmul as matrices, and the shape of their product.
struct Factors {
  mlir::Value lhs, rhs;
  llvm::SmallVector<int64_t> shape;
};

/// Reads operands `lhs` and `rhs`. Their last two axes are matrices, and earlier axes broadcast. If `lhs` is a vector,
/// it is a row; if `rhs` is a vector, it is a column. The product does not have that axis. Fails after an error.
mlir::FailureOr<Factors> readFactors(OperandBinder &node, size_t lhs, size_t rhs);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_OPERANDS_PRODUCTS_H
