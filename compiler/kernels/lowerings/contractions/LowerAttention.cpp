// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers attention of floats and of codes.
//
// The two products, and corrections of sums of products for zero points. ScoreSweeps.h has the sweeps between them.

#include "compiler/kernels/bodies/ElementTypes.h"
#include "compiler/kernels/bodies/ScalarBodies.h"
#include "compiler/kernels/lowerings/Lowering.h"
#include "compiler/kernels/lowerings/contractions/MultiplyAdd.h"
#include "compiler/kernels/lowerings/contractions/ScoreSweeps.h"
#include "dialects/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace nacre::kernels {

static constexpr auto parallel = utils::IteratorType::parallel;
static constexpr auto reduction = utils::IteratorType::reduction;

namespace {

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
    if (op.isOfCodes() || op.getMask() || op.getSoftcap() || op.isBounded() || !op.getScale().isExactlyValue(1))
      sweeps.finishScores(op, first);
    Value weights = sweeps.soften(op);
    if (const int64_t zero = zeroOf(Part::Values); zero != 0)
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
  using Part = nn::AttentionOp::Part;

  int64_t zeroOf(Part part) { return op.isOfCodes() ? op.getCodesOf(part).getZero() : 0; }

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
    const int64_t queryZero = zeroOf(Part::Queries), keyZero = zeroOf(Part::Keys), weightZero = zeroOf(Part::Weights),
                  valueZero = zeroOf(Part::Values);
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
