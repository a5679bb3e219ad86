// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of FixedPointFunctions.h for values that are known at run time, such as sums of a row.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_FIXEDPOINTVALUES_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_FIXEDPOINTVALUES_H

#include "compiler/import/builder/NnBuilder.h"
#include "compiler/import/tflite/quantized/InterpolatedTables.h"

namespace nacre::importer::tflite_format {

/// Returns a number as a scalar of i32.
mlir::Value constant32(NnBuilder &nn, int64_t number);

/// Returns x / divisor, halves away from zero; |x| + divisor / 2 must fit into the type of x.
mlir::Value divideAway(NnBuilder &nn, mlir::Value x, int64_t divisor);

/// Returns the number of zero bits before the leading bit; x is positive.
mlir::Value countLeadingZeros(NnBuilder &nn, mlir::Value x);

/// Returns 1 / (1 + x) in Q0 for x in [0, 1).
mlir::Value reciprocalOfOnePlus(NnBuilder &nn, mlir::Value x);

/// Returns log(x) in Q5 for x >= 1 in Q12.
mlir::Value logarithm(NnBuilder &nn, mlir::Value x);

/// A value of 1 / sqrt(x) as a multiplier and a shift. For x = 0 it equals that of 1.
struct FixedPointValue {
  mlir::Value multiplier, shift;
};
FixedPointValue reciprocalRoot(NnBuilder &nn, mlir::Value x);

/// Interpolates between entries. `x` is i32 in the range of 16 bits.
mlir::Value interpolate16(NnBuilder &nn, const Entries16 &entries, mlir::Value x);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_FIXEDPOINTVALUES_H
