// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Interpolation.h.

#include "compiler/graph/quantized/Interpolation.h"

#include "compiler/graph/Matching.h"
#include "compiler/graph/MovedCodes.h"
#include "compiler/graph/quantized/Quantizations.h"
#include "dialects/nn/IndexedCopy.h"

#include <array>

using namespace mlir;

namespace nacre::graph {

namespace {

using nn::BinaryKind;

/// Two neighbours of each position along an axis, and their weights.
struct Neighbours {
  int64_t axis;
  SmallVector<int32_t> indices;
  SmallVector<float> weights;

  int64_t size() const { return static_cast<int64_t>(indices.size()) / 2; }
};

/// True if each position along axis `number` has two neighbours.
bool isLinear(nn::ResampleOp op, size_t number) {
  return !op.isMove(number) && cast<DenseElementsAttr>(op.getIndices()[number]).getType().getDimSize(1) == 2;
}

Neighbours readNeighbours(nn::ResampleOp op, size_t number) {
  Neighbours axis{op.getAxes()[number],
                  llvm::to_vector(cast<DenseElementsAttr>(op.getIndices()[number]).getValues<int32_t>()),
                  llvm::to_vector(cast<DenseElementsAttr>(op.getWeights()[number]).getValues<float>())};
  for (int64_t at = 0; at < axis.size(); ++at) {
    const int32_t first = axis.indices[2 * at], second = axis.indices[2 * at + 1];
    float &ofFirst = axis.weights[2 * at], &ofSecond = axis.weights[2 * at + 1];
    // At the end of an axis, ONNX Runtime adds half of the last element twice. It rounds positions to f32 before it
    // computes their fractions.
    if (first == second) {
      ofFirst = ofSecond = 0.5F;
    } else if (second == first + 1 && ofFirst == 1 - ofSecond) {
      const float position = static_cast<float>(first) + ofSecond;
      ofSecond = position - static_cast<float>(first);
      ofFirst = 1 - ofSecond;
    }
  }
  return axis;
}

struct InterpolationInFloats : OpRewritePattern<nn::ResampleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::ResampleOp op, PatternRewriter &rewriter) const override {
    nn::DequantizeOp codes = findCodes(op.getOperand());
    const size_t axes = op.getAxes().size();
    constexpr size_t mostAxes = 3;
    if (!codes || findCoders(op.getResult()).empty() || axes > mostAxes ||
        !llvm::all_of(llvm::seq<size_t>(0, axes), [&](size_t number) { return isLinear(op, number); }))
      return rewriter.notifyMatchFailure(op, "expected dequantized codes, linear interpolation and a quantization");
    SmallVector<Neighbours> neighbours;
    for (size_t number = 0; number < axes; ++number)
      neighbours.push_back(readNeighbours(op, number));
    Value bytes = moveCodes(rewriter, op.getOperand()), sum;
    const SmallVector<int64_t> taps(axes, 2);
    nn::forEachIndex(taps, [&](ArrayRef<int64_t> tap) {
      Value moved = move(rewriter, op, bytes, neighbours, tap);
      Value reals = nn::DequantizeOp::create(rewriter, op.getLoc(), moved, codes.getScale(), codes.getZero(), 0, 0);
      Value part =
          nn::BinaryOp::create(rewriter, op.getLoc(), BinaryKind::Mul, reals, weigh(rewriter, op, neighbours, tap));
      sum = sum ? nn::BinaryOp::create(rewriter, op.getLoc(), BinaryKind::Add, sum, part).getResult() : part;
    });
    rewriter.replaceOp(op, sum);
    return success();
  }

private:
  /// Returns one neighbour of each position as bytes. `tap` selects the first or the second one along each axis.
  static Value move(OpBuilder &builder, nn::ResampleOp op, Value bytes, ArrayRef<Neighbours> axes,
                    ArrayRef<int64_t> tap) {
    SmallVector<Attribute> indices, weights;
    for (auto [axis, of] : llvm::zip_equal(axes, tap)) {
      SmallVector<int32_t> chosen;
      for (int64_t at = 0; at < axis.size(); ++at)
        chosen.push_back(axis.indices[2 * at + of]);
      const std::array<int64_t, 2> shape = {axis.size(), 1};
      indices.push_back(DenseElementsAttr::get(RankedTensorType::get(shape, builder.getI32Type()), ArrayRef(chosen)));
      weights.push_back(DenseElementsAttr::get(RankedTensorType::get(shape, builder.getF32Type()), 1.0F));
    }
    return nn::ResampleOp::create(builder, op.getLoc(), bytes, op.getAxes(), builder.getArrayAttr(indices),
                                  builder.getArrayAttr(weights));
  }

  /// Returns the product of the weights of the neighbour that `tap` selects, in f32. The last axis is multiplied first.
  static Value weigh(OpBuilder &builder, nn::ResampleOp op, ArrayRef<Neighbours> axes, ArrayRef<int64_t> tap) {
    SmallVector<int64_t> shape(op.getType().getRank(), 1), sizes;
    for (const Neighbours &axis : axes) {
      shape[axis.axis] = axis.size();
      sizes.push_back(axis.size());
    }
    SmallVector<float> products;
    nn::forEachIndex(sizes, [&](ArrayRef<int64_t> at) {
      float product = 1;
      for (size_t axis = axes.size(); axis-- > 0;)
        product *= axes[axis].weights[2 * at[axis] + tap[axis]];
      products.push_back(product);
    });
    return nn::ConstantOp::create(
        builder, op.getLoc(),
        DenseElementsAttr::get(RankedTensorType::get(shape, builder.getF32Type()), ArrayRef(products)));
  }
};

} // namespace

void addInterpolation(RewritePatternSet &patterns) { patterns.add<InterpolationInFloats>(patterns.getContext()); }

} // namespace nacre::graph
