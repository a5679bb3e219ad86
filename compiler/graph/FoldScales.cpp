// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds scales into weights: contraction * s becomes a contraction with weights * s. (contraction + b) * s becomes this
// contraction + b * s. Batch normalization then costs nothing at run time.
//
// 1. Divisions by constants become factors, and subtractions of constants become addends.
// 2. Factors move over addends into the weights. Adjacent addends are merged.
// Operators on constants express the new weights. nacre-fold-constants computes them once for a whole chain of factors.

#include "compiler/graph/Matching.h"
#include "compiler/graph/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace nacre::graph {
#define GEN_PASS_DEF_FOLDSCALESPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

using nn::BinaryKind;

/// Limit of the elements of shared weights that are copied for one of the operators that share them.
constexpr int64_t maxSharedElements = 256 * 1024;

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// True for a constant, or an expression that this pass built from constants. `maxDepth` covers the longest chains of
/// factors that exporters write, and keeps the check fast after long chains of activations.
bool isConstantExpression(Value value, int maxDepth = 8) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<nn::ConstantOp>(op))
    return true;
  return maxDepth > 0 && isa_and_nonnull<nn::BinaryOp, nn::UnaryOp, nn::ReshapeOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isConstantExpression(operand, maxDepth - 1); });
}

/// True if `value` is a constant with one element per channel (the last axis) of `type`, or with only one element.
bool isPerChannel(Value value, RankedTensorType type) {
  if (!isConstantExpression(value) || !isa<FloatType>(type.getElementType()))
    return false;
  auto own = cast<RankedTensorType>(value.getType());
  ArrayRef<int64_t> shape = own.getShape();
  if (own.getRank() > type.getRank() || type.getRank() == 0)
    return false;
  return shape.empty() || (llvm::all_of(shape.drop_back(), [](int64_t dim) { return dim == 1; }) &&
                           (shape.back() == 1 || shape.back() == type.getShape().back()));
}

/// Returns the constant weights of the contraction `value`, if this pass may change them. Otherwise, returns null.
OpOperand *getWeights(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<nn::ConvOp, nn::ConvTransposeOp, nn::MatMulOp>(op) || !op->hasOneUse())
    return nullptr;
  OpOperand &weights = op->getOpOperand(1);
  auto type = cast<RankedTensorType>(weights.get().getType());
  bool fits = weights.get().hasOneUse() || type.getNumElements() <= maxSharedElements;
  return isConstantExpression(weights.get()) && fits ? &weights : nullptr;
}

/// Returns the other operand and the constant operand of `op`, which is commutative. Returns `nullopt` if no operand is
/// constant.
std::optional<std::pair<Value, Value>> splitOffConstant(nn::BinaryOp op) {
  if (isPerChannel(op.getRhs(), op.getType()) && op.getLhs().getType() == op.getType())
    return std::pair<Value, Value>(op.getLhs(), op.getRhs());
  if (isPerChannel(op.getLhs(), op.getType()) && op.getRhs().getType() == op.getType())
    return std::pair<Value, Value>(op.getRhs(), op.getLhs());
  return std::nullopt;
}

/// Returns a contraction and the constant that is added to it, if `value` is their sum. The contraction's weights must
/// be changeable, and the sum must have one use.
std::optional<std::pair<Value, Value>> matchBiased(Value value) {
  auto sum = getBinary(value, BinaryKind::Add);
  if (!sum || !sum->hasOneUse())
    return std::nullopt;
  std::optional<std::pair<Value, Value>> parts = splitOffConstant(sum);
  if (!parts || !getWeights(parts->first))
    return std::nullopt;
  return parts;
}

/// Returns the constant without its leading axes of size 1, so that it broadcasts to weights of any rank.
Value flatten(OpBuilder &builder, Location loc, Value perChannel) {
  auto type = cast<RankedTensorType>(perChannel.getType());
  return builder.createOrFold<nn::ReshapeOp>(loc, type.clone({type.getNumElements()}), perChannel);
}

