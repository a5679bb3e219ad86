// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of quantized integers, which stand for the reals scale * (values - zero), for the handlers of every
// format.
//
// Formats have different operators for 8-bit networks. In `nn`, all become the same form: a contraction of the stored
// integers with 32-bit sums, then one multiplication and one rounding.
//
// sum (x - zx)(w - zw) = sum xw - zx sum w - zw (sum x - K zx), in which the constant terms fold. Sums wrap, so their
// order is free, and an intermediate overflow does not change the result.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_INTEGERARITHMETIC_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_INTEGERARITHMETIC_H

#include "compiler/import/builder/Geometry.h"
#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Integers with the scale and zero point that define their real values. `scale` and `zero` broadcast to `values`.
/// `zero` may have any integer type; null means 0.
struct Quantized {
  mlir::Value values, scale, zero;
};

/// Returns (values - zero) * scale in the type of `scale`. The scale and the zero point are scalars.
mlir::Value dequantize(NnBuilder &nn, const Quantized &x);

/// Returns round(steps) + zero, saturated to `type`, which has 8 or 16 bits. Rounds halves to even.
mlir::Value roundToIntegers(NnBuilder &nn, mlir::Value steps, mlir::Value zero, mlir::Type type);

/// Returns roundToIntegers(real / scale). The scale and the zero point are scalars.
mlir::Value quantize(NnBuilder &nn, mlir::Value real, mlir::Value scale, mlir::Value zero, mlir::Type type);

/// Quantizes `real` to unsigned 8 bits. The scale and zero point are computed at run time from the range of `real`,
/// extended to contain 0.
Quantized quantizeDynamically(NnBuilder &nn, mlir::Value real);

/// Multiplies (lhs - lhsZero) by (rhs - rhsZero) like nn.matmul. `lhsZero` broadcasts to the rows of `lhs`, and may be
/// null. `rhsZero` broadcasts to the columns of `rhs`.
mlir::Value integerMatMul(NnBuilder &nn, mlir::Value lhs, mlir::Value lhsZero, mlir::Value rhs, mlir::Value rhsZero);

/// Convolves (input - inputZero) with (filter - filterZero) like nn.conv; channels are last. Padding represents the
/// real value 0. `inputZero` has one element. `filterZero` has one, or one per output channel. Either may be null.
mlir::Value integerConv(NnBuilder &nn, mlir::Value input, mlir::Value inputZero, mlir::Value filter,
                        mlir::Value filterZero, const Window &window, int64_t groups);

/// Computes the transposed convolution of (input - inputZero) with (filter - filterZero), in one group. The pads of
/// `window` are removed from the result. Each pad is smaller than the kernel.
mlir::Value integerConvTranspose(NnBuilder &nn, mlir::Value input, mlir::Value inputZero, mlir::Value filter,
                                 mlir::Value filterZero, const Window &window);

/// Returns saturate(sums * multiplier / 2^31 * 2^shift + zero), computed in integers only. `multiplier` and `shift` are
/// i32 values from nn::toFixedPoint, and broadcast to `sums` (i32 or i64). The result has the type `type`, and is
/// clamped to [low, high].
mlir::Value requantize(NnBuilder &nn, nn::FixedPointRounding rounding, mlir::Value sums, mlir::Value multiplier,
                       mlir::Value shift, int64_t zero, int64_t low, int64_t high, mlir::Type type);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_INTEGERARITHMETIC_H
