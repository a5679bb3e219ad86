// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of integers that stand for reals, as the reference kernels compute it, to the bit.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDELEMENTWISE_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDELEMENTWISE_H

#include "compiler/import/tflite/quantized/Rescaling.h"

namespace nacre::importer::tflite_format {

/// ADD or SUB: both operands shifted to the left and brought to one scale, then their sum or difference to the result's. Of 16
/// bits whose scales are powers of two, one operand is brought to the other's, if `byPowers`.
void importQuantizedSum(TfliteNode &node, nn::BinaryKind kind, bool byPowers);

/// SQUARED_DIFFERENCE: as a difference that is squared before it is brought to the result's scale.
void importQuantizedSquaredDifference(TfliteNode &node);

/// MUL.
void importQuantizedProduct(TfliteNode &node);

/// LEAKY_RELU: one number for what is above zero, one for what is below.
void importQuantizedLeakyRelu(TfliteNode &node, float alpha);

/// PRELU: slopes have a scale of their own.
void importQuantizedPRelu(TfliteNode &node);

/// QUANTIZE of integers: from one scale to another.
void importRequantize(TfliteNode &node);

/// DIV, of 8 bits: what is divided by what stands for 0 becomes 0.
void importQuantizedQuotient(TfliteNode &node);

/// ABS.
void importQuantizedAbs(TfliteNode &node);

/// ReLU and its kin, or what is within the ranges of two.
void importQuantizedClamp(TfliteNode &node, llvm::ArrayRef<Activation> activations);

/// Brings two operands that are compared to one scale where they have two; false after an error.
bool alignScales(TfliteNode &node, mlir::Value &lhs, mlir::Value &rhs);

/// Brings operands that are joined to the scale of the result; false after an error. Those that need it have 8 bits without a sign.
bool rescaleToResult(TfliteNode &node, llvm::SmallVectorImpl<mlir::Value> &operands);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDELEMENTWISE_H
