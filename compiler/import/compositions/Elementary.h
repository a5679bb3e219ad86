// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that `nn` spells as several, for the handlers of every format; the compiler fuses them.
//
// Why:  what several handlers compose must be the same operators in the same order, or passes know only one of them.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_ELEMENTARY_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_ELEMENTARY_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// min(high, max(low, x))
mlir::Value clamp(NnBuilder &nn, mlir::Value x, double low, double high);

/// min(1, max(0, alpha * x + beta))
mlir::Value hardSigmoid(NnBuilder &nn, mlir::Value x, double alpha, double beta);

/// x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))
mlir::Value geluByTanh(NnBuilder &nn, mlir::Value x);

/// x * sigmoid(alpha * x)
mlir::Value swish(NnBuilder &nn, mlir::Value x, double alpha = 1);

/// x / (1 + |x|)
mlir::Value softsign(NnBuilder &nn, mlir::Value x);

/// The two numbers of SELU, which keep mean and variance.
constexpr double seluAlpha = 1.67326319217681884765625, seluScale = 1.05070102214813232421875;

/// seluScale * elu(x), with seluAlpha.
mlir::Value selu(NnBuilder &nn, mlir::Value x);

/// log(1 + x) and exp(x) - 1, with all digits near 0.
mlir::Value logOnePlus(NnBuilder &nn, mlir::Value x);
mlir::Value expMinusOne(NnBuilder &nn, mlir::Value x);

/// 1 / sqrt(x)
mlir::Value reciprocalRoot(NnBuilder &nn, mlir::Value x);

/// x * x, and (x - y) * (x - y).
mlir::Value square(NnBuilder &nn, mlir::Value x);
mlir::Value squaredDifference(NnBuilder &nn, mlir::Value x, mlir::Value y);

/// Whether they differ.
mlir::Value notEqual(NnBuilder &nn, mlir::Value x, mlir::Value y);

/// Along axes, of booleans: whether any is true by `Max`, whether all are by `Min`.
mlir::Value reduceBooleans(NnBuilder &nn, nn::ReduceKind kind, mlir::Value x, Ints axes, bool keepDims);

/// The angle of the point (x, y), from -pi to pi.
mlir::Value arcTangent(NnBuilder &nn, mlir::Value y, mlir::Value x);

/// floor(lhs / rhs), of integers too, whose quotient is truncated.
mlir::Value floorDivide(NnBuilder &nn, mlir::Value lhs, mlir::Value rhs);

/// `x` as a matrix: the axes from `axis` on become its columns.
mlir::Value toMatrix(NnBuilder &nn, mlir::Value x, int64_t axis);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_ELEMENTARY_H
