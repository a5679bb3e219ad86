// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds attention of 8-bit codes: two integer products with zero points, and codes of a softmax between them. Models
// express zero points by adding sums of rows and columns to a product. Each would be a launch of its own, although the
// kernel of attention reads these rows and columns anyway.
//
// 1. The terms of a sum with a product are read as a linear form of numbers and of sums of its operands.
// 2. Codes of the weights are traced back to the softmax.

#ifndef NACRE_COMPILER_GRAPH_ATTENTION_ATTENTIONOFCODES_H
#define NACRE_COMPILER_GRAPH_ATTENTION_ATTENTIONOFCODES_H

#include "dialects/nn/NnDialect.h"
#include <optional>

namespace nacre::graph {

/// Sums of products of codes, each less its zero point.
struct CentredProduct {
  nn::MatMulOp product;
  mlir::Value sums; ///< The product with all its addends.
  int64_t leftZero = 0, rightZero = 0;
};

/// Returns the product and zero points of `sums`, i32 values, if they have this form.
std::optional<CentredProduct> matchCentredSums(mlir::Value sums);
/// Returns the same for `product`, whose addends it searches.
std::optional<CentredProduct> matchCentredProduct(nn::MatMulOp product);

/// Softmax that is quantized to 8-bit codes.
struct CodedWeights {
  nn::SoftmaxOp softmax;
  double scale = 1;
  int64_t zero = 0;
};

std::optional<CodedWeights> matchCodedWeights(mlir::Value codes);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_ATTENTION_ATTENTIONOFCODES_H
