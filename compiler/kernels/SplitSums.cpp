// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides long sums with few results into parts that another sum adds up. Otherwise, a GPU would have more workgroups
// than such a sum has results.
//
// The gradient of a filter has an attribute for the number of parts. A sum over images and positions becomes a sum per
// image, and then a sum of these. A matrix product becomes a batch of products.

#include "compiler/kernels/MadeOfConstants.h"
#include "compiler/kernels/Passes.h"
#include "compiler/kernels/SumParts.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/plan/Notes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace nacre::kernels {
#define GEN_PASS_DEF_SPLITSUMSPASS
#include "compiler/kernels/Passes.h.inc"
} // namespace nacre::kernels

using namespace mlir;
using namespace nacre;
using namespace nacre::kernels;

namespace {

/// Operators that replace a sum: the first computes the parts, the second adds them up. Both are null if the sum is not
/// divided.
struct SplitSum {
  Operation *parts = nullptr, *sum = nullptr;
  /// Transpose that `sum` replaces, in addition to the original sum; null if `sum` replaces only the original sum.
  Operation *turned = nullptr;
};

SplitSum split(nn::FilterGradientOp op, IRRewriter &rewriter) {
  ArrayRef<int64_t> gradient = shapeOf(op.getGradient()), filter = shapeOf(op.getResult());
  if (op.getParts() || gradient.size() < 3)
    return {};
  FilterGradientShape shape;
  shape.taps = llvm::product_of(filter.drop_back());
  shape.columns = filter.back();
  shape.images = gradient[0];
  shape.rows = gradient[1];
  shape.pixels = llvm::product_of(gradient.drop_front(2).drop_back());
  const SumParts parts = choosePartsOf(shape);
  if (parts.count() == 1)
    return {};
  auto ofParts = nn::FilterGradientOp::create(rewriter, op.getLoc(), op.getInput(), op.getGradient(), op.getKernel(),
                                              op.getStrides(), op.getDilations(),
                                              rewriter.getDenseI64ArrayAttr({parts.images, parts.rows}));
  auto sum = nn::ReduceOp::create(rewriter, op.getLoc(), nn::ReduceKind::Sum, ofParts, ArrayRef<int64_t>{0, 1},
                                  /*keepDims=*/false);
  return {ofParts, sum};
}

SplitSum split(nn::ReduceOp op, IRRewriter &rewriter) {
  ArrayRef<int64_t> axes = op.getAxes(), shape = shapeOf(op.getOperand());
  auto isKnown = [&] { return op.getKind() == nn::ReduceKind::Sum || op.getKind() == nn::ReduceKind::Mean; };
  Type element = cast<RankedTensorType>(op.getOperand().getType()).getElementType();
  if (!isKnown() || !(element.isF32() || element.isF16()) || axes.size() < 2 || axes.front() != 0)
    return {};
  int64_t elements = 1;
  for (int64_t axis : axes)
    elements *= shape[axis];
  if (elements == 0 || !isSummedByImages(llvm::product_of(shape) / elements, shape.front(), elements))
    return {};
  auto ofImages =
      nn::ReduceOp::create(rewriter, op.getLoc(), op.getKind(), op.getOperand(), axes.drop_front(), op.getKeepDims());
  auto sum = nn::ReduceOp::create(rewriter, op.getLoc(), op.getKind(), ofImages, axes.take_front(), op.getKeepDims());
  return {ofImages, sum};
}

/// Returns `matrix` as a batch of `parts` matrices: the axis of the parts, then both axes of the matrix, in reverse
/// order if `isTurned`. `depth` is the axis of the sum. The result is a transpose. If `matrix` is a transpose, both
/// become one.
Value cutDepth(nn::MatMulOp op, Value matrix, int64_t depth, int64_t parts, bool isTurned, IRRewriter &rewriter) {
  SmallVector<int64_t> axes = {0, 1};
  if (auto transpose = matrix.getDefiningOp<nn::TransposeOp>()) {
    axes = llvm::to_vector(transpose.getPermutation());
    matrix = transpose.getOperand();
    depth = axes[depth];
  }
  auto type = cast<RankedTensorType>(matrix.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[depth] /= parts;
  shape.insert(shape.begin() + depth, parts);
  auto batch = nn::ReshapeOp::create(rewriter, op.getLoc(), type.clone(shape), matrix);
  plan::copyEngine(op, batch);
  SmallVector<int64_t> order = {depth};
  if (isTurned)
    std::reverse(axes.begin(), axes.end());
  for (int64_t axis : axes)
    order.push_back(axis < depth ? axis : axis + 1);
  if (llvm::equal(order, llvm::seq<int64_t>(0, 3)))
    return batch;
  auto turned = nn::TransposeOp::create(rewriter, op.getLoc(), batch, order);
  plan::copyEngine(op, turned);
  return turned;
}

/// Returns the transpose that is the only reader of `op`, if the transposed product has enough columns. Otherwise,
/// returns null. `op` has `rows` rows.
nn::TransposeOp onlyTranspose(nn::MatMulOp op, int64_t rows) {
  constexpr int64_t leastColumns = 8;
  auto transpose = op->hasOneUse() ? dyn_cast<nn::TransposeOp>(*op->user_begin()) : nn::TransposeOp();
  return transpose && rows >= leastColumns ? transpose : nn::TransposeOp();
}

SplitSum split(nn::MatMulOp op, IRRewriter &rewriter) {
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs());
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  if (lhs.size() != 2 || rhs.size() != 2 || !(element.isF32() || element.isF16()))
    return {};
  // Constants are packed for kernels that read the whole matrix.
  if (isMadeOfConstants(op.getLhs()) || isMadeOfConstants(op.getRhs()))
    return {};
  const int64_t parts = choosePartsOfProduct(lhs[0], rhs[1], lhs[1]);
  if (parts == 1)
    return {};
  nn::TransposeOp transpose = onlyTranspose(op, lhs[0]);
  Value left = cutDepth(op, op.getLhs(), 1, parts, bool(transpose), rewriter);
  Value right = cutDepth(op, op.getRhs(), 0, parts, bool(transpose), rewriter);
  if (transpose)
    std::swap(left, right);
  auto ofParts = nn::MatMulOp::create(rewriter, op.getLoc(), left, right);
  auto sum = nn::ReduceOp::create(rewriter, op.getLoc(), nn::ReduceKind::Sum, ofParts, ArrayRef<int64_t>{0},
                                  /*keepDims=*/false);
  return {ofParts, sum, transpose};
}

struct SplitSums : kernels::impl::SplitSumsPassBase<SplitSums> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (Operation *op : listGiven<nn::FilterGradientOp, nn::ReduceOp, nn::MatMulOp>()) {
      rewriter.setInsertionPoint(op);
      const SplitSum made =
          llvm::TypeSwitch<Operation *, SplitSum>(op).Case<nn::FilterGradientOp, nn::ReduceOp, nn::MatMulOp>(
              [&](auto sum) { return split(sum, rewriter); });
      if (!made.sum)
        continue;
      plan::copyEngine(op, made.parts);
      plan::copyEngine(op, made.sum);
      const llvm::SmallSetVector<Value, 2> operands(op->operand_begin(), op->operand_end());
      rewriter.replaceOp(made.turned ? made.turned : op, made.sum);
      if (made.turned)
        rewriter.eraseOp(op);
      for (Value operand : operands) // Parts are read through their own transposes.
        if (auto transpose = operand.getDefiningOp<nn::TransposeOp>(); transpose && transpose->use_empty())
          rewriter.eraseOp(transpose);
      ++numSplit;
    }
  }
};

} // namespace
