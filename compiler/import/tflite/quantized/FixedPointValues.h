// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What FixedPointFunctions.h computes of numbers, of values that a run computes: of sums along a row.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_FIXEDPOINTVALUES_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_FIXEDPOINTVALUES_H

#include "compiler/import/builder/NnBuilder.h"
#include "compiler/import/tflite/quantized/InterpolatedTables.h"

namespace nacre::importer::tflite_format {

/// A number as a scalar of i32.
mlir::Value constant32(NnBuilder &nn, int64_t number);

/// x / divisor, halves away from zero; |x| + divisor / 2 must fit into the type of x.
mlir::Value divideAway(NnBuilder &nn, mlir::Value x, int64_t divisor);

/// How many bits lie before the first one that is set; x is above 0.
mlir::Value countLeadingZeros(NnBuilder &nn, mlir::Value x);

/// 1 / (1 + x) of x in [0, 1), in Q0.
mlir::Value reciprocalOfOnePlus(NnBuilder &nn, mlir::Value x);

/// log(x) in Q5 of x >= 1 in Q12.
mlir::Value logarithm(NnBuilder &nn, mlir::Value x);

/// 1 / sqrt(x) as a multiplier and a shift; of 0 as of 1.
struct FixedPointValue {
  mlir::Value multiplier, shift;
};
FixedPointValue reciprocalRoot(NnBuilder &nn, mlir::Value x);

/// Interpolated between entries, of i32 in the range of 16 bits.
mlir::Value interpolate16(NnBuilder &nn, const Entries16 &entries, mlir::Value x);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_FIXEDPOINTVALUES_H
