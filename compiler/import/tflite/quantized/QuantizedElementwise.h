// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on quantized integers, bit-exact with the reference kernels.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDELEMENTWISE_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDELEMENTWISE_H

#include "compiler/import/tflite/quantized/Rescaling.h"

namespace nacre::importer::tflite_format {

/// Imports ADD or SUB. Both operands are shifted left and converted to one scale. Their sum or difference is rescaled
/// to the result. If `byPowers`, 16-bit operands whose scales are powers of two are only shifted.
void importQuantizedSum(TfliteNode &node, nn::BinaryKind kind, bool byPowers);

/// Imports SQUARED_DIFFERENCE. It is computed like a difference, but squared before it is rescaled to the result.
void importQuantizedSquaredDifference(TfliteNode &node);

/// Imports MUL.
void importQuantizedProduct(TfliteNode &node);

/// Imports LEAKY_RELU, which multiplies positive and negative values by different factors.
void importQuantizedLeakyRelu(TfliteNode &node, float alpha);

/// Imports PRELU, whose slopes have their own scale.
void importQuantizedPRelu(TfliteNode &node);

/// Imports QUANTIZE of integers, which converts them from one scale to another.
void importRequantize(TfliteNode &node);

/// Imports DIV of 8-bit integers. A quotient with the divisor 0 is 0.
void importQuantizedQuotient(TfliteNode &node);

/// Imports ABS.
void importQuantizedAbs(TfliteNode &node);

/// Imports ReLU and similar functions. The result is limited to the range of all `activations`.
void importQuantizedClamp(TfliteNode &node, llvm::ArrayRef<Activation> activations);

/// Converts the two operands of a comparison to one scale if their scales differ. Returns false after an error.
bool alignScales(TfliteNode &node, mlir::Value &lhs, mlir::Value &rhs);

/// Converts operands that are concatenated to the scale of the result. Returns false after an error. Only unsigned
/// 8-bit operands may have other scales.
bool rescaleToResult(TfliteNode &node, llvm::SmallVectorImpl<mlir::Value> &operands);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDELEMENTWISE_H
