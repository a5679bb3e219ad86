// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes layer normalization, exact GELU, softmax and dilated convolutions that are composed of other operators. A
// row kernel reads its row once, but the single operators would read it five times. A dilated convolution moves no
// data.
//
// Each pattern begins at the last operator and follows operands. The other operators are erased if they have no other
// users. Products are flattened to lists of factors first, because exporters associate them in all ways.

#include "compiler/graph/Matching.h"
#include "compiler/graph/Passes.h"
#include "dialects/TensorTypes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include <cmath>

namespace nacre::graph {
#define GEN_PASS_DEF_RECOGNIZECOMPOSITESPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

using nn::BinaryKind;
using nn::UnaryKind;

/// Returns the reduction that computes `value`, if it is of `kind` and keeps the reduced axes, or null.
nn::ReduceOp getReduction(Value value, nn::ReduceKind kind) {
  auto op = value.getDefiningOp<nn::ReduceOp>();
  return op && op.getKind() == kind && op.getKeepDims() ? op : nn::ReduceOp();
}

/// Returns numerator and denominator, if `op` is a quotient or a product with a reciprocal.
std::optional<std::pair<Value, Value>> getQuotient(nn::BinaryOp op) {
  if (op.getKind() == BinaryKind::Div)
    return std::pair<Value, Value>(op.getLhs(), op.getRhs());
  if (op.getKind() != BinaryKind::Mul)
    return std::nullopt;
  if (auto reciprocal = getUnary(op.getRhs(), UnaryKind::Reciprocal))
    return std::pair<Value, Value>(op.getLhs(), reciprocal.getOperand());
  if (auto reciprocal = getUnary(op.getLhs(), UnaryKind::Reciprocal))
    return std::pair<Value, Value>(op.getRhs(), reciprocal.getOperand());
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Layer normalization: d / sqrt(mean(d * d) + epsilon) with d = x - mean(x)
//===----------------------------------------------------------------------===//

/// Returns the x of `x - mean(x)`, and the reduction that computes the mean. Returns `nullopt` if `value` has another
/// form.
std::optional<std::pair<Value, nn::ReduceOp>> matchCentered(Value value) {
  auto difference = getBinary(value, BinaryKind::Sub);
  if (!difference)
    return std::nullopt;
  auto mean = getReduction(difference.getRhs(), nn::ReduceKind::Mean);
  if (!mean || mean.getOperand() != difference.getLhs())
    return std::nullopt;
  return std::pair<Value, nn::ReduceOp>(difference.getLhs(), mean);
}

/// True if `value` is the mean of the square of `centered` over `axes`.
bool isVariance(Value value, Value centered, ArrayRef<int64_t> axes) {
  auto mean = getReduction(value, nn::ReduceKind::Mean);
  if (!mean || mean.getAxes() != axes)
    return false;
  if (auto square = getBinary(mean.getOperand(), BinaryKind::Mul))
    return square.getLhs() == centered && square.getRhs() == centered;
  auto power = getBinary(mean.getOperand(), BinaryKind::Pow);
  return power && power.getLhs() == centered && isSplatOf(power.getRhs(), 2);
}

struct LayerNormalization : OpRewritePattern<nn::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::BinaryOp op, PatternRewriter &rewriter) const override {
    std::optional<std::pair<Value, Value>> quotient = getQuotient(op);
    if (!quotient)
      return rewriter.notifyMatchFailure(op, "expected a quotient");
    auto root = getUnary(quotient->second, UnaryKind::Sqrt);
    auto sum = root ? getBinary(root.getOperand(), BinaryKind::Add) : nn::BinaryOp();
    std::optional<std::pair<Value, nn::ReduceOp>> centered = matchCentered(quotient->first);
    if (!sum || !centered || !isa<FloatType>(op.getType().getElementType()))
      return rewriter.notifyMatchFailure(op, "expected (x - mean) / sqrt(.. + ..)");
    for (auto [variance, epsilon] : {std::pair(sum.getLhs(), sum.getRhs()), std::pair(sum.getRhs(), sum.getLhs())}) {
      std::optional<double> number = getSplat(epsilon);
      if (!number || !isVariance(variance, quotient->first, centered->second.getAxes()))
        continue;
      rewriter.replaceOpWithNewOp<nn::NormalizeOp>(op, centered->first, centered->second.getAxes(), APFloat(*number));
      return success();
    }
    return rewriter.notifyMatchFailure(op, "expected the variance and a constant under the root");
  }
};

