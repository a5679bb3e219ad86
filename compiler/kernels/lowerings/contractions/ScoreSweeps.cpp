// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/lowerings/contractions/ScoreSweeps.h"

#include "compiler/kernels/bodies/ElementTypes.h"
#include "compiler/kernels/bodies/QuantizedCasts.h"
#include "compiler/kernels/bodies/ScalarBodies.h"

#include "dialects/plan/KeyBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace nacre::kernels {

Value Centred::emit(OpBuilder &b, Location loc, Value sum, ValueRange ofTensors) const {
  Type type = sum.getType();
  auto number = [&](int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value)).getResult();
  };
  for (auto [factor, addend] : llvm::zip(factors, ofTensors))
    sum = arith::AddIOp::create(b, loc, sum, arith::MulIOp::create(b, loc, addend, number(factor)));
  return constant == 0 ? sum : arith::AddIOp::create(b, loc, sum, number(constant)).getResult();
}

ScoreSweeps::ScoreSweeps(KernelBody &body, Value scores)
    : body(body), scores(scores), shape(cast<RankedTensorType>(scores.getType()).getShape()),
      type(elementTypeOf(scores)), identity(body.getBuilder().getMultiDimIdentityMap(shape.size())),
      rowMap(identity.getMajorSubMap(shape.size() - 1)) {
  if (!isa<FloatType>(type))
    type = body.getBuilder().getF32Type();
}

void ScoreSweeps::finishScores(nn::AttentionOp op, const Centred &centred) {
  // The factor includes the division by the softcap, because a division takes as long as several products.
  const double limit = op.getSoftcap() ? op.getSoftcap()->convertToDouble() : 1, factor = op.getScoreFactor() / limit;
  Location loc = body.getLoc();
  Reads reads;
  reads.add(scores, identity);
  for (auto [tensor, map] : llvm::zip_equal(centred.tensors, centred.maps))
    reads.add(tensor, map);
  const Read mask = addOperand(reads, op.getMask()), offset = addOperand(reads, op.getOffset());
  scores = map(reads, type, [&](OpBuilder &b, ValueRange s) {
    auto number = [&](double value) { return emitConstant(b, loc, type, value); };
    Value value = s[0];
    if (op.isOfCodes())
      value = arith::SIToFPOp::create(b, loc, type, centred.emit(b, loc, value, s.slice(1, centred.tensors.size())));
    if (factor != 1)
      value = arith::MulFOp::create(b, loc, value, number(factor));
    if (op.getSoftcap())
      value = arith::MulFOp::create(b, loc, math::TanhOp::create(b, loc, value), number(limit));
    if (op.getMask())
      value = arith::AddFOp::create(b, loc, value, take(b, mask, s));
    if (op.isBounded()) {
      Value seen = isSeen(b, op, op.getOffset() ? take(b, offset, s) : Value());
      value = arith::SelectOp::create(b, loc, seen, value, number(-HUGE_VAL));
    }
    return value;
  });
  if (op.isBounded())
    setBounds(op, offset);
}

void ScoreSweeps::setBounds(nn::AttentionOp op, const Read &offset) {
  plan::KeyBounds bounds{op.getBefore(), op.getBehind(), 0, std::nullopt};
  if (offset.splat)
    bounds.offset = cast<IntegerAttr>(offset.splat).getInt();
  else if (offset.operand)
    bounds.offsetInput = offset.index;
  plan::setKeyBounds(scores.getDefiningOp(), bounds);
}

Value ScoreSweeps::soften(nn::AttentionOp op) {
  Location loc = body.getLoc();
  Reads scored;
  scored.add(scores, identity);
  const Read scoredSink = addOperand(scored, op.getSink());
  Value largest = reduce(nn::ReduceKind::Max, scored, [&](OpBuilder &b, ValueRange s) {
    return op.getSink() ? combine(b, loc, nn::ReduceKind::Max, s[0], take(b, scoredSink, s), false) : s[0];
  });
  Reads shifted;
  shifted.add(scores, identity);
  shifted.add(largest, rowMap);
  Value powers = map(shifted, type, [&](OpBuilder &b, ValueRange s) -> Value {
    return math::ExpOp::create(b, loc, arith::SubFOp::create(b, loc, s[0], s[1]));
  });
  Reads powered;
  powered.add(powers, identity);
  Value sum = reduce(nn::ReduceKind::Sum, powered, [](OpBuilder &, ValueRange s) { return s[0]; });
  powered.add(sum, rowMap);
  if (op.getSink() || op.getHidesRows())
    powered.add(largest, rowMap);
  const Read sink = addOperand(powered, op.getSink());
  return map(powered, storageOf(op), [&](OpBuilder &b, ValueRange s) -> Value {
    Value total = s[1];
    if (op.getSink()) {
      Value other = math::ExpOp::create(b, loc, arith::SubFOp::create(b, loc, take(b, sink, s), s[2]));
      total = arith::AddFOp::create(b, loc, total, other);
    }
    Value weight =
        arith::MulFOp::create(b, loc, s[0], arith::DivFOp::create(b, loc, emitConstant(b, loc, type, 1), total));
    if (op.getHidesRows()) {
      Value isHidden =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, s[2], emitConstant(b, loc, type, -HUGE_VAL));
      weight = arith::SelectOp::create(b, loc, isHidden, emitConstant(b, loc, type, 0), weight);
    }
    return op.isOfCodes() ? quantize(b, weight, op) : weight;
  });
}

