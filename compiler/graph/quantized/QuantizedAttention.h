// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuses attention of 8-bit codes while dequantizations and quantizations still state their scales and zero points. For
// integer products, zero points would be separate sums of rows and columns.

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_QUANTIZEDATTENTION_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_QUANTIZEDATTENTION_H

#include "dialects/nn/NnDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace nacre::graph {

/// Fuses `second`, a product of dequantized values and the quantized weights of a softmax, with the softmax and its
/// scores. Queries and weights become unsigned if `unsignedQueries`, and signed otherwise. Adds the locations of both
/// products to `fused`. Returns false if the products have another form. The caller erases unused operators.
bool fuseQuantizedAttention(mlir::RewriterBase &rewriter, nn::MatMulOp second, bool unsignedQueries, int64_t mostKeys,
                            llvm::SmallVectorImpl<mlir::Attribute> &fused);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_QUANTIZEDATTENTION_H
