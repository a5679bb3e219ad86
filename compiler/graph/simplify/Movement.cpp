// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Movement.h.

#include "compiler/graph/simplify/Movement.h"

#include "compiler/graph/Matching.h"

#include "dialects/nn/ConstantData.h"
#include "dialects/nn/Permutation.h"

using namespace mlir;

namespace nacre::graph {

namespace {

using nn::Dims;

/// Replaces a transpose that moves only axes of size 1 by a reshape.
struct TransposeOfUnits : OpRewritePattern<nn::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::TransposeOp op, PatternRewriter &rewriter) const override {
    if (!nn::movesOnlyUnits(op.getOperand().getType().getShape(), op.getPermutation()))
      return rewriter.notifyMatchFailure(op, "expected only axes of extent one to move");
    rewriter.replaceOpWithNewOp<nn::ReshapeOp>(op, op.getType(), op.getOperand());
    return success();
  }
};

/// Replaces a gather of adjacent or evenly spaced elements by a slice.
struct GatherOfRange : OpRewritePattern<nn::GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::GatherOp op, PatternRewriter &rewriter) const override {
    ElementsAttr constant = getConstant(op.getIndices());
    if (!constant || constant.getNumElements() == 0)
      return rewriter.notifyMatchFailure(op, "expected constant indices");
    // Splats are excluded: repeated indices have distance 0, and the result might be too large for memory.
    if (constant.isSplat() && constant.getNumElements() > 1)
      return rewriter.notifyMatchFailure(op, "expected different indices");
    FailureOr<nn::ConstantView> view = nn::ConstantView::get(constant);
    if (failed(view))
      return rewriter.notifyMatchFailure(op, "expected indices with readable bytes");
    Dims shape = op.getOperand().getType().getShape();
    int64_t axis = op.getAxis(), extent = shape[axis];
    SmallVector<int64_t> indices = view->readIntegers();
    for (int64_t &index : indices)
      index = std::clamp<int64_t>(index < 0 ? index + extent : index, 0, extent - 1);
    int64_t step = indices.size() > 1 ? indices[1] - indices[0] : 1;
    for (size_t i = 1; i < indices.size(); ++i)
      if (step == 0 || indices[i] - indices[i - 1] != step)
        return rewriter.notifyMatchFailure(op, "expected indices at equal distances");

    SmallVector<int64_t> starts(shape.size(), 0), sizes(shape), steps(shape.size(), 1);
    starts[axis] = indices.front();
    sizes[axis] = indices.size();
    steps[axis] = step;
    Value slice = nn::SliceOp::create(rewriter, op.getLoc(), op.getOperand(), starts, sizes, steps);
    rewriter.replaceOpWithNewOp<nn::ReshapeOp>(op, op.getType(), slice);
    return success();
  }
};

/// Merges a concat with concats along the same axis that only it uses. It merges a whole tree from its root. Merging
/// level by level would take quadratic time for a concat that grows part by part.
struct ConcatOfConcat : OpRewritePattern<nn::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::ConcatOp op, PatternRewriter &rewriter) const override {
    if (isInner(op))
      return rewriter.notifyMatchFailure(op, "expected the root of a tree of concats");
    SmallVector<Value> parts, pending(llvm::reverse(op.getOperands()));
    while (!pending.empty()) {
      const Value operand = pending.pop_back_val();
      auto inner = operand.getDefiningOp<nn::ConcatOp>();
      if (inner && isInner(inner))
        llvm::append_range(pending, llvm::reverse(inner.getOperands()));
      else
        parts.push_back(operand);
    }
    if (parts.size() == op.getOperands().size())
      return rewriter.notifyMatchFailure(op, "expected an operand that is a concat of the same axis, used once");
    rewriter.replaceOpWithNewOp<nn::ConcatOp>(op, parts, op.getAxis());
    return success();
  }

private:
  /// True if the only reader of `op` is a concat along the same axis.
  static bool isInner(nn::ConcatOp op) {
    auto outer = op->hasOneUse() ? dyn_cast<nn::ConcatOp>(*op->user_begin()) : nn::ConcatOp();
    return outer && outer.getAxis() == op.getAxis();
  }
};

/// Replaces adjacent rows of one tensor that a concat joins by one slice. The rows may have an axis of size 1 or lack
/// it.
struct ConcatOfRows : OpRewritePattern<nn::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::ConcatOp op, PatternRewriter &rewriter) const override {
    const auto axis = int64_t(op.getAxis()), count = int64_t(op.getOperands().size());
    nn::SliceOp first = getRow(op.getOperands().front(), axis);
    for (auto [index, operand] : llvm::enumerate(op.getOperands())) {
      nn::SliceOp row = getRow(operand, axis);
      if (!row || row.getOperand() != first.getOperand() || row.getStarts()[0] != first.getStarts()[0] + int64_t(index))
        return rewriter.notifyMatchFailure(op, "expected rows of one tensor, one after another");
    }
    SmallVector<int64_t> sizes(first.getSizes()), order;
    sizes[0] = count;
    Value rows =
        rewriter.createOrFold<nn::SliceOp>(op.getLoc(), first.getOperand(), first.getStarts(), sizes, first.getSteps());
    for (int64_t other = 1; other < int64_t(sizes.size()); ++other)
      order.push_back(other);
    order.insert(order.begin() + axis, 0);
    rows = rewriter.createOrFold<nn::TransposeOp>(op.getLoc(), rows, order);
    rewriter.replaceOp(op, rewriter.createOrFold<nn::ReshapeOp>(op.getLoc(), op.getType(), rows));
    return success();
  }

private:
  /// Returns the slice of one row that computes `operand`, or null. The row may lack the sliced axis, or have it with
  /// size 1 at `axis`.
  static nn::SliceOp getRow(Value operand, int64_t axis) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (auto reshape = operand.getDefiningOp<nn::ReshapeOp>())
      operand = reshape.getOperand();
    auto slice = operand.getDefiningOp<nn::SliceOp>();
    if (!slice || slice.getSizes().front() != 1 ||
        llvm::any_of(slice.getSteps(), [](int64_t step) { return step != 1; }))
      return {};
    ArrayRef<int64_t> whole = cast<RankedTensorType>(slice.getOperand().getType()).getShape();
    SmallVector<int64_t> row(whole.drop_front());
    if (slice.getSizes().drop_front() != whole.drop_front() || axis > int64_t(row.size()))
      return {};
    SmallVector<int64_t> withAxis(row);
    withAxis.insert(withAxis.begin() + axis, 1);
    return type.getShape() == ArrayRef(row) || type.getShape() == ArrayRef(withAxis) ? slice : nn::SliceOp();
  }
};

/// Replaces a reduction of axes of size 1 by a reshape. All kinds of reductions return a single element unchanged.
struct ReduceOfUnits : OpRewritePattern<nn::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::ReduceOp op, PatternRewriter &rewriter) const override {
    Dims shape = op.getOperand().getType().getShape();
    if (!llvm::all_of(op.getAxes(), [&](int64_t axis) { return shape[axis] == 1; }))
      return rewriter.notifyMatchFailure(op, "expected axes of extent one");
    rewriter.replaceOpWithNewOp<nn::ReshapeOp>(op, op.getType(), op.getOperand());
    return success();
  }
};

} // namespace

void addMovement(RewritePatternSet &patterns) {
  patterns.add<TransposeOfUnits, GatherOfRange, ConcatOfConcat, ConcatOfRows, ReduceOfUnits>(patterns.getContext());
}

} // namespace nacre::graph
