// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MovedQuantizations.h.

#include "compiler/graph/quantized/MovedQuantizations.h"

#include "compiler/graph/Matching.h"
#include "compiler/graph/MovedCodes.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/NnDialect.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nacre::graph {

namespace {

//===----------------------------------------------------------------------===//
// 1. Quantizations
//===----------------------------------------------------------------------===//

/// Returns the operands of `op` if each of their elements occurs at least once in the result, and nothing else does.
/// Returns no operands for other operators.
OperandRange getWhollyMoved(Operation *op) {
  return llvm::TypeSwitch<Operation *, OperandRange>(op)
      .Case<nn::ReshapeOp, nn::TransposeOp, nn::BroadcastOp, nn::ConcatOp, nn::InterleaveOp>(
          [](Operation *moving) { return moving->getOperands(); })
      .Case([](nn::PoolOp pool) { return pool->getOperands().take_front(pool.getKind() == nn::PoolKind::Max); })
      .Default([](Operation *other) { return other->getOperands().take_front(0); });
}

/// Value, and the bounds by splat constants that are applied to it. The last bound comes first in the list.
struct Bounded {
  SmallVector<Operation *> bounds;
  Value value;
};

Bounded findBounded(Value value) {
  Bounded bounded{{}, value};
  while (Operation *op = bounded.value.getDefiningOp()) {
    auto unary = dyn_cast<nn::UnaryOp>(op);
    auto binary = dyn_cast<nn::BinaryOp>(op);
    const bool isRelu = unary && unary.getKind() == nn::UnaryKind::Relu;
    const bool isBound = binary && (binary.getKind() == nn::BinaryKind::Min || binary.getKind() == nn::BinaryKind::Max);
    if (!op->hasOneUse() || !(isRelu || (isBound && typeOf(binary.getRhs()).getRank() == 0)))
      break;
    bounded.bounds.push_back(op);
    bounded.value = op->getOperand(0);
  }
  return bounded;
}

/// Moves a quantization to before movement. Rounding preserves the order of values, so a maximum may be selected from
/// codes. Bounds of a concat become bounds of its parts, and each part gets its own quantization.
struct QuantizeOfMoved : OpRewritePattern<nn::QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::QuantizeOp op, PatternRewriter &rewriter) const override {
    const Bounded bounded = findBounded(op.getOperand());
    Operation *moving = bounded.value.getDefiningOp();
    std::optional<double> scale = getSplat(op.getScale());
    if (!moving || !moving->hasOneUse() || !op.isPerTensor() || !scale || !(*scale > 0))
      return rewriter.notifyMatchFailure(op, "expected a movement that nothing else reads, and one constant scale");
    OperandRange moved = getWhollyMoved(moving);
    // Inputs of the model are excluded, because the kernel that transposes an input also quantizes it.
    if (moved.empty() || llvm::any_of(moved, llvm::IsaPred<BlockArgument>))
      return rewriter.notifyMatchFailure(op, "expected a movement of values that the model computes");
    Type code = op.getType().getElementType();
    if (isa<FloatType>(code) && isa<nn::InterleaveOp, nn::PoolOp>(moving))
      return rewriter.notifyMatchFailure(op, "expected integers for this movement");
    if (!bounded.bounds.empty() && !isa<nn::ConcatOp>(moving))
      return rewriter.notifyMatchFailure(op, "expected bounds of a concat");
    IRMapping mapping;
    for (Value value : moved)
      if (!mapping.contains(value))
        mapping.map(value, nn::QuantizeOp::create(rewriter, op.getLoc(), typeOf(value).clone(code),
                                                  bound(rewriter, value, bounded.bounds), op.getScale(), op.getZero(),
                                                  0, 0, op.getOverflows()));
    Operation *movement = rewriter.clone(*moving, mapping);
    movement->getResult(0).setType(op.getType());
    rewriter.replaceOp(op, movement);
    return success();
  }

