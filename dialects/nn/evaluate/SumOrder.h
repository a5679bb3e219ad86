// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the order in which an average adds up the cells of its window, if that decides its code.
// Why:   ONNX leaves the order open. ONNX Runtime's kernels for opsets below 19 add up columns first. If a quantized
//        average is midway between two codes, the order decides which one it becomes.
// How:   an attribute of nn.pool, written by the import; only nacre-recognize-quantized reads it.

#ifndef NACRE_DIALECTS_NN_EVALUATE_SUMORDER_H
#define NACRE_DIALECTS_NN_EVALUATE_SUMORDER_H

#include "llvm/ADT/StringRef.h"

namespace nacre::nn {

/// Unit attribute on an average: cells of a column of the window (one index along the last axis) are added up first,
/// then the columns. Without it, cells are added up in row-major order.
inline constexpr llvm::StringLiteral kColumnsFirst = "nn.columns_first";

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_EVALUATE_SUMORDER_H
