// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion between reals and the integers or narrow floats that represent them.
//
// A real is (x - zero) * scale. Every format has these conversions. Passes that compute in integers must find the same
// form, nn.dequantize and nn.quantize. There is one scale and zero point for all elements, for each index of an axis,
// or for each block of an axis. Formats with another rounding (halves away from zero, or up) or with an inverse scale
// cannot use these functions.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_QUANTIZATION_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_QUANTIZATION_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// True if the shape of `parameter` fits a scale or a zero point of `x` with this granularity.
bool isParameterOf(mlir::Value x, mlir::Value parameter, Granularity granularity);

/// Returns (x - zero) * scale in the type `real`. It is computed in f32, or in f64 if the scale is f64. `scale` and
/// `zero` are scalars, or have shapes that isParameterOf accepts. `zero` may be null.
mlir::Value dequantize(NnBuilder &nn, mlir::Value x, mlir::Value scale, mlir::Value zero, Granularity granularity,
                       mlir::Type real);

/// Returns x / scale + zero in `type`, computed in `precision`. Integers are rounded to nearest even. Values outside
/// the range of `type` saturate. With `overflows`, they become infinity or NaN in 8-bit floats.
mlir::Value quantize(NnBuilder &nn, mlir::Value x, mlir::Value scale, mlir::Value zero, Granularity granularity,
                     mlir::Type precision, mlir::Type type, bool overflows = false);

/// Rounds floats to integers, halves away from zero, like C's round(). The rounding operator of `nn` rounds halves to
/// even.
mlir::Value roundAwayFromZero(NnBuilder &nn, mlir::Value x);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_QUANTIZATION_H