//===----------------------------------------------------------------------===//
// GELU: x / 2 * (1 + erf(x / sqrt(2)))
//===----------------------------------------------------------------------===//

/// Factors of a product: the product of all constants, and the other factors in no particular order.
struct Product {
  double number = 1;
  SmallVector<Value> values;
};

void collectFactors(Value value, Product &product, int depth = 0) {
  // Only products of three factors can match, so deeper ones are not followed.
  constexpr int maxDepth = 4;
  auto op = value.getDefiningOp<nn::BinaryOp>();
  if (op && depth < maxDepth && op.getKind() == BinaryKind::Mul) {
    for (Value factor : {op.getLhs(), op.getRhs()}) {
      if (std::optional<double> number = getSplat(factor))
        product.number *= *number;
      else
        collectFactors(factor, product, depth + 1);
    }
    return;
  }
  if (op && depth < maxDepth && op.getKind() == BinaryKind::Div)
    if (std::optional<double> number = getSplat(op.getRhs())) {
      product.number /= *number;
      return collectFactors(op.getLhs(), product, depth + 1);
    }
  product.values.push_back(value);
}

/// Returns the y if `value` is `1 + erf(y)`, or null.
Value matchErfPlusOne(Value value) {
  auto sum = getBinary(value, BinaryKind::Add);
  Value other = sum ? getOtherThan(sum, 1) : Value();
  auto erf = other ? getUnary(other, UnaryKind::Erf) : nn::UnaryOp();
  return erf ? Value(erf.getOperand()) : Value();
}

bool isNear(double a, double b) { return std::fabs(a - b) <= std::fabs(b) / 1024; }

struct Gelu : OpRewritePattern<nn::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::BinaryOp op, PatternRewriter &rewriter) const override {
    if (op.getKind() != BinaryKind::Mul && op.getKind() != BinaryKind::Div)
      return rewriter.notifyMatchFailure(op, "expected a product");
    Product product;
    collectFactors(op, product);
    if (product.values.size() != 2 || !isNear(product.number, 0.5))
      return rewriter.notifyMatchFailure(op, "expected half a product of two values");
    for (auto [x, gate] :
         {std::pair(product.values[0], product.values[1]), std::pair(product.values[1], product.values[0])}) {
      Value argument = matchErfPlusOne(gate);
      if (!argument || x.getType() != op.getType())
        continue;
      Product inner;
      collectFactors(argument, inner);
      if (inner.values.size() != 1 || inner.values[0] != x || !isNear(inner.number, 1 / std::sqrt(2.0)))
        continue;
      rewriter.replaceOpWithNewOp<nn::UnaryOp>(op, UnaryKind::Gelu, x, APFloat(0.0));
      return success();
    }
    return rewriter.notifyMatchFailure(op, "expected 1 + erf(x / sqrt(2)) times x");
  }
};

//===----------------------------------------------------------------------===//
// Softmax: e / sum(e) with e = exp(x) or exp(x - max(x))
//===----------------------------------------------------------------------===//

