// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of quantized integers of 8 or 16 bits, as tables of all integers.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDFUNCTIONS_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDFUNCTIONS_H

#include "compiler/import/tflite/quantized/Rescaling.h"

namespace nacre::importer::tflite_format {

/// Returns the entry of `table` for each element of `x`, i32 whose minimum is `first`.
mlir::Value lookUp(NnBuilder &nn, mlir::Value x, int64_t first, llvm::ArrayRef<int32_t> table, mlir::Type type);

/// Import LOGISTIC and TANH with integer arithmetic only.
void importQuantizedLogistic(TfliteNode &node);
void importQuantizedTanh(TfliteNode &node);

/// Imports HARD_SWISH with integer arithmetic only.
void importQuantizedHardSwish(TfliteNode &node);

/// Imports a function of reals in single precision, rounded to the result's integers. For 16 bits it is interpolated.
void importTabulated(TfliteNode &node, float (*function)(float));

/// Imports LOG. Numbers without a logarithm become the minimum of the result.
void importQuantizedLog(TfliteNode &node);

/// Imports SQRT, truncated to an integer. Negative numbers become 0.
void importQuantizedSqrt(TfliteNode &node);

/// Imports RSQRT; of 8 bits with integer arithmetic only. Numbers without a result become the maximum of the result.
void importQuantizedReciprocalRoot(TfliteNode &node);

/// Converts unsigned 8-bit integers to another scale and zero point, as a concatenation does with its operands.
mlir::Value convertInSinglePrecision(NnBuilder &nn, mlir::Value x, OneScale from, OneScale to);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDFUNCTIONS_H
