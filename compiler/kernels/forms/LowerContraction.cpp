// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  matrix products and convolutions: a fill with zero, one generic that multiplies and adds, and the epilogue.
// How:   1. the generic that all share; 2. products; 3. convolutions.

#include "compiler/kernels/forms/ElementTypes.h"
#include "compiler/kernels/forms/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace nacre::kernels {

//===----------------------------------------------------------------------===//
// 1. Multiply and add
//===----------------------------------------------------------------------===//

static Type getElementType(Value tensor) { return cast<RankedTensorType>(tensor.getType()).getElementType(); }

namespace {

/// The affine expressions of a contraction: loops are numbered as they are asked for.
struct Loops {
  MLIRContext *context;
  SmallVector<utils::IteratorType> iterators;

  AffineExpr add(utils::IteratorType type) {
    iterators.push_back(type);
    return getAffineDimExpr(iterators.size() - 1, context);
  }
  SmallVector<AffineExpr> add(utils::IteratorType type, size_t count) {
    SmallVector<AffineExpr> dims;
    for (size_t i = 0; i < count; ++i)
      dims.push_back(add(type));
    return dims;
  }
  AffineMap map(ArrayRef<AffineExpr> results) const { return AffineMap::get(iterators.size(), 0, results, context); }
};

} // namespace

static constexpr auto parallel = utils::IteratorType::parallel;
static constexpr auto reduction = utils::IteratorType::reduction;

/// A factor as it was loaded, in the type of the sum: narrow integers are widened by their own sign.
static Value toFactor(OpBuilder &b, Location loc, Value scalar, Type elementType, Type accumulatorType) {
  Value factor = fromStorage(b, loc, scalar, elementType);
  if (factor.getType() == accumulatorType)
    return factor;
  if (elementType.isUnsignedInteger())
    return arith::ExtUIOp::create(b, loc, accumulatorType, factor);
  return arith::ExtSIOp::create(b, loc, accumulatorType, factor);
}

/// Ends the kernel with the sum of products of two arguments, which hold the elements of `factors`. Further inputs only
/// give sizes. `result` may be the sum in another order.
static LogicalResult finishContraction(KernelBody &body, Value result, std::pair<Value, Value> factors,
                                       ValueRange inputs, ArrayRef<AffineMap> maps,
                                       ArrayRef<utils::IteratorType> iterators) {
  Type accumulatorType = getComputeType(getElementType(result));
  Type left = getElementType(factors.first), right = getElementType(factors.second);
  Value zero = body.fill(cast<TypedAttr>(body.getBuilder().getZeroAttr(accumulatorType)),
                         body.getAccumulator(result, accumulatorType));
  auto build = [&](OpBuilder &b, Location loc, ValueRange scalars) {
    Value x = toFactor(b, loc, scalars[0], left, accumulatorType);
    Value w = toFactor(b, loc, scalars[1], right, accumulatorType);
    Value sum;
    if (isa<FloatType>(accumulatorType))
      sum = arith::AddFOp::create(b, loc, scalars.back(), arith::MulFOp::create(b, loc, x, w));
    else
      sum = arith::AddIOp::create(b, loc, scalars.back(), arith::MulIOp::create(b, loc, x, w));
    linalg::YieldOp::create(b, loc, sum);
  };
  Value accumulator =
      linalg::GenericOp::create(body.getBuilder(), body.getLoc(), zero.getType(), inputs, zero, maps, iterators, build)
          .getResult(0);
  body.defineAs(result, accumulator);
  return body.finish(accumulator);
}

//===----------------------------------------------------------------------===//
// 2. Products
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

bool isReadThrough(Operation *op) {
  return isa<nn::TransposeOp>(op) && !op->use_empty() &&
         llvm::all_of(op->getUsers(), [](Operation *user) { return isa<nn::MatMulOp>(user); });
}

nn::MatMulOp getTransposedProduct(Operation *op) {
  auto transpose = dyn_cast<nn::TransposeOp>(op);
  if (!transpose || isReadThrough(op))
    return {};
  auto product = transpose.getOperand().getDefiningOp<nn::MatMulOp>();
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  bool keepsColumns = permutation.back() == int64_t(permutation.size()) - 1;
  const bool isBeside = product && product->getBlock() == op->getBlock(); // not around a loop that it is in
  return isBeside && product->hasOneUse() && keepsColumns ? product : nn::MatMulOp();
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

LogicalResult lowerMatMul(KernelBody &body, nn::MatMulOp op) { return lowerMatMul(body, op, /*written=*/{}); }

LogicalResult lowerMatMul(KernelBody &body, nn::MatMulOp op, nn::TransposeOp written) {
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
  if (written)
    output = applyPermutation(output, written.getPermutation());
  SmallVector<AffineMap> maps = {getProductMap(loops, left, leftShape, batches, batchSizes, m, k),
                                 getProductMap(loops, right, rightShape, batches, batchSizes, k, n), loops.map(output)};
  Value x = body.read(left.source), w = body.read(right.source);
  Value result = written ? written.getResult() : op.getResult();
  return finishContraction(body, result, {op.getLhs(), op.getRhs()}, {x, w}, maps, loops.iterators);
}

//===----------------------------------------------------------------------===//
// 3. Convolutions
//===----------------------------------------------------------------------===//

LogicalResult lowerConv(KernelBody &body, nn::ConvOp op) {
  assert(llvm::all_of(op.getPads(), [](int64_t pad) { return pad == 0; }) && "has pads of its own");
  ArrayRef<int64_t> filter = cast<RankedTensorType>(op.getFilter().getType()).getShape();
  size_t spatial = filter.size() - 2;
  int64_t groups = op.getGroups(), inputs = filter[spatial], outputs = filter[spatial + 1] / groups;
  bool depthwise = groups > 1 && inputs == 1 && outputs == 1;
  bool grouped = groups > 1 && !depthwise;

  Loops loops{body.getContext(), {}};
  AffineExpr n = loops.add(parallel);
  SmallVector<AffineExpr> o = loops.add(parallel, spatial);
  AffineExpr g = grouped ? loops.add(parallel) : AffineExpr();
  AffineExpr oc = loops.add(parallel);
  SmallVector<AffineExpr> f = loops.add(reduction, spatial);
  AffineExpr ic = depthwise ? oc : loops.add(reduction);

  SmallVector<AffineExpr> x = {n}, w(f), y = {n};
  for (size_t axis = 0; axis < spatial; ++axis)
    x.push_back(o[axis] * op.getStrides()[axis] + f[axis] * op.getDilations()[axis]);
  llvm::append_range(y, o);
  x.push_back(grouped ? g * inputs + ic : ic);
  y.push_back(grouped ? g * outputs + oc : oc);
  if (!depthwise)
    w.push_back(ic);
  w.push_back(grouped ? g * outputs + oc : oc);

  SmallVector<int64_t> filterShape(filter);
  if (depthwise)
    filterShape.erase(filterShape.begin() + spatial);
  SmallVector<Value> operands = {body.read(op.getInput()), body.read(op.getFilter(), ArrayRef<int64_t>(filterShape))};
  SmallVector<AffineMap> maps = {loops.map(x), loops.map(w)};
  if (grouped) {
    operands.push_back(body.empty({groups, outputs}, getComputeType(getElementType(op.getResult()))));
    maps.push_back(loops.map({g, oc}));
  }
  maps.push_back(loops.map(y));
  return finishContraction(body, op.getResult(), {op.getInput(), op.getFilter()}, operands, maps, loops.iterators);
}

} // namespace nacre::kernels
