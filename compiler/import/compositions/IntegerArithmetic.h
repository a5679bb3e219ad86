// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  arithmetic of integers that stand for reals, scale * (values - zero), for the handlers of every format.
// Why:   formats write the same networks of 8 bits in different operators; in `nn` they must be one form: a contraction of
//        the integers as they are stored, then 32 bits, then one multiplication and one rounding.
// How:   sum (x - zx)(w - zw) = sum xw - zx sum w - zw (sum x - K zx): what is constant of it folds. Sums wrap, so their
//        order is free, and a sum that is too large on the way is right in the end.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_INTEGERARITHMETIC_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_INTEGERARITHMETIC_H

#include "compiler/import/builder/Geometry.h"
#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// What integers stand for. `scale` and `zero` broadcast to `values`, and `zero`, of any integer type, is 0 where it is
/// null.
struct Quantized {
  mlir::Value values, scale, zero;
};

/// (values - zero) * scale, in the type of `scale`; scale and zero point are scalars.
mlir::Value dequantize(NnBuilder &nn, const Quantized &x);

/// round(steps) + zero, halves to even, as the nearest integers that `type`, of 8 or 16 bits, has.
mlir::Value roundToIntegers(NnBuilder &nn, mlir::Value steps, mlir::Value zero, mlir::Type type);

/// The same of real / scale; scale and zero point are scalars.
mlir::Value quantize(NnBuilder &nn, mlir::Value real, mlir::Value scale, mlir::Value zero, mlir::Type type);

/// `real` by the scale and the zero point that fit its range, 0 included, into 8 bits without a sign.
Quantized quantizeDynamically(NnBuilder &nn, mlir::Value real);

/// The product of (lhs - lhsZero) and (rhs - rhsZero), added up as nn.matmul does. `lhsZero`, which may be null, broadcasts to
/// the rows of `lhs`, and `rhsZero` to the columns of `rhs`.
mlir::Value integerMatMul(NnBuilder &nn, mlir::Value lhs, mlir::Value lhsZero, mlir::Value rhs, mlir::Value rhsZero);

/// The convolution of (input - inputZero) by (filter - filterZero), channels last, added up as nn.conv does; padding stands
/// for 0. `inputZero` has one element, `filterZero` one or one for each output channel; either may be null.
mlir::Value integerConv(NnBuilder &nn, mlir::Value input, mlir::Value inputZero, mlir::Value filter,
                        mlir::Value filterZero, const Window &window, int64_t groups);

/// The transposed convolution of (input - inputZero) by (filter - filterZero), channels last and in one group: `window` has the
/// pads that are cut off, each below the kernel. The rest as above.
mlir::Value integerConvTranspose(NnBuilder &nn, mlir::Value input, mlir::Value inputZero, mlir::Value filter,
                                 mlir::Value filterZero, const Window &window);

/// saturate(sums * scale / 2^31 * 2^shift + zero), in integers alone: `multiplier` and `shift` (nn::toFixedPoint) are i32
/// and broadcast to `sums`, i32 or i64. The result is of `type` and within [low, high].
mlir::Value requantize(NnBuilder &nn, nn::FixedPointRounding rounding, mlir::Value sums, mlir::Value multiplier,
                       mlir::Value shift, int64_t zero, int64_t low, int64_t high, mlir::Type type);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_INTEGERARITHMETIC_H
