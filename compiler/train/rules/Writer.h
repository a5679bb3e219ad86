// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes `nn` operators at one insertion point as formulas: `mul(x, sub(1, x))`.
// Why: rules, losses and optimizers then look like their formulas.
// How: types are inferred, and constants take the element type of the other operand. Operations without effect are
//      omitted.

#ifndef NACRE_COMPILER_TRAIN_RULES_WRITER_H
#define NACRE_COMPILER_TRAIN_RULES_WRITER_H

#include "dialects/TensorTypes.h"
#include "dialects/nn/NnDialect.h"

#include "mlir/IR/Builders.h"

namespace nacre::train {

using Ints = llvm::SmallVector<int64_t>;
using Dims = llvm::ArrayRef<int64_t>;

inline bool isFloat(mlir::Value value) { return llvm::isa<mlir::FloatType>(typeOf(value).getElementType()); }

/// Returns the product of all sizes.
int64_t countOf(Dims sizes);
/// Returns the axes from `begin` to `end` - 1.
Ints axisRange(int64_t begin, int64_t end);

class Writer {
public:
  Writer(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }

  // Constants.
  mlir::Value constant(mlir::TypedAttr value);
  /// Returns `value` as a scalar with the element type of `like`.
  mlir::Value number(mlir::Value like, double value);
  mlir::Value zeros(mlir::RankedTensorType type);
  mlir::Value floats(Dims shape, mlir::Type elementType, llvm::ArrayRef<double> values);
  mlir::Value integers(Dims shape, mlir::Type elementType, llvm::ArrayRef<int64_t> values);
  /// Returns 0, 1, ..., `count` - 1 along `axis`. The result has `rank` axes, so that it broadcasts.
  mlir::Value counting(int64_t count, int64_t axis, int64_t rank, mlir::Type elementType);

  // Elementwise.
  mlir::Value unary(nn::UnaryKind kind, mlir::Value x, double alpha = 0);
  mlir::Value binary(nn::BinaryKind kind, mlir::Value a, mlir::Value b);
  mlir::Value binary(nn::BinaryKind kind, mlir::Value a, double b) { return binary(kind, a, number(a, b)); }
  mlir::Value add(mlir::Value a, mlir::Value b) { return binary(nn::BinaryKind::Add, a, b); }
  mlir::Value add(mlir::Value a, double b) { return binary(nn::BinaryKind::Add, a, b); }
  mlir::Value sub(mlir::Value a, mlir::Value b) { return binary(nn::BinaryKind::Sub, a, b); }
  mlir::Value sub(double a, mlir::Value b) { return sub(number(b, a), b); }
  mlir::Value mul(mlir::Value a, mlir::Value b) { return binary(nn::BinaryKind::Mul, a, b); }
  mlir::Value mul(mlir::Value a, double b);
  mlir::Value div(mlir::Value a, mlir::Value b) { return binary(nn::BinaryKind::Div, a, b); }
  mlir::Value neg(mlir::Value x) { return unary(nn::UnaryKind::Neg, x); }
  mlir::Value square(mlir::Value x) { return mul(x, x); }
  mlir::Value sqrt(mlir::Value x) { return unary(nn::UnaryKind::Sqrt, x); }
  mlir::Value exp(mlir::Value x) { return unary(nn::UnaryKind::Exp, x); }
  mlir::Value log(mlir::Value x) { return unary(nn::UnaryKind::Log, x); }
  mlir::Value reciprocal(mlir::Value x) { return unary(nn::UnaryKind::Reciprocal, x); }
  mlir::Value equal(mlir::Value a, mlir::Value b) { return binary(nn::BinaryKind::Equal, a, b); }
  mlir::Value greater(mlir::Value a, double b) { return binary(nn::BinaryKind::Greater, a, b); }
  mlir::Value select(mlir::Value condition, mlir::Value onTrue, mlir::Value onFalse);
  /// Returns `value` if `condition` is true, otherwise 0.
  mlir::Value where(mlir::Value condition, mlir::Value value) { return select(condition, value, number(value, 0)); }
  mlir::Value convert(mlir::Value x, mlir::Type elementType);

  // Movement.
  mlir::Value reshape(mlir::Value x, Dims shape);
  mlir::Value broadcast(mlir::Value x, Dims shape);
  mlir::Value transpose(mlir::Value x, Dims permutation);
  mlir::Value slice(mlir::Value x, Dims starts, Dims sizes, Dims steps);
  /// Returns the elements from `start` to `start + size` - 1 along `axis`.
  mlir::Value slice(mlir::Value x, int64_t axis, int64_t start, int64_t size);
  mlir::Value concat(mlir::ValueRange parts, int64_t axis);
  /// Pads with zeros. Negative amounts crop.
  mlir::Value pad(mlir::Value x, Dims low, Dims high);
  /// Pads with the value `number`.
  mlir::Value pad(mlir::Value x, Dims low, Dims high, double number);
  /// Returns `x` with `stride` - 1 zeros after each element along `axis`.
  mlir::Value spread(mlir::Value x, int64_t axis, int64_t stride);
  /// Returns `x` with axis `axis` moved to `position`. The other axes keep their order.
  mlir::Value moveAxis(mlir::Value x, int64_t axis, int64_t position);

  // Sums and products.
  mlir::Value reduce(nn::ReduceKind kind, mlir::Value x, Dims axes, bool keepDims);
  mlir::Value sum(mlir::Value x, Dims axes, bool keepDims = false) {
    return reduce(nn::ReduceKind::Sum, x, axes, keepDims);
  }
  mlir::Value mean(mlir::Value x, Dims axes, bool keepDims = false) {
    return reduce(nn::ReduceKind::Mean, x, axes, keepDims);
  }
  /// Returns the sum of all elements as a scalar.
  mlir::Value sumOfAll(mlir::Value x) { return sum(x, axisRange(0, rankOf(x))); }
  mlir::Value meanOfAll(mlir::Value x) { return mean(x, axisRange(0, rankOf(x))); }
  mlir::Value matmul(mlir::Value a, mlir::Value b);
  /// Returns `x` with its last two axes swapped.
  mlir::Value transposeLast(mlir::Value x);
  /// Reverses a broadcast from `shape` to the shape of `x`: sums `x` over the axes that were broadcast.
  mlir::Value unbroadcast(mlir::Value x, Dims shape);
  /// Returns `x` with its elements along `axis` multiplied by a matrix `[axis, new axis]`.
  mlir::Value multiplyAxis(mlir::Value x, int64_t axis, mlir::Value matrix);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace nacre::train

#endif // NACRE_COMPILER_TRAIN_RULES_WRITER_H
