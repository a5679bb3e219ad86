// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts quantized integers for computations, and rescales sums of products to the result.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_RESCALING_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_RESCALING_H

#include "compiler/import/tflite/FusedActivation.h"
#include "compiler/import/tflite/quantized/FixedScales.h"

namespace nacre::importer::tflite_format {

/// A scale and a zero point for all elements of an operand or a result. The functions that read it report an error and
/// fail unless there is exactly one scale.
struct OneScale {
  float scale;
  int64_t zero;
};
mlir::FailureOr<OneScale> readOneScale(TfliteNode &node, size_t operand);
mlir::FailureOr<OneScale> readResultScale(TfliteNode &node, size_t result = 0);

/// Returns operand - zero, as i32.
mlir::Value centre(NnBuilder &nn, mlir::Value integers, int64_t zero);

/// Returns `x` times `number`, as i32. `rounding` is the operator's way of rounding.
mlir::Value multiply(NnBuilder &nn, mlir::Value x, FixedPoint number,
                     nn::FixedPointRounding rounding = nn::FixedPointRounding::Double);

/// Multipliers and shifts as constants: one of each, or one for each index of the last axis.
struct FixedPointTables {
  mlir::Value multiplier, shift;
};
FixedPointTables makeTables(NnBuilder &nn, llvm::ArrayRef<FixedPoint> numbers);

/// Returns x + zero, clamped to the range, in the type of the result.
mlir::Value saturate(NnBuilder &nn, mlir::Value x, int64_t zero, IntegerRange range, mlir::Type type);

/// Returns an operand's dequantized values as f32, for weights of layers that compute in floating point.
mlir::Value toReals(TfliteNode &node, size_t operand);

/// Rescales sums of products of the operands `input` and `filter` to the result. The result's channels are the axis
/// `filterAxis` of the filter. Adds the operand `bias`, which may be omitted, and applies the fused activation.
void finishProducts(TfliteNode &node, mlir::Value sums, size_t input, size_t filter, size_t bias, int64_t filterAxis,
                    bool hasSingleProduct);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_RESCALING_H
