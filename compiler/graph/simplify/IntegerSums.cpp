// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See IntegerSums.h.

#include "compiler/graph/simplify/IntegerSums.h"

#include "compiler/graph/Matching.h"

using namespace mlir;

namespace nacre::graph {

namespace {

using nn::BinaryKind;

/// True for a constant, or an operator on constants that nacre-fold-constants computes later.
bool isConstantExpression(Value value, int maxDepth = 4) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<nn::ConstantOp>(op))
    return true;
  return maxDepth > 0 && isa_and_nonnull<nn::UnaryOp, nn::BinaryOp, nn::ReduceOp, nn::ReshapeOp, nn::CastOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isConstantExpression(operand, maxDepth - 1); });
}

/// Addition or subtraction of a constant to or from an integer tensor.
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

/// True if `value` is the result of a contraction.
bool isContraction(Value value) {
  auto known = value.getDefiningOp<nn::OperatorInterface>();
  return known && known.getWorkKind() == nn::WorkKind::Contraction;
}

/// Replaces subtractions of constants by additions.
struct SubtractionOfConstant : OpRewritePattern<nn::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::BinaryOp op, PatternRewriter &rewriter) const override {
    std::optional<Addition> addition = matchAddition(op);
    if (!addition || !addition->subtracts || !isContraction(addition->sum))
      return rewriter.notifyMatchFailure(op, "expected a constant subtracted from the sums of an integer contraction");
    Value negative =
        rewriter.createOrFold<nn::UnaryOp>(op.getLoc(), nn::UnaryKind::Neg, addition->constant, APFloat(0.0));
    rewriter.replaceOpWithNewOp<nn::BinaryOp>(op, BinaryKind::Add, addition->sum, negative);
    return success();
  }
};

struct AdditionOfAddition : OpRewritePattern<nn::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::BinaryOp op, PatternRewriter &rewriter) const override {
    std::optional<Addition> outer = matchAddition(op);
    std::optional<Addition> inner = outer ? matchAddition(outer->sum) : std::nullopt;
    if (!inner || inner->subtracts || !isContraction(inner->sum))
      return rewriter.notifyMatchFailure(op, "expected two constants added to the sums of an integer contraction");
    const BinaryKind kind = outer->subtracts ? BinaryKind::Sub : BinaryKind::Add;
    Value both = rewriter.createOrFold<nn::BinaryOp>(op.getLoc(), kind, inner->constant, outer->constant);
    rewriter.replaceOpWithNewOp<nn::BinaryOp>(op, BinaryKind::Add, inner->sum, both);
    return success();
  }
};

} // namespace

void addIntegerSums(RewritePatternSet &patterns) {
  patterns.add<SubtractionOfConstant, AdditionOfAddition>(patterns.getContext());
}

} // namespace nacre::graph
