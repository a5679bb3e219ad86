// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scaled dot-product attention, for the handlers of every format.
//
// It is softmax(query * key^T * scale + bias) * value, for all heads together. Attention operators differ only in how
// they pack heads and describe masks. Query heads that share keys and values are a separate axis, along which keys and
// values broadcast, so nothing is repeated. It is one operator, unless the model also outputs scores.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_ATTENTION_ATTENTION_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_ATTENTION_ATTENTION_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Returns `x` [batch, positions, heads * width] as [batch, heads, positions, width].
mlir::Value splitHeads(NnBuilder &nn, mlir::Value x, int64_t heads);

/// Returns the mask of the first `lengths` keys: i1 [batch, 1, 1, keys]. `lengths` is i32 [batch].
mlir::Value findFilled(NnBuilder &nn, mlir::Value lengths, int64_t keys);

/// Returns a bias for scores of type `elementType`: 0 if `visible` is true, and `hidden` elsewhere.
mlir::Value toBias(NnBuilder &nn, mlir::Value visible, mlir::Type elementType, double hidden);
/// Returns the sum of two biases. A null bias is ignored.
mlir::Value addBias(NnBuilder &nn, mlir::Value lhs, mlir::Value rhs);

/// Range of keys that a query sees by its position. Query `i` has position `offset` + i among the keys.
struct Reach {
  mlir::Value offset;         ///< i32, a scalar or [batch, 1, 1, 1]; null for 0
  int64_t before = unbounded; ///< number of visible keys before the query's position
  int64_t behind = unbounded; ///< number of visible keys after the query's position; 0 for causal attention

  static constexpr int64_t unbounded = -1;
  bool isBounded() const { return before >= 0 || behind >= 0; }
};

struct Attention {
  mlir::Value query; ///< [batch, heads, queries, width]
  mlir::Value key;   ///< [batch, heads / g, keys, width]; groups of g neighbouring query heads share a key head
  mlir::Value value; ///< [batch, heads / g, keys, width of the result]
  mlir::Value bias;  ///< addend of the scores that broadcasts to [batch, heads, queries, keys]; may be null
  mlir::Value sink;  ///< [heads], scores of one more key whose value is 0; may be null
  Reach reach;
  double scale = 1;
  double softcap = 0;     ///< limit of the scores: they become softcap * tanh(scores / softcap) before the bias; 0 for
                          ///< no limit
  mlir::Type softmaxType; ///< type in which softmax is computed, if the model demands one; null otherwise
  bool hidesRows = false; ///< true if rows whose scores are all -inf give 0 instead of NaN
  bool keepsScores = false; ///< true if the model reads scores or probabilities
};

/// Result and intermediate values. Values without uses cost nothing. The scores and the values after them are [batch,
/// heads, queries, keys]. They are null unless the model reads them.
struct Attended {
  mlir::Value result; ///< [batch, heads, queries, width of the value]
  mlir::Value merged; ///< `result` as [batch, queries, heads * width]
  mlir::Value scores, capped, biased, probabilities;
};
Attended attend(NnBuilder &nn, const Attention &attention);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_ATTENTION_ATTENTION_H
