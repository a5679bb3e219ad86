// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MovedQuantizations.h.

#include "compiler/graph/quantized/MovedQuantizations.h"

#include "compiler/graph/Matching.h"
#include "compiler/graph/MovedCodes.h"
#include "dialects/nn/NnDialect.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nacre::graph {

namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// 1. Quantizations
//===----------------------------------------------------------------------===//

/// The operands whose elements, each at least once, are the result's; empty if `op` does anything else.
OperandRange getWhollyMoved(Operation *op) {
  return llvm::TypeSwitch<Operation *, OperandRange>(op)
      .Case<nn::ReshapeOp, nn::TransposeOp, nn::BroadcastOp, nn::ConcatOp, nn::InterleaveOp>(
          [](Operation *moving) { return moving->getOperands(); })
      .Case([](nn::PoolOp pool) { return pool->getOperands().take_front(pool.getKind() == nn::PoolKind::Max); })
      .Default([](Operation *other) { return other->getOperands().take_front(0); });
}

/// Rounding keeps the order of numbers, so that the largest of a window may be selected later.
struct QuantizeOfMoved : OpRewritePattern<nn::QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::QuantizeOp op, PatternRewriter &rewriter) const override {
    Operation *moving = op.getOperand().getDefiningOp();
    std::optional<double> scale = getSplat(op.getScale());
    if (!moving || !moving->hasOneUse() || !op.isPerTensor() || !scale || !(*scale > 0))
      return rewriter.notifyMatchFailure(op, "expected a movement that nothing else reads, and one constant scale");
    OperandRange moved = getWhollyMoved(moving);
    // A kernel that transposes the model's input rounds it, too.
    if (moved.empty() || llvm::any_of(moved, llvm::IsaPred<BlockArgument>))
      return rewriter.notifyMatchFailure(op, "expected a movement of values that the model computes");
    Type code = op.getType().getElementType();
    if (isa<FloatType>(code) && isa<nn::InterleaveOp, nn::PoolOp>(moving))
      return rewriter.notifyMatchFailure(op, "expected integers for this movement");
    IRMapping mapping;
    for (Value value : moved)
      if (!mapping.contains(value))
        mapping.map(value, nn::QuantizeOp::create(rewriter, op.getLoc(), typeOf(value).clone(code), value,
                                                  op.getScale(), op.getZero(), 0, 0, op.getOverflows()));
    Operation *movement = rewriter.clone(*moving, mapping);
    movement->getResult(0).setType(op.getType());
    rewriter.replaceOp(op, movement);
    return success();
  }
};

/// Of the model's input: so that one kernel transposes and rounds.
struct TransposeOfQuantizedInput : OpRewritePattern<nn::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::TransposeOp op, PatternRewriter &rewriter) const override {
    auto quantize = op.getOperand().getDefiningOp<nn::QuantizeOp>();
    if (!quantize || !quantize->hasOneUse() || !quantize.isPerTensor() || !isa<BlockArgument>(quantize.getOperand()))
      return rewriter.notifyMatchFailure(op, "expected the model's quantized input, used once");
    Value turned = nn::TransposeOp::create(rewriter, op.getLoc(), quantize.getOperand(), op.getPermutation());
    rewriter.replaceOpWithNewOp<nn::QuantizeOp>(op, op.getType(), turned, quantize.getScale(), quantize.getZero(), 0, 0,
                                                quantize.getOverflows());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// 2. Dequantizations
//===----------------------------------------------------------------------===//

template <typename OpT> struct MovementOfDequantized : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    nn::DequantizeOp codes = findCodes(op.getResult());
    if (!codes)
      return rewriter.notifyMatchFailure(op, "expected moved reals of codes with one scale");
    Value moved = moveCodes(rewriter, op.getResult());
    rewriter.replaceOpWithNewOp<nn::DequantizeOp>(op, moved, codes.getScale(), codes.getZero(), 0, 0);
    return success();
  }
};

} // namespace

void addMovedQuantizations(RewritePatternSet &patterns) {
  patterns.add<QuantizeOfMoved, TransposeOfQuantizedInput, MovementOfDequantized<nn::PoolOp>,
               MovementOfDequantized<nn::TransposeOp>, MovementOfDequantized<nn::ConcatOp>,
               MovementOfDequantized<nn::PadOp>, MovementOfDequantized<nn::ResampleOp>,
               MovementOfDequantized<nn::SliceOp>, MovementOfDequantized<nn::GatherOp>>(patterns.getContext());
}

} // namespace nacre::graph