private:
  /// Applies the operators `bounds` to `value`, from the last one in the list to the first one.
  static Value bound(OpBuilder &builder, Value value, ArrayRef<Operation *> bounds) {
    for (Operation *op : llvm::reverse(bounds)) {
      IRMapping mapping;
      mapping.map(op->getOperand(0), value);
      Operation *applied = builder.clone(*op, mapping);
      applied->getResult(0).setType(typeOf(value));
      value = applied->getResult(0);
    }
    return value;
  }
};

/// Moves a transpose to before the quantization of a model's input, so that one kernel does both.
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

/// Returns the operands whose elements `op` moves without adding others. Returns no operands for other operators.
OperandRange getMoved(Operation *op) {
  return llvm::TypeSwitch<Operation *, OperandRange>(op)
      .Case<nn::SliceOp, nn::GatherOp>([](Operation *moving) { return moving->getOperands().take_front(); })
      .Case([](nn::ResampleOp resample) { return resample->getOperands().take_front(resample.keepsSplats()); })
      .Default([](Operation *other) { return getWhollyMoved(other); });
}

/// Moves a dequantization to after data movement, even if the dequantized values have other readers.
template <typename OpT> struct MovementOfDequantized : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    OperandRange moved = getMoved(op);
    nn::DequantizeOp first;
    IRMapping mapping;
    for (Value value : moved) {
      auto codes = value.getDefiningOp<nn::DequantizeOp>();
      if (!codes || !findCodes(value) || !isOfBytes(codes))
        return rewriter.notifyMatchFailure(op, "expected dequantized integers with one constant scale");
      if (!first)
        first = codes;
      if (!isSameNumber(codes.getScale(), first.getScale()) || !isSameNumber(codes.getZero(), first.getZero()))
        return rewriter.notifyMatchFailure(op, "expected the same scale and zero point of all operands");
      mapping.map(value, codes.getOperand());
    }
    if (!first)
      return rewriter.notifyMatchFailure(op, "expected a movement");
    Operation *movement = rewriter.clone(*op.getOperation(), mapping);
    movement->getResult(0).setType(typeOf(op.getResult()).clone(typeOf(first.getOperand()).getElementType()));
    rewriter.replaceOpWithNewOp<nn::DequantizeOp>(op, movement->getResult(0), first.getScale(), first.getZero(), 0, 0);
    return success();
  }

private:
  /// True if each code takes a whole byte or more. All operators support such codes.
  static bool isOfBytes(nn::DequantizeOp codes) {
    const unsigned width = typeOf(codes.getOperand()).getElementTypeBitWidth();
    return isa<IntegerType>(typeOf(codes.getOperand()).getElementType()) && (width == 8 || width == 16);
  }
};

/// Moves a dequantization to after a pad. moveCodes() finds the code with which the pad then fills.
struct PadOfDequantized : OpRewritePattern<nn::PadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::PadOp op, PatternRewriter &rewriter) const override {
    nn::DequantizeOp codes = findCodes(op.getResult());
    if (!codes)
      return rewriter.notifyMatchFailure(op, "expected padded reals of codes with one scale");
    Value moved = moveCodes(rewriter, op.getResult());
    rewriter.replaceOpWithNewOp<nn::DequantizeOp>(op, moved, codes.getScale(), codes.getZero(), 0, 0);
    return success();
  }
};

} // namespace

void addMovedQuantizations(RewritePatternSet &patterns) {
  patterns.add<QuantizeOfMoved, TransposeOfQuantizedInput, PadOfDequantized, MovementOfDequantized<nn::ReshapeOp>,
               MovementOfDequantized<nn::TransposeOp>, MovementOfDequantized<nn::BroadcastOp>,
               MovementOfDequantized<nn::ConcatOp>, MovementOfDequantized<nn::InterleaveOp>,
               MovementOfDequantized<nn::PoolOp>, MovementOfDequantized<nn::SliceOp>,
               MovementOfDequantized<nn::GatherOp>, MovementOfDequantized<nn::ResampleOp>>(patterns.getContext());
}

} // namespace nacre::graph
