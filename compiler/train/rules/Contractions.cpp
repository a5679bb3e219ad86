// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes gradients of products and convolutions, as products and convolutions.

#include "compiler/train/rules/GradientRules.h"

using namespace mlir;

namespace nacre::train {

LogicalResult reverseMatMul(nn::MatMulOp op, Adjoint &at) {
  Writer &w = at.write;
  Value a = op.getLhs(), b = op.getRhs(), dy = at.of();
  if (at.wants(a))
    at.giveUnbroadcast(a, w.matmul(dy, w.transposeLast(b)));
  if (!at.wants(b))
    return success();
  const bool isShared = rankOf(b) == 2 && rankOf(a) > 2;
  if (isShared) { // All matrices of the batch share `b`, so the batch becomes a part of the depth.
    auto rows = [&](Value x) { return w.reshape(x, {countOf(shapeOf(x).drop_back()), shapeOf(x).back()}); };
    a = rows(a);
    dy = rows(dy);
  }
  at.giveUnbroadcast(b, w.matmul(w.transposeLast(a), dy));
  return success();
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {

/// Geometry of a convolution: for `small[o]`, `filter[f]` multiplies `large[o * stride + f * dilation - pad]`. In a
/// convolution, `large` is the input and `small` is the result. In a transposed convolution, it is the reverse.
struct Window {
  Dims strides, pads, dilations;
  int64_t groups;

  size_t spatial() const { return strides.size(); }
  int64_t low(size_t axis) const { return pads[axis]; }
};

/// Swaps the channels of a filter [f.., C/G, OC]. Returns [f.., OC/G, C].
Value turnFilter(Writer &w, Value filter, int64_t groups) {
  const int64_t spatial = rankOf(filter) - 2, in = shapeOf(filter)[spatial], out = shapeOf(filter)[spatial + 1];
  if (groups == 1)
    return w.moveAxis(filter, spatial, spatial + 1);
  Ints parted(shapeOf(filter).drop_back()), shape(shapeOf(filter).take_front(spatial)), order = axisRange(0, spatial);
  parted.append({groups, out / groups});
  order.append({spatial + 2, spatial + 1, spatial});
  shape.append({out / groups, groups * in});
  return w.reshape(w.transpose(w.reshape(filter, parted), order), shape);
}

/// Returns the gradient of a grouped filter. It is a convolution in which channels and batch, positions and taps, and
/// strides and dilations are swapped. `large` is already padded.
Value groupedFilterGradient(Writer &w, Value large, Value small, const Window &window) {
  const int64_t spatial = window.spatial(), batch = shapeOf(large)[0], groups = window.groups;
  const int64_t channels = shapeOf(large).back() / groups;
  Ints order{spatial + 2}, parted(shapeOf(large).drop_back()), turned{channels};
  order.append(axisRange(1, spatial + 1));
  order.append({spatial + 1, 0});
  parted.append({groups, channels});
  turned.append(shapeOf(large).begin() + 1, shapeOf(large).end() - 1);
  turned.push_back(groups * batch);
  Value input = w.reshape(w.transpose(w.reshape(large, parted), order), turned);
  Value taps = w.moveAxis(small, 0, spatial); // [o.., N, OC]
  Value gradient = nn::ConvOp::create(w.getBuilder(), w.getLoc(), input, taps, window.dilations, Ints(2 * spatial, 0),
                                      window.strides, groups);
  return w.moveAxis(gradient, 0, spatial);
}

/// Returns the gradient of a convolution's filter [f.., C/G, OC].
Value filterGradient(Writer &w, Value large, Value small, Dims filter, const Window &window) {
  const int64_t spatial = window.spatial();
  Ints low(spatial + 2, 0), high(spatial + 2, 0);
  for (int64_t axis = 0; axis < spatial; ++axis) {
    // Elements that no window reads are cropped.
    const int64_t reached =
        (filter[axis] - 1) * window.dilations[axis] + (shapeOf(small)[axis + 1] - 1) * window.strides[axis] + 1;
    low[axis + 1] = window.low(axis);
    high[axis + 1] = reached - window.low(axis) - shapeOf(large)[axis + 1];
  }
  Value input = w.pad(large, low, high);
  if (window.groups != 1)
    return groupedFilterGradient(w, input, small, window);
  return nn::FilterGradientOp::create(w.getBuilder(), w.getLoc(), input, small, filter.take_front(spatial),
                                      window.strides, window.dilations, /*parts=*/DenseI64ArrayAttr());
}

/// Returns the gradient of `large`, with shape `shape`. Adds each element of `small`, times the filter, to the elements
/// that its window has read.
Value spreadWindow(Writer &w, Value small, Value filter, Dims shape, const Window &window) {
  const size_t spatial = window.spatial();
  Ints pads(window.pads);
  for (size_t axis = 0; axis < spatial; ++axis) {
    const int64_t reached = (shapeOf(small)[axis + 1] - 1) * window.strides[axis] +
                            (shapeOf(filter)[axis] - 1) * window.dilations[axis] + 1;
    pads[spatial + axis] = reached - window.low(axis) - shape[axis + 1];
  }
  return nn::ConvTransposeOp::create(w.getBuilder(), w.getLoc(), small, filter, window.strides, pads, window.dilations,
                                     window.groups);
}

} // namespace

LogicalResult reverseConv(nn::ConvOp op, Adjoint &at) {
  Writer &w = at.write;
  const Window window{op.getStrides(), op.getPads(), op.getDilations(), int64_t(op.getGroups())};
  if (at.wants(op.getInput()))
    at.give(op.getInput(),
            spreadWindow(w, at.of(), turnFilter(w, op.getFilter(), window.groups), shapeOf(op.getInput()), window));
  if (at.wants(op.getFilter()))
    at.give(op.getFilter(), filterGradient(w, op.getInput(), at.of(), shapeOf(op.getFilter()), window));
  return success();
}

LogicalResult reverseConvTranspose(nn::ConvTransposeOp op, Adjoint &at) {
  Writer &w = at.write;
  const Window window{op.getStrides(), op.getPads(), op.getDilations(), int64_t(op.getGroups())};
  if (at.wants(op.getInput())) {
    Value filter = turnFilter(w, op.getFilter(), window.groups);
    // Cropped results have no gradient. Rows that pads have added to the result depend on no input.
    const size_t spatial = window.spatial();
    Ints low(spatial + 2, 0), high(low), pads(2 * spatial, 0);
    for (size_t axis = 0; axis < spatial; ++axis) {
      low[axis + 1] = std::min<int64_t>(window.pads[axis], 0);
      high[axis + 1] = std::min<int64_t>(window.pads[spatial + axis], 0);
      pads[axis] = std::max<int64_t>(window.pads[axis], 0);
      pads[spatial + axis] = std::max<int64_t>(window.pads[spatial + axis], 0);
    }
    at.give(op.getInput(), nn::ConvOp::create(w.getBuilder(), w.getLoc(), w.pad(at.of(), low, high), filter,
                                              window.strides, pads, window.dilations, window.groups));
  }
  if (at.wants(op.getFilter())) {
    // This is the filter [f.., OC/G, C] of the convolution whose transpose this operator computes.
    Ints turned(shapeOf(op.getFilter()));
    const int64_t last = int64_t(turned.size()) - 1;
    turned[last] = turned[last - 1] * window.groups;
    turned[last - 1] = shapeOf(op.getFilter())[last] / window.groups;
    Value gradient = filterGradient(w, at.of(), op.getInput(), turned, window);
    at.give(op.getFilter(), turnFilter(w, gradient, window.groups));
  }
  return success();
}

/// The gradient of a filter is bilinear in the input and in the gradient of the result. So its own gradients are two
/// convolutions.
LogicalResult reverseFilterGradient(nn::FilterGradientOp op, Adjoint &at) {
  Writer &w = at.write;
  const Ints pads(2 * op.getKernel().size(), 0);
  const Window window{op.getStrides(), pads, op.getDilations(), /*groups=*/1};
  if (at.wants(op.getInput()))
    at.give(op.getInput(),
            spreadWindow(w, op.getGradient(), turnFilter(w, at.of(), 1), shapeOf(op.getInput()), window));
  if (at.wants(op.getGradient()))
    at.give(op.getGradient(), nn::ConvOp::create(w.getBuilder(), w.getLoc(), op.getInput(), at.of(), op.getStrides(),
                                                 pads, op.getDilations(), 1));
  return success();
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Differentiates attention as separate operators, which recompute the scores and weights.
LogicalResult reverseAttention(nn::AttentionOp op, Adjoint &at) {
  if (op.isBounded() || op.getSink() || op.getSoftcap() || op.getHidesRows())
    return op.emitOpError("has no gradient with bounds, sink or softcap; spell it out first (nacre-expand-attention)");
  Writer &w = at.write;
  Value scores = w.mul(w.matmul(op.getQueries(), op.getKeys()), op.getScale().convertToDouble());
  if (op.getMask())
    scores = w.add(scores, op.getMask());
  const int64_t keys = rankOf(scores) - 1;
  Value weights = nn::SoftmaxOp::create(w.getBuilder(), w.getLoc(), scores, keys, /*log=*/false);
  Value dy = at.of();
  at.giveUnbroadcast(op.getValues(), w.matmul(w.transposeLast(weights), dy));
  Value dWeights = w.matmul(dy, w.transposeLast(op.getValues()));
  Value dScores = w.mul(weights, w.sub(dWeights, w.sum(w.mul(weights, dWeights), {keys}, /*keepDims=*/true)));
  if (op.getMask())
    at.giveUnbroadcast(op.getMask(), dScores);
  Value dProduct = w.mul(dScores, op.getScale().convertToDouble());
  at.giveUnbroadcast(op.getQueries(), w.matmul(dProduct, w.transposeLast(op.getKeys())));
  at.giveUnbroadcast(op.getKeys(), w.matmul(w.transposeLast(op.getQueries()), dProduct));
  return success();
}

} // namespace nacre::train
