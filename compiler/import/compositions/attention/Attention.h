// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scaled dot-product attention, spelled as products, sums and a softmax, for the handlers of every format.
//
// What: softmax(query * key^T * scale + bias) * value, for all heads at once.
// Why:  operators of attention differ in how they pack heads and say what is masked; what they compute is this.
// How:  heads that share keys and values are an axis of their own, along which the products broadcast: nothing is
//       repeated. Transposes stand at the products, which read through them.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_ATTENTION_ATTENTION_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_ATTENTION_ATTENTION_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// `x` [batch, positions, heads * width] as [batch, heads, positions, width].
mlir::Value splitHeads(NnBuilder &nn, mlir::Value x, int64_t heads);

/// Which keys a query sees by where it stands: query `i` stands at `offset` + i among the keys.
struct Reach {
  int64_t queries, keys;
  mlir::Value offset;  ///< i32, one or [batch, 1, 1, 1]
  int64_t before = -1; ///< how many keys before its own it sees; -1: all
  int64_t behind = -1; ///< how many keys behind its own; -1: all, 0: attention is causal
};
/// i1 [queries, keys], or [batch, 1, queries, keys].
mlir::Value findVisible(NnBuilder &nn, const Reach &reach);
/// i1 [batch, 1, 1, keys]: whether a key is one of the first `lengths` i32 [batch].
mlir::Value findFilled(NnBuilder &nn, mlir::Value lengths, int64_t keys);

/// 0 where `visible`, else `hidden`: what is added to scores of type `elementType`.
mlir::Value toBias(NnBuilder &nn, mlir::Value visible, mlir::Type elementType, double hidden);
/// The sum of two biases, each of which may be null: nothing is added.
mlir::Value addBias(NnBuilder &nn, mlir::Value lhs, mlir::Value rhs);

struct Attention {
  mlir::Value query; ///< [batch, heads, queries, width]
  mlir::Value key;   ///< [batch, heads / g, keys, width], each head for g neighbouring ones of the query
  mlir::Value value; ///< [batch, heads / g, keys, width of the result]
  mlir::Value bias;  ///< added to scores: broadcasts to [batch, heads, queries, keys]; may be null
  mlir::Value sink;  ///< [heads]: the score of one more key, whose value is 0; may be null
  double scale = 1;
  double softcap = 0;     ///< scores become softcap * tanh(scores / softcap) before the bias; 0: they stay
  mlir::Type softmaxType; ///< what softmax computes in; null: the query's type
  bool hidesRows = false; ///< where the bias is -inf for all keys the result is 0; else such rows are NaN
};

/// Those that nobody reads cost nothing. All but the first two are [batch, heads, queries, keys].
struct Attended {
  mlir::Value result; ///< [batch, heads, queries, width of the value]
  mlir::Value merged; ///< the same as [batch, queries, heads * width]
  mlir::Value scores, capped, biased, probabilities;
};
Attended attend(NnBuilder &nn, const Attention &attention);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_ATTENTION_ATTENTION_H