Value combine(OpBuilder &builder, Location loc, BinaryKind kind, Value a, Value b) {
  return builder.createOrFold<nn::BinaryOp>(loc, kind, flatten(builder, loc, a), flatten(builder, loc, b));
}

//===----------------------------------------------------------------------===//
// 1. Normal form
//===----------------------------------------------------------------------===//

struct InverseOfConstant : OpRewritePattern<nn::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::BinaryOp op, PatternRewriter &rewriter) const override {
    bool divides = op.getKind() == BinaryKind::Div;
    if ((!divides && op.getKind() != BinaryKind::Sub) || !isPerChannel(op.getRhs(), op.getType()) ||
        op.getLhs().getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "expected a division by, or subtraction of, a constant");
    // Other divisions stay, because multiplication by a reciprocal rounds once more.
    if (!getWeights(op.getLhs()) && !matchBiased(op.getLhs()))
      return rewriter.notifyMatchFailure(op, "expected a contraction with constant weights");
    Value inverse = rewriter.createOrFold<nn::UnaryOp>(
        op.getLoc(), divides ? nn::UnaryKind::Reciprocal : nn::UnaryKind::Neg, op.getRhs(), APFloat(0.0));
    rewriter.replaceOpWithNewOp<nn::BinaryOp>(op, divides ? BinaryKind::Mul : BinaryKind::Add, op.getLhs(), inverse);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// 2. Factors and addends
//===----------------------------------------------------------------------===//

struct ScaleOfContraction : OpRewritePattern<nn::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::BinaryOp op, PatternRewriter &rewriter) const override {
    std::optional<std::pair<Value, Value>> parts;
    if (op.getKind() == BinaryKind::Mul)
      parts = splitOffConstant(op);
    if (!parts)
      return rewriter.notifyMatchFailure(op, "expected a constant factor for each channel");
    auto [scaled, factor] = *parts;
    Value bias;
    if (std::optional<std::pair<Value, Value>> biased = matchBiased(scaled))
      std::tie(scaled, bias) = *biased;
    OpOperand *weights = getWeights(scaled);
    if (!weights)
      return rewriter.notifyMatchFailure(op, "expected a contraction with constant weights, used once");

    Operation *contraction = scaled.getDefiningOp();
    rewriter.setInsertionPoint(op);
    Value newWeights = nn::BinaryOp::create(rewriter, op.getLoc(), BinaryKind::Mul, weights->get(),
                                            flatten(rewriter, op.getLoc(), factor));
    IRMapping mapping;
    mapping.map(weights->get(), newWeights);
    Value result = rewriter.clone(*contraction, mapping)->getResult(0);
    if (!bias) {
      rewriter.replaceOp(op, result);
      return success();
    }
    Value newBias = combine(rewriter, op.getLoc(), BinaryKind::Mul, bias, factor);
    rewriter.replaceOpWithNewOp<nn::BinaryOp>(op, BinaryKind::Add, result, newBias);
    return success();
  }
};

struct AddendOfBiased : OpRewritePattern<nn::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::BinaryOp op, PatternRewriter &rewriter) const override {
    std::optional<std::pair<Value, Value>> parts;
    if (op.getKind() == BinaryKind::Add)
      parts = splitOffConstant(op);
    std::optional<std::pair<Value, Value>> biased = parts ? matchBiased(parts->first) : std::nullopt;
    if (!biased)
      return rewriter.notifyMatchFailure(op, "expected two constant addends after a contraction");
    Value sum = combine(rewriter, op.getLoc(), BinaryKind::Add, biased->second, parts->second);
    rewriter.replaceOpWithNewOp<nn::BinaryOp>(op, BinaryKind::Add, biased->first, sum);
    return success();
  }
};

struct FoldScales : impl::FoldScalesPassBase<FoldScales> {
  using FoldScalesPassBase::FoldScalesPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<InverseOfConstant, ScaleOfContraction, AddendOfBiased>(&getContext());
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal().setMaxIterations(GreedyRewriteConfig::kNoLimit);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config))) {
      getOperation().emitError("folding of scales did not converge");
      signalPassFailure();
    }
  }
};

} // namespace

} // namespace nacre::graph
