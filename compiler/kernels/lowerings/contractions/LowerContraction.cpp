// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  matrix products and attention.
// How:   1. products; 2. attention.

#include "compiler/kernels/bodies/ElementTypes.h"
#include "compiler/kernels/bodies/ScalarBodies.h"
#include "compiler/kernels/lowerings/Lowering.h"
#include "compiler/kernels/lowerings/contractions/MultiplyAdd.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace nacre::kernels {

static constexpr auto parallel = utils::IteratorType::parallel;
static constexpr auto reduction = utils::IteratorType::reduction;

static Type getElementType(Value tensor) { return cast<RankedTensorType>(tensor.getType()).getElementType(); }

//===----------------------------------------------------------------------===//
// 1. Products
//===----------------------------------------------------------------------===//

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

bool isReadThrough(Operation *op) {
  return isa<nn::TransposeOp>(op) && !op->use_empty() && llvm::all_of(op->getUsers(), readsTransposes);
}

Operation *getTransposedProduct(Operation *op) {
  auto transpose = dyn_cast<nn::TransposeOp>(op);
  if (!transpose || isReadThrough(op))
    return {};
  Operation *product = transpose.getOperand().getDefiningOp();
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  bool keepsColumns = permutation.back() == int64_t(permutation.size()) - 1;
  // Not around a loop that it is in.
  const bool isBeside = product && readsTransposes(product) && product->getBlock() == op->getBlock();
  return isBeside && product->hasOneUse() && keepsColumns ? product : nullptr;
}

