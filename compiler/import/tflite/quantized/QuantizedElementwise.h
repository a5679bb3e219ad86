// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of integers that stand for reals, as the reference kernels compute it, to the bit.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDELEMENTWISE_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDELEMENTWISE_H

#include "compiler/import/tflite/quantized/Rescaling.h"

namespace nacre::importer::tflite_format {

/// ADD or SUB: both operands shifted to the left and brought to one scale, then their sum or difference to the result's.
void importQuantizedSum(TfliteNode &node, nn::BinaryKind kind);

/// MUL.
void importQuantizedProduct(TfliteNode &node);

/// LEAKY_RELU: one number for what is above zero, one for what is below.
void importQuantizedLeakyRelu(TfliteNode &node, float alpha);

/// PRELU: slopes have a scale of their own.
void importQuantizedPRelu(TfliteNode &node);

/// QUANTIZE of integers: from one scale to another.
void importRequantize(TfliteNode &node);

/// ReLU and its kin.
void importQuantizedClamp(TfliteNode &node, Activation activation);

/// Brings two operands that are compared to one scale where they have two; false after an error.
bool alignScales(TfliteNode &node, mlir::Value &lhs, mlir::Value &rhs);

/// Brings operands that are joined to the scale of the result; false after an error.
bool rescaleToResult(TfliteNode &node, llvm::SmallVectorImpl<mlir::Value> &operands);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_QUANTIZEDELEMENTWISE_H
