// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  `matmul(reshape(transpose(x)), W)` with a constant W becomes `matmul(reshape(x), W')`.
// Why:   the transpose between the last feature map and the first fully connected layer would run on the device, for an
//        order that the weights can have from the start.
// How:   W's rows are seen as the transposed axes, put into x's order, and flattened again; nacre-fold-constants
//        computes it. A quantization of x, or its end, may be in between.

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

/// `weights` [.., K, N] of a K that is `transposed[head..]` flattened, put into the order that the axes had before.
Value reorderRows(OpBuilder &builder, Location loc, Value weights, Dims transposed, size_t head, Dims permutation) {
  auto type = cast<RankedTensorType>(weights.getType());
  Dims batch = type.getShape().drop_back(2);
  SmallVector<int64_t> shape(batch);
  llvm::append_range(shape, transposed.drop_front(head));
  shape.push_back(type.getShape().back());

  // Axes of the batch and the columns stay; row axis i goes back to where the transpose took it from.
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
    SmallVector<Operation *> codings; // the last one first
    Value lhs = product.getLhs();
    for (; isCodingOfAll(lhs.getDefiningOp()) && lhs.hasOneUse(); lhs = codings.back()->getOperand(0))
      codings.push_back(lhs.getDefiningOp());
    auto reshape = lhs.getDefiningOp<nn::ReshapeOp>();
    if (!reshape)
      return rewriter.notifyMatchFailure(product, "expected a reshape on the left");
    auto transpose = reshape.getOperand().getDefiningOp<nn::TransposeOp>();
    if (!transpose || !isConstant(product.getRhs()))
      return rewriter.notifyMatchFailure(product, "expected a transpose before the reshape and constant weights");
    // Another use would keep the transpose alive, and the weights would be copied for nothing.
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
