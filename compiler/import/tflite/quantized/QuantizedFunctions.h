// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of integers of 8 bits that stand for reals, as tables of 256 entries.

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

/// A function of reals in single precision, rounded to the result's integers.
void importTabulated(TfliteNode &node, float (*function)(float));

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDFUNCTIONS_H
