// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of integers of 8 or 16 bits that stand for reals, as tables of all of them.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDFUNCTIONS_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDFUNCTIONS_H

#include "compiler/import/tflite/quantized/Rescaling.h"

namespace nacre::importer::tflite_format {

/// The entry of `table` for each element of `x`, i32 whose least is `first`.
mlir::Value lookUp(NnBuilder &nn, mlir::Value x, int64_t first, llvm::ArrayRef<int32_t> table, mlir::Type type);

/// LOGISTIC and TANH in integers alone.
void importQuantizedLogistic(TfliteNode &node);
void importQuantizedTanh(TfliteNode &node);

/// HARD_SWISH in integers alone.
void importQuantizedHardSwish(TfliteNode &node);

/// A function of reals in single precision, rounded to the result's integers; of 16 bits interpolated.
void importTabulated(TfliteNode &node, float (*function)(float));

/// LOG: what has no logarithm is the least that the result can be.
void importQuantizedLog(TfliteNode &node);

/// SQRT, cut to an integer. What has no root is 0.
void importQuantizedSqrt(TfliteNode &node);

/// RSQRT: of 8 bits in integers alone. What has no root is the most that the result can be.
void importQuantizedReciprocalRoot(TfliteNode &node);

/// Integers of a scale and a zero point as those of the result: what a concatenation of 8 bits without a sign does with its parts.
mlir::Value convertInSinglePrecision(NnBuilder &nn, mlir::Value x, OneScale from, OneScale to);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDFUNCTIONS_H
