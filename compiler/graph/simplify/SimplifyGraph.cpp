// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites operators locally to their simplest form, until no pattern matches. Later passes then need to handle only
// one form of each operator.
//
// 1. Windows.
// 2. Elementwise operators.
// Movement.cpp, IntegerSums.cpp and SumsOfPads.cpp have other patterns, and MovedCodes.h those that move constants.
// Each pattern removes an operator or replaces it by a cheaper one, so the rewriting ends.

#include "compiler/graph/Matching.h"
#include "compiler/graph/MovedCodes.h"
#include "compiler/graph/Passes.h"
#include "compiler/graph/simplify/IntegerSums.h"
#include "compiler/graph/simplify/Movement.h"
#include "compiler/graph/simplify/SumsOfPads.h"

#include "dialects/nn/ConstantData.h"
#include "dialects/nn/shapes/ShapeRules.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include <cmath>

namespace nacre::graph {
#define GEN_PASS_DEF_SIMPLIFYGRAPHPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

using nn::Dims;

bool isAll(Dims values, int64_t value) {
  return llvm::all_of(values, [&](int64_t v) { return v == value; });
}

int64_t getInteger(IntegerAttr attribute) {
  const APInt value = attribute.getValue();
  return attribute.getType().isUnsignedInteger() ? int64_t(value.getZExtValue()) : value.getSExtValue();
}

//===----------------------------------------------------------------------===//
// 1. Windows
//===----------------------------------------------------------------------===//

/// Replaces an average over a whole image by a mean, the form in which global pooling is imported.
struct AverageOfEverything : OpRewritePattern<nn::PoolOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::PoolOp op, PatternRewriter &rewriter) const override {
    Dims shape = op.getInput().getType().getShape();
    Dims spatial = shape.drop_front().drop_back();
    // Cells of a window beyond the image must not count.
    auto coversAll = [&] {
      return llvm::all_of(llvm::zip_equal(op.getKernel(), op.getOverhang(), spatial), [](auto axis) {
        auto [window, overhang, size] = axis;
        return window - overhang == size;
      });
    };
    if (op.getKind() != nn::PoolKind::Average || !coversAll() || !isAll(op.getPads(), 0) ||
        !isAll(op.getDilations(), 1))
      return rewriter.notifyMatchFailure(op, "expected one window over the whole image");
    SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(1, shape.size() - 1));
    rewriter.replaceOpWithNewOp<nn::ReduceOp>(op, nn::ReduceKind::Mean, op.getInput(), axes, /*keep_dims=*/true);
    return success();
  }
};

/// True if `conv` has no padding, or pads with `value`.
bool padsWith(nn::ConvOp conv, Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getValue().isZero();
  const auto padValue = static_cast<int64_t>(conv.getPadValue());
  return getInteger(cast<IntegerAttr>(value)) == padValue || isAll(conv.getPads(), 0);
}

/// Turns zeros that are added before a convolution into its pads. In integer convolutions, any value can become the pad
/// value.
struct PadBeforeConv : OpRewritePattern<nn::ConvOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::ConvOp op, PatternRewriter &rewriter) const override {
    auto pad = op.getInput().getDefiningOp<nn::PadOp>();
    if (!pad || pad.getMode() != nn::PadMode::Constant || !padsWith(op, pad.getValue()))
      return rewriter.notifyMatchFailure(op, "expected what the convolution pads with around the input");
    Dims low = pad.getLow(), high = pad.getHigh();
    auto padsSpace = [](Dims amounts) {
      return amounts.front() == 0 && amounts.back() == 0 && llvm::all_of(amounts, [](int64_t a) { return a >= 0; });
    };
    if (!padsSpace(low) || !padsSpace(high))
      return rewriter.notifyMatchFailure(op, "expected pads of only spatial axes");
    SmallVector<int64_t> pads(op.getPads());
    size_t spatialRank = low.size() - 2;
    for (size_t axis = 0; axis < spatialRank; ++axis) {
      pads[axis] += low[axis + 1];
      pads[spatialRank + axis] += high[axis + 1];
    }
    auto value = dyn_cast<IntegerAttr>(pad.getValue());
    rewriter.replaceOpWithNewOp<nn::ConvOp>(op, pad.getOperand(), op.getFilter(), op.getStrides(), pads,
                                            op.getDilations(), op.getGroups(), value ? getInteger(value) : 0);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// 2. Elementwise
//===----------------------------------------------------------------------===//

/// Removes broadcasts before elementwise operators, which broadcast their operands themselves. The shape of the result
/// must stay the same.
template <typename OpT> struct DropBroadcast : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    for (OpOperand &operand : op->getOpOperands()) {
      auto broadcast = operand.get().template getDefiningOp<nn::BroadcastOp>();
      if (!broadcast)
        continue;
      SmallVector<nn::Dims> shapes;
      for (OpOperand &other : op->getOpOperands()) {
        Value value = &other == &operand ? broadcast.getOperand() : other.get();
        shapes.push_back(cast<RankedTensorType>(value.getType()).getShape());
      }
      llvm::Expected<nn::Shape> shape = nn::broadcastShapes(shapes);
      assert(shape && "what broadcasts after expansion does so before");
      if (nn::Dims(*shape) != op.getType().getShape())
        continue;
      rewriter.modifyOpInPlace(op, [&] { operand.set(broadcast.getOperand()); });
      return success();
    }
    return rewriter.notifyMatchFailure(op, "expected an operand that is expanded for nothing");
  }
};

