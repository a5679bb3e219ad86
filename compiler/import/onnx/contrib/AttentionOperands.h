// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What operators of attention have in common here: masks in their many forms, biases, what was computed of earlier
// positions. All functions give null where an operand is left out, or after an error.

#ifndef NACRE_COMPILER_IMPORT_ONNX_CONTRIB_ATTENTIONOPERANDS_H
#define NACRE_COMPILER_IMPORT_ONNX_CONTRIB_ATTENTIONOPERANDS_H

#include "compiler/import/binding/OperandBinder.h"
#include "compiler/import/compositions/attention/Attention.h"

namespace nacre::importer::onnx_format::contrib {

/// How long the scores are along each axis.
struct ScoreShape {
  int64_t batch, heads, queries, keys;
  int64_t past; ///< how many of the keys were computed before
};
/// `past` is the operand that holds those, or null.
ScoreShape getScoreShape(mlir::Value query, mlir::Value key, mlir::Value past);

/// What mask `index` adds to scores of `elementType`. It has one number for each key (0 hides it), for each query and key, or for all that
/// there may ever be; or it has the number of keys of each row of the batch, and maybe where they begin.
mlir::Value readMask(OperandBinder &node, size_t index, const ScoreShape &scores, mlir::Type elementType);

/// Operand `index`, which is added to the scores.
mlir::Value readBias(OperandBinder &node, size_t index, const ScoreShape &scores);

/// The attribute 'scale', or what it is by default for heads as wide as those of `query`.
double readScale(OperandBinder &node, mlir::Value query);

/// What hides keys behind each query, and all but `window` up to it; -1: all are seen.
mlir::Value hideBehind(NnBuilder &nn, const ScoreShape &scores, mlir::Type elementType, int64_t window = -1);

/// `x` [batch, heads, positions, width] behind the positions of operand `past`, where that is given.
mlir::Value addPast(OperandBinder &node, size_t past, mlir::Value x);

} // namespace nacre::importer::onnx_format::contrib

#endif // NACRE_COMPILER_IMPORT_ONNX_CONTRIB_ATTENTIONOPERANDS_H