bool canCollapseRows(const OperatorGroup &group) {
  auto product = dyn_cast_or_null<nn::MatMulOp>(group.anchor);
  if (!product)
    return false;
  auto result = cast<RankedTensorType>(group.result.getType());
  ArrayRef<int64_t> right = cast<RankedTensorType>(product.getRhs().getType()).getShape();
  // Read through a transpose, rows would not lie one behind the other.
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

/// An operand's map: axis i of what is read is axis axes[i] of the operand, whose last two axes are `row` and `column`.
/// The operand's batch axes are the last of `batches`; axes of size one that broadcast stay at 0.
static AffineMap getProductMap(const Loops &loops, const StridedOperand &operand, ArrayRef<int64_t> sourceShape,
                               ArrayRef<AffineExpr> batches, ArrayRef<int64_t> batchSizes, AffineExpr row,
                               AffineExpr column) {
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

/// The axes of the result, in the order in which it is written.
static AffineMap getResultMap(const Loops &loops, SmallVector<AffineExpr> axes, nn::TransposeOp written) {
  return loops.map(written ? applyPermutation(axes, written.getPermutation()) : axes);
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

//===----------------------------------------------------------------------===//
// 2. Attention
//===----------------------------------------------------------------------===//

namespace {

/// What is between the two products of attention: sweeps over the scores, [batches..., rows, keys].
class ScoreSweeps {
public:
  ScoreSweeps(KernelBody &body, Value scores)
      : body(body), scores(scores), shape(cast<RankedTensorType>(scores.getType()).getShape()),
        type(getElementType(scores)), identity(body.getBuilder().getMultiDimIdentityMap(shape.size())),
        rowMap(identity.getMajorSubMap(shape.size() - 1)) {}

  void scaleAndMask(nn::AttentionOp op) {
    const double factor = op.getScale().convertToDouble();
    Location loc = body.getLoc();
    SmallVector<Value> tensors = {scores};
    SmallVector<AffineMap> maps = {identity};
    if (op.getMask()) {
      tensors.push_back(body.read(op.getMask()));
      maps.push_back(body.getBroadcastMap(body.getShape(op.getMask()), shape));
    }
    scores = map(tensors, maps, [&](OpBuilder &b, ValueRange s) {
      Value value = s[0];
      if (factor != 1)
        value = arith::MulFOp::create(b, loc, value, emitConstant(b, loc, type, factor));
      if (op.getMask())
        value = arith::AddFOp::create(b, loc, value, fromStorage(b, loc, s[1], getElementType(op.getMask())));
      return value;
    });
  }

  /// Their softmax along the keys.
  Value soften() {
    Location loc = body.getLoc();
    Value largest = reduce(nn::ReduceKind::Max, scores);
    Value powers = map({scores, largest}, {identity, rowMap}, [&](OpBuilder &b, ValueRange s) -> Value {
      return math::ExpOp::create(b, loc, arith::SubFOp::create(b, loc, s[0], s[1]));
    });
    Value sum = reduce(nn::ReduceKind::Sum, powers);
    return map({powers, sum}, {identity, rowMap}, [&](OpBuilder &b, ValueRange s) -> Value {
      return arith::MulFOp::create(b, loc, s[0], arith::DivFOp::create(b, loc, emitConstant(b, loc, type, 1), s[1]));
    });
  }

private:
  using ScalarBody = llvm::function_ref<Value(OpBuilder &, ValueRange)>;

  Value map(ArrayRef<Value> tensors, ArrayRef<AffineMap> maps, ScalarBody scalar) {
    Sweep sweep;
    sweep.shape.assign(shape.begin(), shape.end());
    sweep.tensors.assign(tensors.begin(), tensors.end());
    sweep.maps.assign(maps.begin(), maps.end());
    sweep.destination = body.empty(shape, type);
    sweep.body = [&](OpBuilder &b, ValueRange, ValueRange scalars, Value) { return scalar(b, scalars); };
    return body.emitSweep(sweep);
  }

  Value reduce(nn::ReduceKind kind, Value tensor) {
    Sweep sweep;
    sweep.shape.assign(shape.begin(), shape.end());
    sweep.tensors = {tensor};
    sweep.maps = {identity};
    sweep.iterators.assign(shape.size(), parallel);
    sweep.iterators.back() = reduction;
    sweep.destination = body.fill(getIdentity(kind, type, false), body.empty(shape.drop_back(), type));
    sweep.destinationMap = rowMap;
    sweep.body = [&](OpBuilder &b, ValueRange, ValueRange scalars, Value old) {
      return combine(b, body.getLoc(), kind, old, scalars[0], false);
    };
    return body.emitSweep(sweep);
  }

  KernelBody &body;
  Value scores;
  ArrayRef<int64_t> shape;
  Type type;
  AffineMap identity, rowMap;
};

} // namespace

static LogicalResult lowerAttention(KernelBody &body, nn::AttentionOp op, nn::TransposeOp written) {
  StridedOperand queries = readThroughTranspose(op.getQueries()), keys = readThroughTranspose(op.getKeys()),
                 values = readThroughTranspose(op.getValues());
  const SmallVector<int64_t> shape = body.getShape(op.getResult());
  ArrayRef<int64_t> batchSizes = ArrayRef<int64_t>(shape).drop_back(2);
  SmallVector<int64_t> scoresShape(shape);
  scoresShape.back() = cast<RankedTensorType>(op.getKeys().getType()).getShape().back();
  Value result = written ? written.getResult() : op.getResult();
  Type sumType = getComputeType(getElementType(result));

  Loops loops{body.getContext(), {}};
  SmallVector<AffineExpr> batches = loops.add(parallel, batchSizes.size());
  AffineExpr m = loops.add(parallel), n = loops.add(parallel), k = loops.add(reduction);
  auto mapOf = [&](const StridedOperand &operand, AffineExpr row, AffineExpr column) {
    return getProductMap(loops, operand, body.getShape(operand.source), batches, batchSizes, row, column);
  };
  SmallVector<AffineExpr> output = batches;
  output.append({m, n});
  Value scores = addProducts(body, body.empty(scoresShape, sumType), {op.getQueries(), op.getKeys()},
                             {body.read(queries.source), body.read(keys.source)},
                             {mapOf(queries, m, k), mapOf(keys, k, n), loops.map(output)}, loops.iterators);
  ScoreSweeps sweeps(body, scores);
  if (op.getMask() || !op.getScale().isExactlyValue(1))
    sweeps.scaleAndMask(op);
  Value weights = sweeps.soften();

  // The same loops, of which the last is over keys now, and the one before it over the values' columns.
  SmallVector<AffineExpr> ofWeights = batches;
  ofWeights.append({m, k});
  SmallVector<int64_t> uncuttable = {int64_t(shape.size()) - 1};
  body.setUncuttable(uncuttable);
  return finishContraction(body, result, {weights, op.getValues()}, {weights, body.read(values.source)},
                           {loops.map(ofWeights), mapOf(values, k, n), getResultMap(loops, output, written)},
                           loops.iterators);
}

LogicalResult lowerAttention(KernelBody &body, nn::AttentionOp op) { return lowerAttention(body, op, /*written=*/{}); }

LogicalResult lowerTransposed(KernelBody &body, Operation *product, nn::TransposeOp written) {
  if (auto attention = dyn_cast<nn::AttentionOp>(product))
    return lowerAttention(body, attention, written);
  return lowerMatMul(body, cast<nn::MatMulOp>(product), written);
}

} // namespace nacre::kernels
