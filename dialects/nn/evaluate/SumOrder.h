// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the order in which an average adds up the elements of its window, if the order can change the result's code.
// Why:   ONNX does not define the order. ONNX Runtime's kernels for opsets below 19 add up columns first. If a
//        quantized average is midway between two codes, the order decides between them.
// How:   the order is an attribute of nn.pool. The import writes it, and only nacre-recognize-quantized reads it.

#ifndef NACRE_DIALECTS_NN_EVALUATE_SUMORDER_H
#define NACRE_DIALECTS_NN_EVALUATE_SUMORDER_H

#include "llvm/ADT/StringRef.h"

namespace nacre::nn {

/// Unit attribute on an average. The elements of each column of the window are added up first, then the columns. A
/// column is an index along the last axis. Without the attribute, elements are added up in row-major order.
inline constexpr llvm::StringLiteral kColumnsFirst = "nn.columns_first";

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_EVALUATE_SUMORDER_H
