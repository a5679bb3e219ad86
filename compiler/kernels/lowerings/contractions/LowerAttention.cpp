// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers attention of floats and of codes.
//
// 1. Corrections of sums of products for zero points.
// 2. Sweeps over the scores.
// 3. The two products.

#include "compiler/kernels/bodies/ElementTypes.h"
#include "compiler/kernels/bodies/ScalarBodies.h"
#include "compiler/kernels/lowerings/Lowering.h"
#include "compiler/kernels/lowerings/contractions/MultiplyAdd.h"
#include "dialects/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace nacre::kernels {

static constexpr auto parallel = utils::IteratorType::parallel;
static constexpr auto reduction = utils::IteratorType::reduction;

namespace {

//===----------------------------------------------------------------------===//
// 1. Zero points
//===----------------------------------------------------------------------===//

/// Correction of sums of products of codes for the zero points of the codes. It adds sums of rows of the left codes and
/// sums of columns of the right codes. Each has a map and a factor. It also adds a constant.
struct Centred {
  SmallVector<Value> tensors;
  SmallVector<AffineMap> maps;
  SmallVector<int64_t> factors;
  int64_t constant = 0;

  Value emit(OpBuilder &b, Location loc, Value sum, ValueRange ofTensors) const {
    Type type = sum.getType();
    auto number = [&](int64_t value) {
      return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value)).getResult();
    };
    for (auto [factor, addend] : llvm::zip(factors, ofTensors))
      sum = arith::AddIOp::create(b, loc, sum, arith::MulIOp::create(b, loc, addend, number(factor)));
    return constant == 0 ? sum : arith::AddIOp::create(b, loc, sum, number(constant)).getResult();
  }
};

//===----------------------------------------------------------------------===//
// 2. Scores
//===----------------------------------------------------------------------===//

/// Sweeps over the scores [batches..., rows, keys] between the two products of attention. If the operands are codes,
/// the scores begin as integers and end as codes.
class ScoreSweeps {
public:
  ScoreSweeps(KernelBody &body, Value scores)
      : body(body), scores(scores), shape(cast<RankedTensorType>(scores.getType()).getShape()),
        type(elementTypeOf(scores)), identity(body.getBuilder().getMultiDimIdentityMap(shape.size())),
        rowMap(identity.getMajorSubMap(shape.size() - 1)) {
    if (!isa<FloatType>(type))
      type = body.getBuilder().getF32Type();
  }

  /// Scales the scores and adds the mask. `centred` corrects scores of codes for their zero points.
  void scaleAndMask(nn::AttentionOp op, const Centred &centred) {
    const double factor = op.getScale().convertToDouble();
    Location loc = body.getLoc();
    SmallVector<Value> tensors = {scores};
    SmallVector<AffineMap> maps = {identity};
    llvm::append_range(tensors, centred.tensors);
    llvm::append_range(maps, centred.maps);
    if (op.getMask()) {
      tensors.push_back(body.read(op.getMask()));
      maps.push_back(body.getBroadcastMap(body.getShape(op.getMask()), shape));
    }
    scores = map(tensors, maps, type, [&](OpBuilder &b, ValueRange s) {
      Value value = s[0];
      if (op.isOfCodes())
        value = arith::SIToFPOp::create(b, loc, type, centred.emit(b, loc, value, s.drop_front()));
      if (factor != 1)
        value = arith::MulFOp::create(b, loc, value, emitConstant(b, loc, type, factor));
      if (op.getMask())
        value = arith::AddFOp::create(b, loc, value, fromStorage(b, loc, s.back(), elementTypeOf(op.getMask())));
      return value;
    });
  }

  /// Returns the softmax of the scores along the keys.
  Value soften(nn::AttentionOp op) {
    Location loc = body.getLoc();
    Value largest = reduce(nn::ReduceKind::Max, scores);
    Value powers = map({scores, largest}, {identity, rowMap}, type, [&](OpBuilder &b, ValueRange s) -> Value {
      return math::ExpOp::create(b, loc, arith::SubFOp::create(b, loc, s[0], s[1]));
    });
    Value sum = reduce(nn::ReduceKind::Sum, powers);
    return map({powers, sum}, {identity, rowMap}, storageOf(op), [&](OpBuilder &b, ValueRange s) -> Value {
      Value weight =
          arith::MulFOp::create(b, loc, s[0], arith::DivFOp::create(b, loc, emitConstant(b, loc, type, 1), s[1]));
      return op.isOfCodes() ? quantize(b, weight, op) : weight;
    });
  }

private:
  using ScalarBody = llvm::function_ref<Value(OpBuilder &, ValueRange)>;

  /// Returns the storage type of the weights. Codes have the type of the queries.
  Type storageOf(nn::AttentionOp op) const {
    return op.isOfCodes() ? getStorageType(elementTypeOf(op.getQueries())) : type;
  }

