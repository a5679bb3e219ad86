// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds operations that compute the functions of FixedPointFunctions.h at run time, for example for sums of rows.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_FIXEDPOINTVALUES_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_FIXEDPOINTVALUES_H

#include "compiler/import/builder/NnBuilder.h"
#include "compiler/import/tflite/quantized/InterpolatedTables.h"

namespace nacre::importer::tflite_format {

/// Returns a number as a scalar of i32.
mlir::Value constant32(NnBuilder &nn, int64_t number);

/// Returns x / divisor, rounded to the nearest integer, and n.5 away from zero. |x| + divisor / 2 must fit into the
/// type of x.
mlir::Value divideAway(NnBuilder &nn, mlir::Value x, int64_t divisor);

/// Returns the number of zero bits before the leading bit of `x`, which must be positive.
mlir::Value countLeadingZeros(NnBuilder &nn, mlir::Value x);

/// Returns 1 / (1 + x) in Q0 for x in [0, 1).
mlir::Value reciprocalOfOnePlus(NnBuilder &nn, mlir::Value x);

/// Returns log(x) in Q5 for x >= 1 in Q12.
mlir::Value logarithm(NnBuilder &nn, mlir::Value x);

/// The value of 1 / sqrt(x) as a multiplier and a shift. For x = 0, it is the same as for x = 1.
struct FixedPointValue {
  mlir::Value multiplier, shift;
};
FixedPointValue reciprocalRoot(NnBuilder &nn, mlir::Value x);

/// Interpolates between entries. `x` is i32 in the range of 16 bits.
mlir::Value interpolate16(NnBuilder &nn, const Entries16 &entries, mlir::Value x);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_FIXEDPOINTVALUES_H
