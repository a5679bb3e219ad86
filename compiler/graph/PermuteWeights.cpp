// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces `matmul(reshape(transpose(x)), W)` with a constant W by `matmul(reshape(x), W')`. Otherwise, the transpose
// between the last feature map and the first fully connected layer would run in every inference.
//
// The rows of W are split into the transposed axes, reordered like x, and flattened again. nacre-fold-constants
// computes W'. A quantization or a dequantization of x may be in between.

#include "compiler/graph/Matching.h"
#include "compiler/graph/Passes.h"

#include "dialects/nn/Permutation.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace nacre::graph {
#define GEN_PASS_DEF_PERMUTEWEIGHTSPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

using nn::Dims;
using nn::Permutation;

/// Reorders the rows of `weights` [.., K, N], to match the order before the transpose. K is the flattened axes of
/// `transposed` from `head` on.
Value reorderRows(OpBuilder &builder, Location loc, Value weights, Dims transposed, size_t head, Dims permutation) {
  auto type = cast<RankedTensorType>(weights.getType());
  Dims batch = type.getShape().drop_back(2);
  SmallVector<int64_t> shape(batch);
  llvm::append_range(shape, transposed.drop_front(head));
  shape.push_back(type.getShape().back());

  // Batch axes and columns keep their positions. Row axis i moves back to its position before the transpose.
  Permutation order = nn::identityPermutation(shape.size());
  Permutation back = nn::inverse(permutation);
  for (size_t i = head; i < transposed.size(); ++i)
    order[batch.size() + i - head] = int64_t(batch.size()) + back[i] - int64_t(head);
  Value rows = nn::ReshapeOp::create(builder, loc, type.clone(shape), weights);
  Value reordered = nn::TransposeOp::create(builder, loc, rows, order);
  return nn::ReshapeOp::create(builder, loc, type, reordered);
}

struct PermuteRows : OpRewritePattern<nn::MatMulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::MatMulOp product, PatternRewriter &rewriter) const override {
    SmallVector<Operation *> codings; // Quantizations and dequantizations, from last to first.
    Value lhs = product.getLhs();
    for (; isCodingOfAll(lhs.getDefiningOp()) && lhs.hasOneUse(); lhs = codings.back()->getOperand(0))
      codings.push_back(lhs.getDefiningOp());
    auto reshape = lhs.getDefiningOp<nn::ReshapeOp>();
    if (!reshape)
      return rewriter.notifyMatchFailure(product, "expected a reshape on the left");
    auto transpose = reshape.getOperand().getDefiningOp<nn::TransposeOp>();
    if (!transpose || !isConstant(product.getRhs()))
      return rewriter.notifyMatchFailure(product, "expected a transpose before the reshape and constant weights");
    // If the transpose had another use, it would remain, so copied weights would save nothing.
    if (!reshape->hasOneUse() || !transpose->hasOneUse())
      return rewriter.notifyMatchFailure(product, "expected one use");
    Dims transposed = transpose.getType().getShape();
    std::optional<size_t> head =
        nn::findFlattenedTail(transposed, reshape.getType().getShape(), transpose.getPermutation());
    if (!head)
      return rewriter.notifyMatchFailure(product, "expected only the summed axis to be reordered");

    Value weights =
        reorderRows(rewriter, product.getLoc(), product.getRhs(), transposed, *head, transpose.getPermutation());
    Value flat = nn::ReshapeOp::create(rewriter, reshape.getLoc(), reshape.getType(), transpose.getOperand());
    for (Operation *coding : llvm::reverse(codings)) {
      IRMapping mapping;
      mapping.map(coding->getOperand(0), flat);
      flat = rewriter.clone(*coding, mapping)->getResult(0);
    }
    rewriter.replaceOpWithNewOp<nn::MatMulOp>(product, flat, weights);
    return success();
  }
};

struct PermuteWeights : impl::PermuteWeightsPassBase<PermuteWeights> {
  using PermuteWeightsPassBase::PermuteWeightsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<PermuteRows>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace

} // namespace nacre::graph
