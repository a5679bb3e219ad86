// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rotary embeddings, which the standard took over from ONNX Runtime with the operands in another order.

#ifndef NACRE_COMPILER_IMPORT_ONNX_ATTENTION_ROTARYEMBEDDING_H
#define NACRE_COMPILER_IMPORT_ONNX_ATTENTION_ROTARYEMBEDDING_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer::onnx_format {

/// Where the operands are. Operand 0 is what is rotated, [batch, heads, positions, width] or [batch, positions, heads * width].
struct RotaryOperands {
  size_t cosines, sines, positions;
};

void importRotaryEmbedding(OperandBinder &node, const RotaryOperands &operands);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_ATTENTION_ROTARYEMBEDDING_H
