// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants of scales, zero points and biases: small tensors that passes read and compute with at once.

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_NUMBERS_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_NUMBERS_H

#include "dialects/nn/NnDialect.h"
#include "mlir/IR/Builders.h"
#include <optional>

namespace nacre::graph {

/// Makes the scalar constant `number` of type `element`, which integers wrap to.
mlir::Value createNumber(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type element, double number);

/// Makes a constant of type `element` with these numbers: a scalar if they are all the same, else a vector.
mlir::Value createNumbers(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type element,
                          llvm::ArrayRef<double> numbers);

/// The codes that a tensor of integers may have.
struct CodeBounds {
  double low, high;
};

/// Returns the ends of `code`, an integer type of at most 32 bits.
CodeBounds getCodeBounds(mlir::Type code);

/// Returns the elements of the constant `value`, only one of a splat; nothing if it is not constant.
std::optional<llvm::SmallVector<double>> readNumbers(mlir::Value value);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_NUMBERS_H
