// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on quantized integers, bit-exact with the reference kernels.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDELEMENTWISE_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDELEMENTWISE_H

#include "compiler/import/tflite/quantized/Rescaling.h"

namespace nacre::importer::tflite_format {

/// Imports ADD or SUB. Both operands are shifted left and brought to one scale; their sum or difference is rescaled to
/// the result. If `byPowers`, 16-bit operands whose scales are powers of two are only shifted.
void importQuantizedSum(TfliteNode &node, nn::BinaryKind kind, bool byPowers);

/// Imports SQUARED_DIFFERENCE: like a difference that is squared before it is rescaled to the result.
void importQuantizedSquaredDifference(TfliteNode &node);

/// Imports MUL.
void importQuantizedProduct(TfliteNode &node);

/// Imports LEAKY_RELU: positive and negative numbers have different factors.
void importQuantizedLeakyRelu(TfliteNode &node, float alpha);

/// Imports PRELU, whose slopes have their own scale.
void importQuantizedPRelu(TfliteNode &node);

/// Imports QUANTIZE of integers: from one scale to another.
void importRequantize(TfliteNode &node);

/// Imports DIV of 8 bits. A quotient by 0 is 0.
void importQuantizedQuotient(TfliteNode &node);

/// Imports ABS.
void importQuantizedAbs(TfliteNode &node);

/// Imports ReLU and similar functions; several activations limit the result together.
void importQuantizedClamp(TfliteNode &node, llvm::ArrayRef<Activation> activations);

/// Brings two operands that are compared to one scale if their scales differ; returns false after an error.
bool alignScales(TfliteNode &node, mlir::Value &lhs, mlir::Value &rhs);

/// Brings operands that are joined to the scale of the result; returns false after an error. Only unsigned 8-bit
/// operands need this.
bool rescaleToResult(TfliteNode &node, llvm::SmallVectorImpl<mlir::Value> &operands);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDELEMENTWISE_H
