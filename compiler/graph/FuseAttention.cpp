// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  matmul(softmax(scale * matmul(q, k) + mask), v) becomes one nn.attention.
// Why:   as one kernel the scores of some rows never leave a core, or a workgroup: no matrix of them in memory, and one launch in
//        place of three.
// How:   up from the second product, through operators that nobody else reads.

#include "compiler/graph/Matching.h"
#include "compiler/graph/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <cmath>

namespace nacre::graph {
#define GEN_PASS_DEF_FUSEATTENTIONPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The scores before the softmax, in pieces.
struct Scores {
  nn::MatMulOp product;
  double scale = 1;
  Value mask; ///< Null where there is none.
};

/// A number that `value` is multiplied by, or divided by, and what remains of it.
std::optional<double> stripScale(Value &value) {
  auto op = value.getDefiningOp<nn::BinaryOp>();
  if (!op || !op->hasOneUse())
    return std::nullopt;
  for (auto [scaled, factor] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())}) {
    std::optional<double> number = getSplat(factor);
    const bool divides = op.getKind() == nn::BinaryKind::Div && factor == op.getRhs();
    if (!number || (op.getKind() != nn::BinaryKind::Mul && !divides) || scaled.getType() != op.getType())
      continue;
    value = scaled;
    return divides ? 1 / *number : *number;
  }
  return std::nullopt;
}

std::optional<Scores> matchScaled(Value value, Value mask) {
  Scores scores{nn::MatMulOp(), 1, mask};
  while (std::optional<double> factor = stripScale(value))
    scores.scale *= *factor;
  scores.product = value.getDefiningOp<nn::MatMulOp>();
  return scores.product && scores.product->hasOneUse() ? std::optional(scores) : std::nullopt;
}

std::optional<Scores> matchScores(Value value) {
  auto sum = getBinary(value, nn::BinaryKind::Add);
  if (!sum || !sum->hasOneUse())
    return matchScaled(value, Value());
  for (auto [scaled, mask] : {std::pair(sum.getLhs(), sum.getRhs()), std::pair(sum.getRhs(), sum.getLhs())})
    if (scaled.getType() == sum.getType())
      if (std::optional<Scores> scores = matchScaled(scaled, mask))
        return scores;
  return std::nullopt;
}

/// The scores that `product` weights its right operand by, and the softmax between; nothing where they are not attention's.
std::optional<Scores> matchAttention(nn::MatMulOp product, int64_t mostKeys) {
  auto softmax = product.getLhs().getDefiningOp<nn::SoftmaxOp>();
  RankedTensorType type = typeOf(product.getLhs());
  if (!softmax || softmax.getLog() || !softmax->hasOneUse() || int64_t(softmax.getAxis()) != type.getRank() - 1)
    return std::nullopt;
  // Values may broadcast the scores to more batches: then each of these would compute them again.
  if (type.getElementType().isF64() || type.getShape().back() > mostKeys ||
      typeOf(product.getResult()).getShape().drop_back() != type.getShape().drop_back())
    return std::nullopt;
  std::optional<Scores> scores = matchScores(softmax.getOperand());
  return scores && std::isfinite(scores->scale) ? scores : std::nullopt;
}

/// Erases `op` and what was computed for it alone.
void eraseIfDead(IRRewriter &rewriter, Operation *op) {
  if (!op || !isOpTriviallyDead(op))
    return;
  SmallVector<Value> operands(op->getOperands());
  rewriter.eraseOp(op);
  for (Value operand : operands)
    eraseIfDead(rewriter, operand.getDefiningOp());
}

struct FuseAttention : impl::FuseAttentionPassBase<FuseAttention> {
  using FuseAttentionPassBase::FuseAttentionPassBase;

  void runOnOperation() override {
    SmallVector<nn::MatMulOp> products;
    getOperation().walk([&](nn::MatMulOp product) { products.push_back(product); });
    IRRewriter rewriter(&getContext());
    for (nn::MatMulOp product : products) {
      std::optional<Scores> scores = matchAttention(product, mostKeys);
      if (!scores)
        continue;
      Operation *softmax = product.getLhs().getDefiningOp();
      rewriter.setInsertionPoint(product);
      rewriter
          .replaceOpWithNewOp<nn::AttentionOp>(product, scores->product.getLhs(), scores->product.getRhs(),
                                               product.getRhs(), scores->mask, APFloat(scores->scale))
          ->setLoc(rewriter.getFusedLoc({scores->product.getLoc(), softmax->getLoc(), product.getLoc()}));
      eraseIfDead(rewriter, softmax);
      ++numFused;
    }
  }
};

} // namespace

} // namespace nacre::graph
