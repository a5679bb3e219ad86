// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion between reals and the integers or narrow floats that stand for them.
//
// Reals are (x - zero) * scale. Every format has these conversions, and passes that compute in integers must find one
// form, nn.dequantize and nn.quantize. There is one scale and zero point for all elements, for each index of an axis,
// or for each block of an axis. Formats that round halves away from zero or up, or multiply by the inverse scale, write
// their own arithmetic.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_QUANTIZATION_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_QUANTIZATION_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// True if `parameter` has the shape of a scale or a zero point of `x`.
bool isParameterOf(mlir::Value x, mlir::Value parameter, Granularity granularity);

/// Returns (x - zero) * scale as `real`, computed in f32, or in f64 if the scale is f64. `scale` and `zero`, which may
/// be null, have shapes that isParameterOf accepts, or are scalars.
mlir::Value dequantize(NnBuilder &nn, mlir::Value x, mlir::Value scale, mlir::Value zero, Granularity granularity,
                       mlir::Type real);

/// Returns x / scale + zero, computed in `precision` and rounded to nearest even for integers. Values beyond the range
/// of `type` saturate; with `overflows`, floats of 8 bits become infinity or NaN instead.
mlir::Value quantize(NnBuilder &nn, mlir::Value x, mlir::Value scale, mlir::Value zero, Granularity granularity,
                     mlir::Type precision, mlir::Type type, bool overflows = false);

/// Rounds floats to integers, halves away from zero, as C's round() does. The rounding of `nn` takes halves to even.
mlir::Value roundAwayFromZero(NnBuilder &nn, mlir::Value x);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_QUANTIZATION_H
