// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds attention of 8-bit codes: two integer products with zero points, and codes of a softmax between them. Models
// express zero points by sums of rows and columns that are added to a product. Each sum would be a separate launch,
// although the kernel of attention reads these rows and columns anyway.
//
// 1. A product and its addends are read as a linear form: constants, and sums of rows and columns of its operands.
// 2. Codes of the weights are traced back to the softmax.

#ifndef NACRE_COMPILER_GRAPH_ATTENTION_ATTENTIONOFCODES_H
#define NACRE_COMPILER_GRAPH_ATTENTION_ATTENTIONOFCODES_H

#include "dialects/nn/NnDialect.h"
#include <optional>

namespace nacre::graph {

/// Sums of products of codes, after the zero point is subtracted from each code.
struct CentredProduct {
  nn::MatMulOp product;
  mlir::Value sums; ///< Result of adding all addends to the product.
  int64_t leftZero = 0, rightZero = 0;
};

/// Returns the product and zero points of `sums`, i32 values. Returns `nullopt` if `sums` has another form.
std::optional<CentredProduct> matchCentredSums(mlir::Value sums);
/// Returns the zero points of `product`, after a search for its addends. Returns `nullopt` if they have another form.
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