struct Softmax : OpRewritePattern<nn::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::BinaryOp op, PatternRewriter &rewriter) const override {
    std::optional<std::pair<Value, Value>> quotient = getQuotient(op);
    auto exponential = quotient ? getUnary(quotient->first, UnaryKind::Exp) : nn::UnaryOp();
    auto sum = quotient ? getReduction(quotient->second, nn::ReduceKind::Sum) : nn::ReduceOp();
    if (!exponential || !sum || sum.getOperand() != quotient->first || sum.getAxes().size() != 1)
      return rewriter.notifyMatchFailure(op, "expected exp(x) / sum(exp(x)) along one axis");
    Value x = exponential.getOperand();
    // nn.softmax subtracts the maximum. If the model does not, the result is the same, except that it cannot overflow.
    if (auto shifted = getBinary(x, BinaryKind::Sub)) {
      auto largest = getReduction(shifted.getRhs(), nn::ReduceKind::Max);
      if (largest && largest.getOperand() == shifted.getLhs() && largest.getAxes() == sum.getAxes())
        x = shifted.getLhs();
    }
    rewriter.replaceOpWithNewOp<nn::SoftmaxOp>(op, x, sum.getAxes().front(), /*log=*/false);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Dilated convolution: blocks to the batch, a convolution, and back
//===----------------------------------------------------------------------===//

using Dims = ArrayRef<int64_t>;

/// Returns the transpose between two reshapes, of which `merge` is the second one, or null.
nn::TransposeOp getTransposeOfParts(nn::ReshapeOp merge) {
  auto transpose = merge ? merge.getOperand().getDefiningOp<nn::TransposeOp>() : nn::TransposeOp();
  return transpose && transpose.getOperand().getDefiningOp<nn::ReshapeOp>() ? transpose : nn::TransposeOp();
}

/// Returns the value before the reshape that splits its axes.
Value getWhole(nn::TransposeOp transpose) { return transpose.getOperand().getDefiningOp<nn::ReshapeOp>().getOperand(); }

/// Phases that are moved to the batch: every `blocks`-th element of `source` along each of the first spatial axes.
struct Phases {
  Value source;
  SmallVector<int64_t> blocks;
};

/// Matches [N, S..., rest] that is split to [N, S / b, b ..., rest], transposed and reshaped to [b... * N, S / b...,
/// rest].
std::optional<Phases> matchSpaceToBatch(Value value) {
  nn::TransposeOp transpose = getTransposeOfParts(value.getDefiningOp<nn::ReshapeOp>());
  if (!transpose)
    return std::nullopt;
  Phases phases{getWhole(transpose), {}};
  Dims source = shapeOf(phases.source), parts = shapeOf(transpose.getOperand());
  const size_t axes = parts.size() > source.size() ? parts.size() - source.size() : 0;
  if (axes == 0 || source.size() < axes + 2)
    return std::nullopt;
  SmallVector<int64_t> split{source[0]}, order, behind{0}, merged(source);
  for (size_t axis = 0; axis < axes; ++axis) {
    const int64_t block = std::max<int64_t>(parts[2 * axis + 2], 1);
    phases.blocks.push_back(block);
    split.append({source[axis + 1] / block, block});
    order.push_back(int64_t(2 * axis + 2));
    behind.push_back(int64_t(2 * axis + 1));
    merged[0] *= block;
    merged[axis + 1] /= block;
  }
  llvm::append_range(split, source.drop_front(axes + 1));
  llvm::append_range(order, behind);
  llvm::append_range(order, llvm::seq<int64_t>(2 * axes + 1, parts.size()));
  if (parts != Dims(split) || transpose.getPermutation() != Dims(order) || shapeOf(value) != Dims(merged))
    return std::nullopt;
  return phases;
}

/// Returns the value before `merge` moves its blocks from the batch back to spatial axes, or null.
Value matchBatchToSpace(nn::ReshapeOp merge, Dims blocks) {
  nn::TransposeOp transpose = getTransposeOfParts(merge);
  if (!transpose || !transpose->hasOneUse() || !transpose.getOperand().hasOneUse())
    return {};
  Value phases = getWhole(transpose);
  Dims shape = shapeOf(phases);
  const auto axes = int64_t(blocks.size());
  SmallVector<int64_t> split(blocks), order{axes}, merged(shape);
  for (auto [axis, block] : llvm::enumerate(blocks)) {
    merged[0] /= block;
    merged[axis + 1] *= block;
    order.append({axes + 1 + int64_t(axis), int64_t(axis)});
  }
  split.push_back(merged[0]);
  llvm::append_range(split, shape.drop_front());
  llvm::append_range(order, llvm::seq<int64_t>(2 * axes + 1, split.size()));
  bool isBack = shapeOf(transpose.getOperand()) == Dims(split) && transpose.getPermutation() == Dims(order) &&
                merge.getType().getShape() == Dims(merged);
  return isBack ? phases : Value();
}

/// Returns the pads with which a convolution of stride 1 computes only the part that `crop` keeps. Returns `nullopt` if
/// no pads have this effect.
std::optional<SmallVector<int64_t>> cropPads(Dims pads, nn::SliceOp crop) {
  Dims whole = crop.getOperand().getType().getShape(), starts = crop.getStarts(), sizes = crop.getSizes();
  const size_t axes = pads.size() / 2;
  SmallVector<int64_t> result(pads);
  for (size_t axis = 0; axis < whole.size(); ++axis) {
    const int64_t low = starts[axis], high = whole[axis] - sizes[axis] - low;
    const bool isSpatial = axis > 0 && axis <= axes;
    if (crop.getSteps()[axis] != 1 || (!isSpatial && (low != 0 || high != 0)))
      return std::nullopt;
    if (isSpatial && ((result[axis - 1] -= low) < 0 || (result[axes + axis - 1] -= high) < 0))
      return std::nullopt;
  }
  return result;
}

/// Merges the convolution of space-to-batch phases into a dilated convolution. Each phase is convolved separately, so
/// neighbours in a window are one block size apart in the original.
struct DilatedConvolution : OpRewritePattern<nn::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::ReshapeOp merge, PatternRewriter &rewriter) const override {
    nn::TransposeOp transpose = getTransposeOfParts(merge);
    auto conv = transpose ? getWhole(transpose).getDefiningOp<nn::ConvOp>() : nn::ConvOp();
    if (!conv || !conv->hasOneUse() || llvm::any_of(conv.getStrides(), [](int64_t stride) { return stride != 1; }))
      return rewriter.notifyMatchFailure(merge, "expected a convolution of stride 1 that is used only here");
    std::optional<Phases> phases = matchSpaceToBatch(conv.getInput());
    if (!phases || !matchBatchToSpace(merge, phases->blocks))
      return rewriter.notifyMatchFailure(merge, "expected blocks in the batch, and the same ones back");