Type ScoreSweeps::storageOf(nn::AttentionOp op) const {
  return op.isOfCodes() ? getStorageType(elementTypeOf(op.getQueries())) : type;
}

Value ScoreSweeps::quantize(OpBuilder &b, Value weight, nn::AttentionOp op) {
  Location loc = body.getLoc();
  const nn::CodesAttr codes = op.getCodesOf(nn::AttentionOp::Weights);
  Value scale = emitConstant(b, loc, type, codes.getScale().convertToDouble());
  return emitQuantized(b, loc, arith::DivFOp::create(b, loc, weight, scale), codes.getZero(),
                       cast<IntegerType>(elementTypeOf(op.getQueries())));
}

Value ScoreSweeps::isSeen(OpBuilder &b, nn::AttentionOp op, Value offset) {
  Location loc = body.getLoc();
  auto index = [&](int64_t axis) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getI32Type(), linalg::IndexOp::create(b, loc, axis));
  };
  const int64_t rank = shape.size(), furthest = shape[rank - 1] + shape[rank - 2];
  Value key = index(rank - 1), position = index(rank - 2), seen;
  if (offset)
    position = arith::AddIOp::create(b, loc, position, offset);
  Value distance = arith::SubIOp::create(b, loc, key, position);
  auto require = [&](arith::CmpIPredicate predicate, int64_t bound) {
    Value limit = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(bound));
    Value holds = arith::CmpIOp::create(b, loc, predicate, distance, limit);
    seen = seen ? arith::AndIOp::create(b, loc, seen, holds).getResult() : holds;
  };
  if (op.getBehind())
    require(arith::CmpIPredicate::sle, std::min<int64_t>(*op.getBehind(), furthest));
  if (op.getBefore())
    require(arith::CmpIPredicate::sge, -std::min<int64_t>(*op.getBefore(), furthest));
  return seen;
}

ScoreSweeps::Read ScoreSweeps::addOperand(Reads &reads, Value operand) {
  if (!operand)
    return {};
  if (TypedAttr splat = getSplat(operand))
    return {operand, toCompute(splat), 0};
  reads.add(body.read(operand), body.getBroadcastMap(body.getShape(operand), shape));
  return {operand, {}, unsigned(reads.tensors.size() - 1)};
}

Value ScoreSweeps::take(OpBuilder &b, const Read &read, ValueRange scalars) const {
  if (read.splat)
    return arith::ConstantOp::create(b, body.getLoc(), read.splat);
  return fromStorage(b, body.getLoc(), scalars[read.index], elementTypeOf(read.operand));
}

Value ScoreSweeps::map(const Reads &reads, Type type, ScalarBody scalar) {
  Sweep sweep;
  sweep.shape.assign(shape.begin(), shape.end());
  sweep.tensors = reads.tensors;
  sweep.maps = reads.maps;
  sweep.destination = body.empty(shape, type);
  sweep.body = [&](OpBuilder &b, ValueRange, ValueRange scalars, Value) { return scalar(b, scalars); };
  return body.emitSweep(sweep);
}

Value ScoreSweeps::reduce(nn::ReduceKind kind, const Reads &reads, ScalarBody scalar) {
  Sweep sweep;
  sweep.shape.assign(shape.begin(), shape.end());
  sweep.tensors = reads.tensors;
  sweep.maps = reads.maps;
  sweep.iterators.assign(shape.size(), utils::IteratorType::parallel);
  sweep.iterators.back() = utils::IteratorType::reduction;
  sweep.destination = body.fill(getIdentity(kind, type, false), body.empty(shape.drop_back(), type));
  sweep.destinationMap = rowMap;
  sweep.body = [&](OpBuilder &b, ValueRange, ValueRange scalars, Value old) {
    return combine(b, body.getLoc(), kind, old, scalar(b, scalars), false);
  };
  return body.emitSweep(sweep);
}

} // namespace nacre::kernels
