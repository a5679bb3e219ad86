// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rotary embeddings. The standard adopted this operator of ONNX Runtime, but with another order of the operands.

#ifndef NACRE_COMPILER_IMPORT_ONNX_ATTENTION_ROTARYEMBEDDING_H
#define NACRE_COMPILER_IMPORT_ONNX_ATTENTION_ROTARYEMBEDDING_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer::onnx_format {

/// Indices of the operands. Operand 0 is the tensor to rotate: [batch, heads, positions, width] or [batch, positions,
/// heads * width].
struct RotaryOperands {
  size_t cosines, sines, positions;
};

void importRotaryEmbedding(OperandBinder &node, const RotaryOperands &operands);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_ATTENTION_ROTARYEMBEDDING_H
