// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of quantized integers of 8 or 16 bits, as tables with an entry for each integer.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDFUNCTIONS_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDFUNCTIONS_H

#include "compiler/import/tflite/quantized/Rescaling.h"

namespace nacre::importer::tflite_format {

/// Returns the entry of `table` for each element of `x`, which is i32. The first entry belongs to the integer `first`.
mlir::Value lookUp(NnBuilder &nn, mlir::Value x, int64_t first, llvm::ArrayRef<int32_t> table, mlir::Type type);

/// Import LOGISTIC and TANH with integer arithmetic only.
void importQuantizedLogistic(TfliteNode &node);
void importQuantizedTanh(TfliteNode &node);

/// Imports HARD_SWISH with integer arithmetic only.
void importQuantizedHardSwish(TfliteNode &node);

/// Imports a function of reals, computed in single precision and rounded to the result's integers. For 16-bit integers,
/// it is interpolated.
void importTabulated(TfliteNode &node, float (*function)(float));

/// Imports LOG. For operands without a logarithm, the result is the smallest integer.
void importQuantizedLog(TfliteNode &node);

/// Imports SQRT, truncated to an integer. For negative operands, the result is 0.
void importQuantizedSqrt(TfliteNode &node);

/// Imports RSQRT, with integer arithmetic only for 8 bits. For operands without a result, the result is the largest
/// integer.
void importQuantizedReciprocalRoot(TfliteNode &node);

/// Converts unsigned 8-bit integers to another scale and zero point, like CONCATENATION converts its operands.
mlir::Value convertInSinglePrecision(NnBuilder &nn, mlir::Value x, OneScale from, OneScale to);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDFUNCTIONS_H