/// Removes superfluous axes of a constant operand: all axes of a splat, otherwise leading axes of size 1.
template <typename OpT> struct ShrinkConstant : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    // Another operand must determine the shape of the result.
    auto spansResult = [&](Value value) {
      return cast<RankedTensorType>(value.getType()).getShape() == op.getType().getShape();
    };
    for (OpOperand &operand : op->getOpOperands()) {
      ElementsAttr constant = getConstant(operand.get());
      if (!constant || llvm::none_of(op->getOpOperands(),
                                     [&](OpOperand &other) { return &other != &operand && spansResult(other.get()); }))
        continue;
      auto type = cast<RankedTensorType>(constant.getType());
      Dims shape = constant.isSplat() ? Dims() : type.getShape().drop_while([](int64_t dim) { return dim == 1; });
      if (type.getRank() == int64_t(shape.size()))
        continue;
      auto dense = dyn_cast<DenseElementsAttr>(constant);
      ElementsAttr shrunk = dense && dense.isSplat() ? ElementsAttr(dense.resizeSplat(type.clone(shape)))
                                                     : *nn::reshapeConstant(constant, type.clone(shape));
      Value small = nn::ConstantOp::create(rewriter, operand.get().getLoc(), shrunk);
      rewriter.modifyOpInPlace(op, [&] { operand.set(small); });
      return success();
    }
    return rewriter.notifyMatchFailure(op, "expected a constant with superfluous axes");
  }
};

/// Replaces powers by operators that compute them exactly and at much lower cost.
struct SimplePower : OpRewritePattern<nn::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::BinaryOp op, PatternRewriter &rewriter) const override {
    std::optional<double> exponent = getSplat(op.getRhs());
    if (op.getKind() != nn::BinaryKind::Pow || !exponent || op.getType() != op.getLhs().getType())
      return rewriter.notifyMatchFailure(op, "expected a power with one constant exponent");
    if (*exponent == 2) {
      rewriter.replaceOpWithNewOp<nn::BinaryOp>(op, nn::BinaryKind::Mul, op.getLhs(), op.getLhs());
      return success();
    }
    if (!isa<FloatType>(op.getType().getElementType()))
      return rewriter.notifyMatchFailure(op, "expected a float");
    Value base = op.getLhs();
    // pow(x, 0.5) and sqrt(x) differ for -inf and -0.
    if (std::fabs(*exponent) == 0.5 && isNeverNegative(base))
      base = nn::UnaryOp::create(rewriter, op.getLoc(), nn::UnaryKind::Sqrt, base, APFloat(0.0));
    else if (*exponent != -1)
      return rewriter.notifyMatchFailure(
          op, "expected an exponent of 2 or -1, or 1/2 or -1/2 of a base that is never negative");
    if (*exponent < 0)
      base = nn::UnaryOp::create(rewriter, op.getLoc(), nn::UnaryKind::Reciprocal, base, APFloat(0.0));
    rewriter.replaceOp(op, base);
    return success();
  }
};

/// Replaces max(x, 0) by relu. Contractions have relu epilogues, and later passes match relu.
struct MaximumWithZero : OpRewritePattern<nn::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::BinaryOp op, PatternRewriter &rewriter) const override {
    if (op.getKind() != nn::BinaryKind::Max)
      return rewriter.notifyMatchFailure(op, "expected a maximum");
    Value other = getOtherThan(op, 0);
    if (!other || other.getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "expected zero on one side");
    rewriter.replaceOpWithNewOp<nn::UnaryOp>(op, nn::UnaryKind::Relu, other, APFloat(0.0));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct SimplifyGraph : impl::SimplifyGraphPassBase<SimplifyGraph> {
  using SimplifyGraphPassBase::SimplifyGraphPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    addMovement(patterns);
    patterns.add<AverageOfEverything, PadBeforeConv, DropBroadcast<nn::BinaryOp>, DropBroadcast<nn::SelectOp>,
                 ShrinkConstant<nn::BinaryOp>, ShrinkConstant<nn::SelectOp>, SimplePower, MaximumWithZero>(
        &getContext());
    addSumsOfPads(patterns);
    addIntegerSums(patterns);
    addMovedConstants(patterns);
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal().setMaxIterations(GreedyRewriteConfig::kNoLimit);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config))) {
      getOperation().emitError("simplification did not converge");
      signalPassFailure();
    }
  }
};

} // namespace

} // namespace nacre::graph
