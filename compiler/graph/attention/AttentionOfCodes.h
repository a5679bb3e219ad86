// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  finds attention of 8-bit codes: two integer products with zero points, and codes of a softmax between them.
// Why:   zero points are spelled as sums of rows and columns beside a product. Each would be a launch of its own, though attention's
//        kernel has these rows and columns at hand.
// How:   1. what is added to a product is read as a linear form: numbers, and sums of its operands; 2. codes of the weights, up to the
//        softmax.

#ifndef NACRE_COMPILER_GRAPH_ATTENTION_ATTENTIONOFCODES_H
#define NACRE_COMPILER_GRAPH_ATTENTION_ATTENTIONOFCODES_H

#include "dialects/nn/NnDialect.h"
#include <optional>

namespace nacre::graph {

/// Sums of products of codes less their zero points.
struct CentredProduct {
  nn::MatMulOp product;
  mlir::Value sums; ///< What it is with all that is added to it.
  int64_t leftZero = 0, rightZero = 0;
};

/// What `sums`, of i32, are if they are so.
std::optional<CentredProduct> matchCentredSums(mlir::Value sums);
/// The same, from the product on.
std::optional<CentredProduct> matchCentredProduct(nn::MatMulOp product);

/// 8-bit codes of a softmax.
struct CodedWeights {
  nn::SoftmaxOp softmax;
  double scale = 1;
  int64_t zero = 0;
};

std::optional<CodedWeights> matchCodedWeights(mlir::Value codes);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_ATTENTION_ATTENTIONOFCODES_H
