// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spells out an attention of floats as products, sums and a softmax.
//
// Importers use it for models that also output scores or probabilities. The graph phase uses it where no kernel
// computes attention, and for gradients.

#ifndef NACRE_DIALECTS_NN_ATTENTION_SPELLEDATTENTION_H
#define NACRE_DIALECTS_NN_ATTENTION_SPELLEDATTENTION_H

#include "dialects/nn/NnDialect.h"

#include "mlir/IR/Builders.h"

namespace nacre::nn {

/// Result and intermediate values of an attention. All but `result` are [..., queries, keys].
struct SpelledAttention {
  mlir::Value scores;  ///< Products of queries and keys, scaled
  mlir::Value capped;  ///< `scores` after the softcap
  mlir::Value biased;  ///< `capped` plus the mask, and -inf for keys out of bounds
  mlir::Value weights; ///< Softmax of `biased`
  mlir::Value result;
};

/// Writes the parts of `op` at the insertion point of `builder`. Computes the softmax in `softmaxType`, or in the type
/// of the queries if it is null. `op` must be of floats.
SpelledAttention spellAttention(mlir::OpBuilder &builder, AttentionOp op, mlir::Type softmaxType);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_ATTENTION_SPELLEDATTENTION_H
