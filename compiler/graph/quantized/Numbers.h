// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants of scales, zero points and biases: small tensors that passes read and compute with as a whole.

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_NUMBERS_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_NUMBERS_H

#include "dialects/nn/NnDialect.h"
#include "mlir/IR/Builders.h"
#include <optional>

namespace nacre::graph {

/// Creates the scalar constant `number` of type `element`. Integers wrap.
mlir::Value createNumber(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type element, double number);

/// Creates a constant of type `element` with these numbers: a scalar if they are all the same, else a vector.
mlir::Value createNumbers(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type element,
                          llvm::ArrayRef<double> numbers);

/// Range of the codes of an integer tensor.
struct CodeBounds {
  double low, high;
};

/// Returns the range of `code`, an integer type of at most 32 bits.
CodeBounds getCodeBounds(mlir::Type code);

/// Returns the elements of the constant `value`, or only one if it is a splat; `nullopt` if it is not constant.
std::optional<llvm::SmallVector<double>> readNumbers(mlir::Value value);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_NUMBERS_H
