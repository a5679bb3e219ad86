// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are compositions of several `nn` operators, for the handlers of every format. The compiler fuses them.
//
// Passes recognize one sequence of operators for each function, so all handlers must use the same one.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_ELEMENTARY_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_ELEMENTARY_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Returns min(high, max(low, x)).
mlir::Value clamp(NnBuilder &nn, mlir::Value x, double low, double high);

/// Returns min(1, max(0, alpha * x + beta)).
mlir::Value hardSigmoid(NnBuilder &nn, mlir::Value x, double alpha, double beta);

/// Returns x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))).
mlir::Value geluByTanh(NnBuilder &nn, mlir::Value x);

/// Returns x * sigmoid(alpha * x).
mlir::Value swish(NnBuilder &nn, mlir::Value x, double alpha = 1);

/// Returns x / (1 + |x|).
mlir::Value softsign(NnBuilder &nn, mlir::Value x);

/// Constants of SELU, which preserve the mean and variance of activations.
constexpr double seluAlpha = 1.67326319217681884765625, seluScale = 1.05070102214813232421875;

/// Returns seluScale * elu(x) with alpha = seluAlpha.
mlir::Value selu(NnBuilder &nn, mlir::Value x);

/// Return log(1 + x) and exp(x) - 1 with full precision near 0.
mlir::Value logOnePlus(NnBuilder &nn, mlir::Value x);
mlir::Value expMinusOne(NnBuilder &nn, mlir::Value x);

/// Returns 1 / sqrt(x).
mlir::Value reciprocalRoot(NnBuilder &nn, mlir::Value x);

/// Return x * x and (x - y) * (x - y).
mlir::Value square(NnBuilder &nn, mlir::Value x);
mlir::Value squaredDifference(NnBuilder &nn, mlir::Value x, mlir::Value y);

/// Returns x != y for each element, as i1.
mlir::Value notEqual(NnBuilder &nn, mlir::Value x, mlir::Value y);

/// Reduces booleans along `axes`. The kind `Max` computes "any", and `Min` computes "all".
mlir::Value reduceBooleans(NnBuilder &nn, nn::ReduceKind kind, mlir::Value x, Ints axes, bool keepDims);

/// Returns the angle of the point (x, y), from -pi to pi.
mlir::Value arcTangent(NnBuilder &nn, mlir::Value y, mlir::Value x);

/// Returns floor(lhs / rhs), also for integers, whose division truncates.
mlir::Value floorDivide(NnBuilder &nn, mlir::Value lhs, mlir::Value rhs);

/// Reshapes `x` to a matrix. The axes before `axis` become the rows, and the other axes the columns.
mlir::Value toMatrix(NnBuilder &nn, mlir::Value x, int64_t axis);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_ELEMENTARY_H
