// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands that the attention operators of ONNX Runtime share: masks in many forms, biases, and earlier keys and
// values. All functions return null for a missing operand or after an error.

#ifndef NACRE_COMPILER_IMPORT_ONNX_CONTRIB_ATTENTIONOPERANDS_H
#define NACRE_COMPILER_IMPORT_ONNX_CONTRIB_ATTENTIONOPERANDS_H

#include "compiler/import/binding/OperandBinder.h"
#include "compiler/import/compositions/attention/Attention.h"

namespace nacre::importer::onnx_format::contrib {

/// Sizes of the axes of the scores.
struct ScoreShape {
  int64_t batch, heads, queries, keys;
  int64_t past; ///< number of keys that were computed earlier
};
/// Returns the sizes of the scores. `past` is the operand with earlier keys, or null.
ScoreShape getScoreShape(mlir::Value query, mlir::Value key, mlir::Value past);

/// Returns mask `index` as a bias for scores of `elementType`. The mask has an integer for each key (0 hides the key),
/// for each pair of a query and a key, or for all possible positions. Or it has the number of keys of each row of the
/// batch, and optionally the first key of each row.
mlir::Value readMask(OperandBinder &node, size_t index, const ScoreShape &scores, mlir::Type elementType);

/// Returns operand `index`, which is added to the scores.
mlir::Value readBias(OperandBinder &node, size_t index, const ScoreShape &scores);

/// Returns the attribute 'scale', or its default for the width of the heads of `query`.
double readScale(OperandBinder &node, mlir::Value query);

/// Returns a reach that hides the keys after each query. With `window` >= 0, it hides all keys except the last `window`
/// keys up to the query.
Reach hideBehind(NnBuilder &nn, const ScoreShape &scores, int64_t window = -1);

/// Returns `x` [batch, heads, positions, width] with the positions of operand `past` in front, if the operand exists.
mlir::Value addPast(OperandBinder &node, size_t past, mlir::Value x);

} // namespace nacre::importer::onnx_format::contrib

#endif // NACRE_COMPILER_IMPORT_ONNX_CONTRIB_ATTENTIONOPERANDS_H
