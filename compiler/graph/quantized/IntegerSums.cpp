// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See IntegerSums.h.

#include "compiler/graph/quantized/IntegerSums.h"

#include "compiler/graph/Matching.h"

using namespace mlir;

namespace nacre::graph {

namespace {

using nn::BinaryKind;

/// A constant, or an operator on constants that nacre-fold-constants computes later.
bool isConstantExpression(Value value, int maxDepth = 4) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<nn::ConstantOp>(op))
    return true;
  return maxDepth > 0 && isa_and_nonnull<nn::BinaryOp, nn::ReduceOp, nn::ReshapeOp, nn::CastOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isConstantExpression(operand, maxDepth - 1); });
}

/// An integer and a constant that is added to it, or subtracted from it.
struct Addition {
  nn::BinaryOp op;
  Value sum, constant;
  bool subtracts;
};

std::optional<Addition> matchAddition(Value value) {
  auto op = value.getDefiningOp<nn::BinaryOp>();
  if (!op || !isa<IntegerType>(op.getType().getElementType()))
    return std::nullopt;
  const bool subtracts = op.getKind() == BinaryKind::Sub;
  if (!subtracts && op.getKind() != BinaryKind::Add)
    return std::nullopt;
  if (op.getLhs().getType() == op.getType() && isConstantExpression(op.getRhs()))
    return Addition{op, op.getLhs(), op.getRhs(), subtracts};
  if (!subtracts && op.getRhs().getType() == op.getType() && isConstantExpression(op.getLhs()))
    return Addition{op, op.getRhs(), op.getLhs(), false};
  return std::nullopt;
}

/// Whether `value` is the sums of an integer contraction.
bool isContraction(Value value) {
  auto known = value.getDefiningOp<nn::OperatorInterface>();
  return known && known.getWorkKind() == nn::WorkKind::Contraction;
}

struct AdditionOfAddition : OpRewritePattern<nn::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::BinaryOp op, PatternRewriter &rewriter) const override {
    std::optional<Addition> outer = matchAddition(op);
    std::optional<Addition> inner = outer ? matchAddition(outer->sum) : std::nullopt;
    if (!inner || !isContraction(inner->sum))
      return rewriter.notifyMatchFailure(op, "expected two constants added to the sums of an integer contraction");
    // Both have the sign of the inner one: ±(a + b) or ±(a - b).
    const BinaryKind kind = inner->subtracts == outer->subtracts ? BinaryKind::Add : BinaryKind::Sub;
    Value both = rewriter.createOrFold<nn::BinaryOp>(op.getLoc(), kind, inner->constant, outer->constant);
    rewriter.replaceOpWithNewOp<nn::BinaryOp>(op, inner->subtracts ? BinaryKind::Sub : BinaryKind::Add, inner->sum, both);
    return success();
  }
};

} // namespace

void addIntegerSums(RewritePatternSet &patterns) { patterns.add<AdditionOfAddition>(patterns.getContext()); }

} // namespace nacre::graph
