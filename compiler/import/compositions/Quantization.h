// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers and narrow floats, and the real numbers that they stand for.
//
// What: (x - zero) * scale, and the other way, as nn.dequantize and nn.quantize.
// Why:  every format has it, and passes that compute in integers must find one spelling.
// How:  scales and zero points are one for all elements, one for each of an axis, or one for each block of it. Formats that round
//       halves away from zero or up, or multiply by the inverse of the scale, write their arithmetic themselves.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_QUANTIZATION_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_QUANTIZATION_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Whether `parameter` has the shape of a scale or a zero point of `x`.
bool isParameterOf(mlir::Value x, mlir::Value parameter, Granularity granularity);

/// `scale`, and `zero`, which may be null, are of shapes that isParameterOf accepts, or scalars. Computed in f32, or in f64 if the
/// scale is that; the result is of type `real`.
mlir::Value dequantize(NnBuilder &nn, mlir::Value x, mlir::Value scale, mlir::Value zero, Granularity granularity,
                       mlir::Type real);

/// x / scale in the type `precision`, rounded to nearest even for integers; what is beyond the range of `type` becomes
/// its end, or with `overflows`, of floats of 8 bits, infinity or no number.
mlir::Value quantize(NnBuilder &nn, mlir::Value x, mlir::Value scale, mlir::Value zero, Granularity granularity,
                     mlir::Type precision, mlir::Type type, bool overflows = false);

/// The nearest integers as floats, halves away from zero, as C's round() has them: `nn` rounds halves to even.
mlir::Value roundAwayFromZero(NnBuilder &nn, mlir::Value x);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_QUANTIZATION_H
