// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers matrix products, and the transposes through which they read and write.

#include "compiler/kernels/iterations/IterationPlan.h"
#include "compiler/kernels/lowerings/Lowering.h"
#include "compiler/kernels/lowerings/contractions/MultiplyAdd.h"
#include "dialects/plan/Notes.h"

using namespace mlir;

namespace nacre::kernels {

static constexpr auto parallel = utils::IteratorType::parallel;
static constexpr auto reduction = utils::IteratorType::reduction;

StridedOperand readThroughTranspose(Value operand) {
  StridedOperand strided{operand, {}};
  if (auto transpose = operand.getDefiningOp<nn::TransposeOp>()) {
    strided.source = transpose.getOperand();
    llvm::append_range(strided.axes, transpose.getPermutation());
    return {strided.source, SmallVector<int64_t>(invertPermutationVector(strided.axes))};
  }
  llvm::append_range(strided.axes, llvm::seq<int64_t>(0, cast<RankedTensorType>(operand.getType()).getRank()));
  return strided;
}

bool readsTransposes(Operation *op) { return isa<nn::MatMulOp, nn::AttentionOp>(op); }

bool readsThroughTransposes(Operation *op) {
  auto slice = dyn_cast<nn::SliceOp>(op);
  return readsTransposes(op) || (slice && slice.getWorkKind() == nn::WorkKind::Nest && !plan::isOnCpu(op));
}

bool isReadThrough(Operation *op) {
  // A kernel that runs all iterations of a loop reads rows of a matrix from memory, so the transpose must be stored.
  return isa<nn::TransposeOp>(op) && !op->use_empty() && llvm::all_of(op->getUsers(), [](Operation *user) {
           return readsThroughTransposes(user) && !isLoopKernel(user->getParentOp());
         });
}

Operation *getTransposedProduct(Operation *op) {
  auto transpose = dyn_cast<nn::TransposeOp>(op);
  if (!transpose || isReadThrough(op))
    return {};
  Operation *product = transpose.getOperand().getDefiningOp();
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  bool keepsColumns = permutation.back() == int64_t(permutation.size()) - 1;
  // The transpose must be in the same block as the product, so that it is not outside of a loop that contains the
  // product.
  const bool isBeside = product && readsTransposes(product) && product->getBlock() == op->getBlock();
  return isBeside && product->hasOneUse() && keepsColumns ? product : nullptr;
}

bool canCollapseRows(const OperatorGroup &group) {
  auto product = dyn_cast_or_null<nn::MatMulOp>(group.anchor);
  if (!product)
    return false;
  auto result = cast<RankedTensorType>(group.result.getType());
  ArrayRef<int64_t> right = cast<RankedTensorType>(product.getRhs().getType()).getShape();
  // If an operand is read through a transpose, its rows are not consecutive in memory.
  if (result.getRank() < 3 || product.getLhs().getDefiningOp<nn::TransposeOp>() ||
      product.getRhs().getDefiningOp<nn::TransposeOp>() || product.getResult().getType() != result ||
      computeProduct(right.drop_back(2)) != 1 ||
      cast<RankedTensorType>(product.getLhs().getType()).getRank() != result.getRank())
    return false;
  int64_t rows = computeProduct(result.getShape().drop_back());
  for (Operation *member : group.members)
    for (Value operand : member->getOperands()) {
      ArrayRef<int64_t> shape = cast<RankedTensorType>(operand.getType()).getShape();
      bool ofEpilogue = member != group.anchor && shape.size() >= 2;
      if (ofEpilogue && computeProduct(shape.drop_back()) != 1 && computeProduct(shape.drop_back()) != rows)
        return false;
    }
  return true;
}

AffineMap getProductMap(const Loops &loops, const StridedOperand &operand, ArrayRef<int64_t> sourceShape,
                        ArrayRef<AffineExpr> batches, ArrayRef<int64_t> batchSizes, AffineExpr row, AffineExpr column) {
  int64_t rank = sourceShape.size(), missing = int64_t(batches.size()) - (rank - 2);
  SmallVector<AffineExpr> results;
  for (auto [position, axis] : llvm::enumerate(operand.axes)) {
    if (axis >= rank - 2)
      results.push_back(axis == rank - 2 ? row : column);
    else if (sourceShape[position] == 1 && batchSizes[missing + axis] != 1)
      results.push_back(getAffineConstantExpr(0, loops.context));
    else
      results.push_back(batches[missing + axis]);
  }
  return loops.map(results);
}

AffineMap getResultMap(const Loops &loops, ArrayRef<AffineExpr> axes, nn::TransposeOp written) {
  return loops.map(written ? applyPermutation(axes, written.getPermutation()) : llvm::to_vector(axes));
}

static LogicalResult lowerMatMul(KernelBody &body, nn::MatMulOp op, nn::TransposeOp written) {
  StridedOperand left = readThroughTranspose(op.getLhs()), right = readThroughTranspose(op.getRhs());
  SmallVector<int64_t> leftShape = body.getShape(left.source), rightShape = body.getShape(right.source);
  if (leftShape.size() < left.axes.size()) {
    left.axes = {0, 1};
    right.axes = {0, 1};
  }
  SmallVector<int64_t> shape = body.getShape(op.getResult());
  ArrayRef<int64_t> batchSizes = ArrayRef<int64_t>(shape).drop_back(2);

  Loops loops{body.getContext(), {}};
  SmallVector<AffineExpr> batches = loops.add(parallel, batchSizes.size());
  AffineExpr m = loops.add(parallel), n = loops.add(parallel), k = loops.add(reduction);
  SmallVector<AffineExpr> output = batches;
  output.append({m, n});
  SmallVector<AffineMap> maps = {getProductMap(loops, left, leftShape, batches, batchSizes, m, k),
                                 getProductMap(loops, right, rightShape, batches, batchSizes, k, n),
                                 getResultMap(loops, output, written)};
  Value x = readLeft(body, left.source), w = body.read(right.source);
  Value result = written ? written.getResult() : op.getResult();
  return finishContraction(body, result, {op.getLhs(), op.getRhs()}, {x, w}, maps, loops.iterators);
}

LogicalResult lowerMatMul(KernelBody &body, nn::MatMulOp op) { return lowerMatMul(body, op, /*written=*/{}); }

LogicalResult lowerTransposed(KernelBody &body, Operation *product, nn::TransposeOp written) {
  if (auto attention = dyn_cast<nn::AttentionOp>(product))
    return lowerAttention(body, attention, written);
  return lowerMatMul(body, cast<nn::MatMulOp>(product), written);
}

} // namespace nacre::kernels