  /// Emits the code of a weight in the same form as a quantization that was imported from a model.
  Value quantize(OpBuilder &b, Value weight, nn::AttentionOp op) {
    Location loc = body.getLoc();
    const Type codes = elementTypeOf(op.getQueries());
    const double zero = static_cast<double>((*op.getZeros())[nn::AttentionOp::WeightZero]);
    auto number = [&](double value) { return emitConstant(b, loc, type, value); };
    Value steps = arith::DivFOp::create(b, loc, weight, number(op.getWeightScale()->convertToDouble()));
    Value code = math::RoundEvenOp::create(b, loc, steps);
    if (zero != 0)
      code = arith::AddFOp::create(b, loc, code, number(zero));
    return emitIntegerOfFloat(b, loc, code, codes);
  }

  Value map(ArrayRef<Value> tensors, ArrayRef<AffineMap> maps, Type type, ScalarBody scalar) {
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

//===----------------------------------------------------------------------===//
// 3. Products
//===----------------------------------------------------------------------===//

/// Lowering of both products. Loops of the first: [batches..., rows, keys | depth]. Loops of the second: [batches...,
/// rows, columns | keys].
class AttentionLowering {
public:
  AttentionLowering(KernelBody &body, nn::AttentionOp op, nn::TransposeOp written)
      : body(body), op(op), written(written), queries(readThroughTranspose(op.getQueries())),
        keys(readThroughTranspose(op.getKeys())), values(readThroughTranspose(op.getValues())),
        shape(body.getShape(op.getResult())), loops{body.getContext(), {}},
        batches(loops.add(parallel, shape.size() - 2)), m(loops.add(parallel)), n(loops.add(parallel)),
        k(loops.add(reduction)), sumType(getComputeType(elementTypeOf(op.getResult()))) {}

  LogicalResult lower() {
    SmallVector<int64_t> scoresShape(shape);
    scoresShape.back() = cast<RankedTensorType>(op.getKeys().getType()).getShape().back();
    // All sums except the sums of the weights need only operands, so they come before the products.
    Centred first, second;
    if (op.isOfCodes())
      addSums(first, second);
    Value scores = addProducts(body, body.empty(scoresShape, sumType), {op.getQueries(), op.getKeys()},
                               {body.read(queries.source), body.read(keys.source)},
                               {mapOf(queries, m, k), mapOf(keys, k, n), axes(m, n)}, loops.iterators);
    ScoreSweeps sweeps(body, scores);
    if (op.isOfCodes() || op.getMask() || !op.getScale().isExactlyValue(1))
      sweeps.scaleAndMask(op, first);
    Value weights = sweeps.soften(op);
    if (const int64_t zero = zeroOf(Zero::ValueZero); zero != 0)
      addSum(second, sum(weights, elementTypeOf(op.getQueries()), axes(m, k), m, shape[shape.size() - 2]), m, -zero);

    SmallVector<int64_t> uncuttable = {int64_t(shape.size()) - 1};
    body.setUncuttable(uncuttable);
    Value result = written ? written.getResult() : op.getResult();
    // Quantized weights have the type of the queries.
    std::pair<Value, Value> factors = {op.isOfCodes() ? op.getQueries() : weights, op.getValues()};
    SmallVector<AffineMap> maps = {axes(m, k), mapOf(values, k, n), resultMap()};
    if (!op.isOfCodes())
      return finishContraction(body, result, factors, {weights, body.read(values.source)}, maps, loops.iterators);
    const bool moreWork = !second.tensors.empty() || second.constant != 0;
    Value destination = body.getAccumulator(result, sumType, moreWork);
    Value sums = addProducts(body, destination, factors, {weights, body.read(values.source)}, maps, loops.iterators);
    define(result, sums, second);
    return body.finish(sums);
  }

private:
  using Zero = nn::AttentionOp::Zero;

  int64_t zeroOf(Zero zero) { return op.isOfCodes() ? (*op.getZeros())[zero] : 0; }

  AffineMap mapOf(const StridedOperand &operand, AffineExpr row, AffineExpr column) {
    ArrayRef<int64_t> batchSizes = ArrayRef<int64_t>(shape).drop_back(2);
    return getProductMap(loops, operand, body.getShape(operand.source), batches, batchSizes, row, column);
  }
  AffineMap axes(AffineExpr row, AffineExpr column) {
    SmallVector<AffineExpr> all = batches;
    all.append({row, column});
    return loops.map(all);
  }
  AffineMap resultMap() {
    SmallVector<AffineExpr> all = batches;
    all.append({m, n});
    return getResultMap(loops, all, written);
  }

  int64_t columnsOf(Value operand) const { return cast<RankedTensorType>(operand.getType()).getShape().back(); }

  void addSums(Centred &first, Centred &second) {
    const int64_t queryZero = zeroOf(Zero::QueryZero), keyZero = zeroOf(Zero::KeyZero),
                  weightZero = zeroOf(Zero::WeightZero), valueZero = zeroOf(Zero::ValueZero);
    auto sumOf = [&](Value operand, const StridedOperand &strided, AffineMap map, AffineExpr kept, int64_t size) {
      return sum(body.read(strided.source), elementTypeOf(operand), map, kept, size);
    };
    if (keyZero != 0)
      addSum(first, sumOf(op.getQueries(), queries, mapOf(queries, m, k), m, shape[shape.size() - 2]), m, -keyZero);
    if (queryZero != 0)
      addSum(first, sumOf(op.getKeys(), keys, mapOf(keys, k, n), n, columnsOf(op.getKeys())), n, -queryZero);
    first.constant = columnsOf(op.getQueries()) * queryZero * keyZero;
    if (weightZero != 0)
      addSum(second, sumOf(op.getValues(), values, mapOf(values, k, n), n, shape.back()), n, -weightZero);
    second.constant = columnsOf(op.getKeys()) * weightZero * valueZero;
  }

  /// Emits the sums of the codes at `map` along `k`, for each batch and each of the `size` indices of `kept`.
  Value sum(Value tensor, Type codes, AffineMap map, AffineExpr kept, int64_t size) {
    Location loc = body.getLoc();
    const unsigned other = cast<AffineDimExpr>(kept == m ? n : m).getPosition();
    auto withoutOther = [&](AffineMap map) {
      SmallVector<AffineExpr> dims;
      for (unsigned dim = 0, next = 0; dim < map.getNumDims(); ++dim)
        dims.push_back(dim == other ? getAffineConstantExpr(0, body.getContext())
                                    : getAffineDimExpr(next++, body.getContext()));
      return map.replaceDimsAndSymbols(dims, {}, map.getNumDims() - 1, 0);
    };
    SmallVector<AffineExpr> all = batches;
    all.push_back(kept);
    SmallVector<int64_t> sizes(ArrayRef<int64_t>(shape).drop_back(2));
    sizes.push_back(size);
    SmallVector<utils::IteratorType> iterators(sizes.size(), parallel);
    iterators.push_back(reduction);
    Value zero = body.fill(body.getBuilder().getZeroAttr(sumType), body.empty(sizes, sumType));
    return linalg::GenericOp::create(body.getBuilder(), loc, zero.getType(), tensor, zero,
                                     {withoutOther(map), withoutOther(loops.map(all))}, iterators,
                                     [&](OpBuilder &b, Location loc, ValueRange scalars) {
                                       Value code = widen(b, loc, scalars[0], codes, sumType);
                                       linalg::YieldOp::create(
                                           b, loc, arith::AddIOp::create(b, loc, scalars[1], code).getResult());
                                     })
        .getResult(0);
  }

  /// Adds `tensor` times `factor` to the correction. The tensor has one value per batch and index of `axis`, which is
  /// one of the last two axes.
  void addSum(Centred &centred, Value tensor, AffineExpr axis, int64_t factor) {
    const unsigned rank = shape.size();
    SmallVector<AffineExpr> results;
    for (unsigned dim = 0; dim + 2 < rank; ++dim)
      results.push_back(getAffineDimExpr(dim, body.getContext()));
    results.push_back(getAffineDimExpr(axis == m ? rank - 2 : rank - 1, body.getContext()));
    centred.tensors.push_back(tensor);
    centred.maps.push_back(AffineMap::get(rank, 0, results, body.getContext()));
    centred.factors.push_back(factor);
  }

  /// Defines `result` as the sums minus their correction. The axes of `result` may be in another order.
  void define(Value result, Value sums, const Centred &centred) {
    const unsigned rank = shape.size();
    AffineMap toSums = body.getBuilder().getMultiDimIdentityMap(rank);
    if (written) {
      SmallVector<int64_t> back = invertPermutationVector(SmallVector<int64_t>(written.getPermutation()));
      toSums = AffineMap::getPermutationMap(back, body.getContext());
    }
    Definition definition;
    definition.tensors.push_back(sums);
    definition.maps.push_back(body.getBuilder().getMultiDimIdentityMap(rank));
    for (auto [tensor, map] : llvm::zip_equal(centred.tensors, centred.maps)) {
      definition.tensors.push_back(tensor);
      definition.maps.push_back(map.compose(toSums));
    }
    definition.scalar = [centred, loc = body.getLoc()](OpBuilder &b, ValueRange scalars) {
      return centred.emit(b, loc, scalars[0], scalars.drop_front());
    };
    body.define(result, std::move(definition));
  }

  KernelBody &body;
  nn::AttentionOp op;
  nn::TransposeOp written;
  const StridedOperand queries, keys, values;
  const SmallVector<int64_t> shape; ///< Shape of the result before the transpose `written`.
  Loops loops;
  const SmallVector<AffineExpr> batches;
  const AffineExpr m, n, k;
  const Type sumType;
};

} // namespace

LogicalResult lowerAttention(KernelBody &body, nn::AttentionOp op, nn::TransposeOp written) {
  return AttentionLowering(body, op, written).lower();
}

LogicalResult lowerAttention(KernelBody &body, nn::AttentionOp op) { return lowerAttention(body, op, /*written=*/{}); }

} // namespace nacre::kernels
