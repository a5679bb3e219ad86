// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates and reads small constants: scales, zero points and biases.

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_NUMBERS_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_NUMBERS_H

#include "dialects/nn/NnDialect.h"
#include "mlir/IR/Builders.h"
#include <optional>

namespace nacre::graph {

/// Creates a scalar constant of type `element` with the value `number`. Integers wrap.
mlir::Value createNumber(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type element, double number);

/// Creates a constant of type `element` with the values `numbers`: a scalar if all of them are equal, otherwise a
/// vector.
mlir::Value createNumbers(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type element,
                          llvm::ArrayRef<double> numbers);

/// Smallest and largest code of an integer type.
struct CodeBounds {
  double low, high;
};

/// Returns the smallest and largest code of `code`, an integer type of at most 32 bits.
CodeBounds getCodeBounds(mlir::Type code);

/// Returns the elements of the constant `value`, or one element if it is a splat. Returns `nullopt` if it is not
/// constant.
std::optional<llvm::SmallVector<double>> readNumbers(mlir::Value value);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_NUMBERS_H
