// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers that stand for reals, as values that handlers compute with.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_RESCALING_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_RESCALING_H

#include "compiler/import/tflite/FusedActivation.h"
#include "compiler/import/tflite/quantized/FixedScales.h"

namespace nacre::importer::tflite_format {

/// A scale and a zero point for all elements of an operand or a result; fails after an error where it has none, or several.
struct OneScale {
  float scale;
  int64_t zero;
};
mlir::FailureOr<OneScale> readOneScale(TfliteNode &node, size_t operand);
mlir::FailureOr<OneScale> readResultScale(TfliteNode &node, size_t result = 0);

/// operand - zero, as i32.
mlir::Value centre(NnBuilder &nn, mlir::Value integers, int64_t zero);

/// x times the number, as i32, in the way of rounding that the operator has.
mlir::Value multiply(NnBuilder &nn, mlir::Value x, FixedPoint number,
                     nn::FixedPointRounding rounding = nn::FixedPointRounding::Double);

/// The constants of one number, or one for each channel, the last axis: multipliers and shifts.
struct FixedPointTables {
  mlir::Value multiplier, shift;
};
FixedPointTables makeTables(NnBuilder &nn, llvm::ArrayRef<FixedPoint> numbers);

/// x + zero within the range, in the type of the result.
mlir::Value saturate(NnBuilder &nn, mlir::Value x, int64_t zero, IntegerRange range, mlir::Type type);

/// The reals that a constant or a value stands for, as f32: weights of layers that are computed in floating point.
mlir::Value toReals(TfliteNode &node, size_t operand);

/// Sums of products of operands `input` and `filter`, whose channels `filterAxis` of it counts, to the result: with a bias that
/// may be null, and the fused activation.
void finishProducts(TfliteNode &node, mlir::Value sums, size_t input, size_t filter, size_t bias, int64_t filterAxis,
                    bool hasSingleProduct);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_RESCALING_H
