// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how an average says in which order the cells of its window are added up where that decides its code.
// Why:   ONNX leaves the order open. ONNX Runtime's kernels for opsets below 19 add up columns first, and a quantized average that lies in the
//        middle between two codes becomes one or the other with the order.
// How:   an attribute of nn.pool, written by the import; only nacre-recognize-quantized reads it.

#ifndef NACRE_DIALECTS_NN_EVALUATE_SUMORDER_H
#define NACRE_DIALECTS_NN_EVALUATE_SUMORDER_H

#include "llvm/ADT/StringRef.h"

namespace nacre::nn {

/// On an average: each column of a window (all cells with one index along the last axis) is added up before the columns are. Without it,
/// cells are added up in row-major order.
inline constexpr llvm::StringLiteral kColumnsFirst = "nn.columns_first";

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_EVALUATE_SUMORDER_H