    const size_t axes = conv.getStrides().size();
    phases->blocks.resize(axes, 1);
    Value source = phases->source;
    SmallVector<int64_t> pads(conv.getPads()), dilations(conv.getDilations());
    for (size_t axis = 0; axis < axes; ++axis) {
      pads[axis] *= phases->blocks[axis];
      pads[axes + axis] *= phases->blocks[axis];
      dilations[axis] *= phases->blocks[axis];
    }
    if (auto pad = source.getDefiningOp<nn::PadOp>(); pad && isZeroPad(pad) && conv.getPadValue() == 0) {
      source = pad.getOperand();
      for (size_t axis = 0; axis < axes; ++axis) {
        pads[axis] += pad.getLow()[axis + 1];
        pads[axes + axis] += pad.getHigh()[axis + 1];
      }
    }
    auto crop = merge->hasOneUse() ? dyn_cast<nn::SliceOp>(*merge->user_begin()) : nn::SliceOp();
    std::optional<SmallVector<int64_t>> cropped = crop ? cropPads(pads, crop) : std::nullopt;
    Operation *replaced = cropped ? crop.getOperation() : merge.getOperation();
    rewriter.setInsertionPoint(replaced);
    rewriter.replaceOpWithNewOp<nn::ConvOp>(replaced, source, conv.getFilter(), conv.getStrides(),
                                            cropped ? *cropped : pads, dilations, conv.getGroups(), conv.getPadValue());
    return success();
  }

private:
  /// True if the pad adds zeros, and pads only spatial axes.
  static bool isZeroPad(nn::PadOp pad) {
    auto isSpatial = [](Dims amounts) {
      return amounts.front() == 0 && amounts.back() == 0 && llvm::all_of(amounts, [](int64_t a) { return a >= 0; });
    };
    auto number = dyn_cast<FloatAttr>(pad.getValue());
    return pad.getMode() == nn::PadMode::Constant && number && number.getValue().isZero() && isSpatial(pad.getLow()) &&
           isSpatial(pad.getHigh());
  }
};

struct RecognizeComposites : impl::RecognizeCompositesPassBase<RecognizeComposites> {
  using RecognizeCompositesPassBase::RecognizeCompositesPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LayerNormalization, Gelu, Softmax, DilatedConvolution>(&getContext());
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal().setMaxIterations(GreedyRewriteConfig::kNoLimit);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config))) {
      getOperation().emitError("recognition of composites did not converge");
      signalPassFailure();
    }
  }
};

} // namespace

} // namespace nacre::graph
