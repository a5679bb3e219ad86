// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds `nn` operators for importers.
//
// 1. Makes one operator: infers its type, verifies it and folds it.
// 2. One function per operator.
// 3. Compositions that most handlers share. NnConstants.cpp makes constants.

#include "compiler/import/builder/NnBuilder.h"

#include "compiler/import/options/Limits.h"
#include "dialects/StoredBytes.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/nn/NarrowTypes.h"
#include "dialects/nn/attention/SpelledAttention.h"
#include "dialects/nn/evaluate/Evaluate.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>
#include <numeric>

using namespace mlir;

namespace nacre::importer {

ElementsAttr getConstant(Value value) {
  auto constant = value ? value.getDefiningOp<nn::ConstantOp>() : nn::ConstantOp();
  return constant ? constant.getValue() : ElementsAttr();
}

std::optional<ValueRange> getList(Value value) {
  if (!value || !isa<TupleType>(value.getType()))
    return std::nullopt;
  return ValueRange(value.getDefiningOp<UnrealizedConversionCastOp>().getInputs());
}

SmallVector<int64_t> axisRange(int64_t begin, int64_t end) {
  return llvm::to_vector(llvm::seq(begin, std::max(begin, end)));
}

//===----------------------------------------------------------------------===//
// 1. One operator
//===----------------------------------------------------------------------===//

bool ImportState::takeOperator(Location loc) {
  if (operatorsLeft-- > 0)
    return true;
  ++numErrors;
  emitError(loc)
      << "the model must have at most " << maxOperators
      << " operators after functions are inlined and loops unrolled, but has more; reduce the iterations of its loops";
  return false;
}

template <typename Op, typename... Args> Value NnBuilder::build(RankedTensorType type, Args &&...args) {
  OperationState state(loc, Op::getOperationName());
  Op::build(builder, state, type, args...);
  return finish(state, /*inferTypes=*/nullptr).front();
}

Operation *NnBuilder::make(OperationState &state, InferTypes inferTypes) {
  // MLIR's own messages name operators of `nn`, which users do not know.
  ScopedDiagnosticHandler silence(builder.getContext(), [](Diagnostic &) { return success(); });
  if (inferTypes) {
    SmallVector<Type> inferred;
    if (failed(inferTypes(builder.getContext(), loc, state.operands, state.attributes.getDictionary(loc.getContext()),
                          state.getRawProperties(), state.regions, inferred)))
      return nullptr;
    state.types.assign(inferred.begin(), inferred.end());
  }
  Operation *op = builder.create(state);
  if (succeeded(verify(op)))
    return op;
  op->erase();
  return nullptr;
}

SmallVector<Value> NnBuilder::finish(OperationState &state, InferTypes inferTypes) {
  SmallVector<Value> none(state.types.size());
  if (!shared.takeOperator(loc))
    return none;
  Operation *op = make(state, inferTypes);
  if (!op) {
    error() << "the operands and attributes must match the operator's definition, but do not; validate the model with "
               "its format's checker";
    return none;
  }
  for (Value result : op->getResults()) {
    if (getRank(result) <= maxRank)
      continue;
    error() << "must have at most " << maxRank << " axes, but has a result with " << getRank(result)
            << "; merge some with a Reshape";
    op->erase();
    return none;
  }
  if (const SmallVector<OpenAxis> open = findNeutral(op); !open.empty()) {
    op->erase();
    return finishFilled(state, inferTypes, open);
  }
  FailureOr<nn::AxisCounts> counts = passCounts(op);
  if (failed(counts)) {
    op->erase();
    return none;
  }
  auto note = [&](MutableArrayRef<Value> results) {
    if (llvm::none_of(*counts, [](Value count) { return bool(count); }))
      return;
    for (Value &result : results) {                 // of several, all have the same axes
      if (ElementsAttr known = getConstant(result)) // other users of this constant read all of it
        result = constant(known);
      if (result)
        shared.counts[result] = *counts;
    }
  };
  // An operator that changes nothing but the counts must not become its operand, which keeps its own.
  auto hasOwnCounts = [&](Value existing) {
    const nn::AxisCounts known = getCounts(existing);
    auto countAt = [](const nn::AxisCounts &of, int64_t axis) { return of.empty() ? Value() : of[axis]; };
    return !getConstant(existing) && llvm::any_of(llvm::seq(getRank(existing)), [&](int64_t axis) {
      return countAt(known, axis) != countAt(*counts, axis);
    });
  };
  SmallVector<Value> folded;
  // For a batch of 1, a reduction along the batch does nothing. If it were folded, a change of the batch could not find
  // it.
  const bool maySumBatch = shared.changesBatch && isa<nn::ReduceOp>(op) && !getConstant(op->getOperand(0));
  if (shared.foldBudget > 0 && !maySumBatch && succeeded(builder.tryFold(op, folded)) && !folded.empty() &&
      llvm::none_of(folded, hasOwnCounts)) {
    // A reshape makes no new data. An operator that reads more than it makes is charged for the data that it reads. So
    // the budget also bounds the time.
    int64_t bytes = nn::countReducedElements(op) * int64_t(sizeof(double));
    bool isView = isa<nn::ReshapeOp>(op);
    op->erase();
    for (Value value : folded) {
      ElementsAttr constant = getConstant(value);
      if (!constant || isView)
        continue;
      shared.foldBudget -= bytes;
      if (!constant.isSplat())
        shared.foldBudget -= storedBytes(constant.getShapedType());
    }
    note(folded);
    return folded;
  }
  SmallVector<Value> results = llvm::to_vector_of<Value>(op->getResults());
  note(results);
  return results;
}

//===----------------------------------------------------------------------===//
// 2. Operators
//===----------------------------------------------------------------------===//

Value NnBuilder::unary(nn::UnaryKind kind, Value operand, double alpha) {
  return infer<nn::UnaryOp>(kind, operand, APFloat(alpha));
}

Value NnBuilder::binary(nn::BinaryKind kind, Value lhs, Value rhs) { return infer<nn::BinaryOp>(kind, lhs, rhs); }

Value NnBuilder::binary(nn::BinaryKind kind, Value lhs, double rhs) { return binary(kind, lhs, scalar(lhs, rhs)); }

Value NnBuilder::select(Value condition, Value onTrue, Value onFalse) {
  return infer<nn::SelectOp>(condition, onTrue, onFalse);
}

Value NnBuilder::cast(Value operand, Type elementType, bool overflows, nn::ScaleRounding rounding) {
  if (!operand || getElementType(operand) == elementType)
    return operand;
  return build<nn::CastOp>(getType(operand).clone(elementType), operand, overflows, rounding);
}

Value NnBuilder::bitcast(Value operand, Type elementType) {
  if (!operand || getElementType(operand) == elementType)
    return operand;
  SmallVector<int64_t> shape(getShape(operand));
  unsigned from = getElementType(operand).getIntOrFloatBitWidth(), to = elementType.getIntOrFloatBitWidth();
  if (from > to)
    shape.push_back(from / to);
  else if (from < to)
    shape.pop_back();
  return build<nn::BitcastOp>(RankedTensorType::get(shape, elementType), operand);
}

Value NnBuilder::requantize(nn::FixedPointRounding rounding, Value operand, Value multiplier, Value shift) {
  return infer<nn::RequantizeOp>(rounding, operand, multiplier, shift);
}

Value NnBuilder::quantize(Value operand, Value scale, Value zero, Granularity granularity, bool overflows) {
  return infer<nn::QuantizeOp>(operand, scale, zero, static_cast<uint64_t>(granularity.axis),
                               static_cast<uint64_t>(granularity.block), overflows);
}

Value NnBuilder::dequantize(Value operand, Value scale, Value zero, Granularity granularity) {
  return infer<nn::DequantizeOp>(operand, scale, zero, static_cast<uint64_t>(granularity.axis),
                                 static_cast<uint64_t>(granularity.block));
}

Value NnBuilder::matmul(Value lhs, Value rhs) { return infer<nn::MatMulOp>(lhs, rhs); }

Value NnBuilder::conv(Value input, Value filter, Ints strides, Ints pads, Ints dilations, int64_t groups,
                      int64_t padValue) {
  return infer<nn::ConvOp>(input, filter, strides, pads, dilations, static_cast<uint64_t>(groups),
                           static_cast<uint64_t>(padValue));
}

Value NnBuilder::convTranspose(Value input, Value filter, Ints strides, Ints pads, Ints dilations, int64_t groups) {
  return infer<nn::ConvTransposeOp>(input, filter, strides, pads, dilations, static_cast<uint64_t>(groups));
}

Value NnBuilder::pool(nn::PoolKind kind, Value input, Ints kernel, Ints strides, Ints pads, Ints dilations,
                      Ints overhang, bool countPadding) {
  return infer<nn::PoolOp>(kind, input, kernel, strides, pads, dilations, overhang, countPadding);
}

Value NnBuilder::reduce(nn::ReduceKind kind, Value operand, Ints axes, bool keepDims) {
  if (operand && isOpen(operand))
    return reduceOpen(kind, operand, axes, keepDims);
  return infer<nn::ReduceOp>(kind, operand, axes, keepDims);
}

Value NnBuilder::argReduce(nn::ArgKind kind, Value operand, int64_t axis, bool keepDims, bool selectLast) {
  return infer<nn::ArgReduceOp>(kind, operand, static_cast<uint64_t>(axis), keepDims, selectLast);
}

Value NnBuilder::softmax(Value operand, int64_t axis, bool log) {
  return infer<nn::SoftmaxOp>(operand, static_cast<uint64_t>(axis), log);
}

Value NnBuilder::normalize(Value operand, Ints axes, double epsilon) {
  return infer<nn::NormalizeOp>(operand, axes, APFloat(epsilon));
}

Value NnBuilder::lrn(Value operand, int64_t size, double alpha, double beta, double bias) {
  return infer<nn::LrnOp>(operand, static_cast<uint64_t>(size), APFloat(alpha), APFloat(beta), APFloat(bias));
}

Value NnBuilder::attention(const AttentionOperands &a) {
  if (!a.queries || !a.keys || !a.values)
    return {};
  auto bound = [&](std::optional<int64_t> keys) { return keys ? builder.getI64IntegerAttr(*keys) : IntegerAttr(); };
  OperationState state(loc, nn::AttentionOp::getOperationName());
  nn::AttentionOp::build(builder, state, builder.getNoneType(), a.queries, a.keys, a.values, a.mask, a.sink, a.offset,
                         APFloat(a.scale), a.softcap != 0 ? builder.getF64FloatAttr(a.softcap) : FloatAttr(),
                         bound(a.before), bound(a.behind), a.hidesRows, /*codes=*/{});
  return finish(state, &nn::AttentionOp::inferReturnTypes).front();
}

nn::SpelledAttention NnBuilder::spell(Value attention, Type softmaxType) {
  auto op = attention ? attention.getDefiningOp<nn::AttentionOp>() : nn::AttentionOp();
  if (!op)
    return {};
  nn::SpelledAttention parts = nn::spellAttention(builder, op, softmaxType);
  shared.counts.erase(attention);
  op.erase();
  return parts;
}

std::array<Value, 3> NnBuilder::recurrent(nn::CellKind kind, const Recurrence &r) {
  if (!r.input || !r.weights || !r.recurrence)
    return {};
  SmallVector<Attribute> activations = llvm::map_to_vector(r.activations, [&](nn::UnaryKind activation) -> Attribute {
    return nn::UnaryKindAttr::get(builder.getContext(), activation);
  });
  OperationState state(loc, nn::RecurrentOp::getOperationName());
  Type none = builder.getNoneType();
  nn::RecurrentOp::build(builder, state, none, none, none, kind, r.input, r.weights, r.recurrence, r.bias, r.lengths,
                         r.initialH, r.initialC, r.peepholes, r.reverse, r.linearBeforeReset, r.inputForget,
                         APFloat(r.clip), builder.getArrayAttr(activations));
  SmallVector<Value> results = finish(state, &nn::RecurrentOp::inferReturnTypes);
  return {results[0], results[1], results[2]};
}

std::array<Value, 2> NnBuilder::topK(Value operand, int64_t axis, int64_t k, bool smallest) {
  if (!operand)
    return {};
  OperationState state(loc, nn::TopKOp::getOperationName());
  Type none = builder.getNoneType();
  nn::TopKOp::build(builder, state, none, none, operand, static_cast<uint64_t>(axis), static_cast<uint64_t>(k),
                    smallest);
  SmallVector<Value> results = finish(state, &nn::TopKOp::inferReturnTypes);
  return {results[0], results[1]};
}

Value NnBuilder::compact(Value mask) { return infer<nn::CompactOp>(mask); }

std::array<Value, 3> NnBuilder::unique(Value rows, bool sorted) {
  if (!rows)
    return {};
  OperationState state(loc, nn::UniqueOp::getOperationName());
  Type none = builder.getNoneType();
  nn::UniqueOp::build(builder, state, none, none, none, rows, sorted);
  SmallVector<Value> results = finish(state, &nn::UniqueOp::inferReturnTypes);
  return {results[0], results[1], results[2]};
}

std::array<Value, 2> NnBuilder::nms(const Suppression &s) {
  if (!s.boxes || !s.scores || !s.most || !s.iouThreshold)
    return {};
  OperationState state(loc, nn::NmsOp::getOperationName());
  Type none = builder.getNoneType();
  nn::NmsOp::build(builder, state, none, none, s.boxes, s.scores, s.most, s.iouThreshold, s.scoreThreshold,
                   static_cast<uint64_t>(s.limit), s.centered);
  SmallVector<Value> results = finish(state, &nn::NmsOp::inferReturnTypes);
  return {results[0], results[1]};
}

Value NnBuilder::broadcast(Value operand, Ints shape) {
  if (!operand || getShape(operand) == shape)
    return operand;
  return build<nn::BroadcastOp>(RankedTensorType::get(shape, getElementType(operand)), operand);
}

Value NnBuilder::transpose(Value operand, Ints permutation) { return infer<nn::TransposeOp>(operand, permutation); }

Value NnBuilder::slice(Value operand, Ints starts, Ints sizes, Ints steps) {
  return infer<nn::SliceOp>(operand, starts, sizes, steps);
}

Value NnBuilder::slice(Value operand, int64_t axis, int64_t start, int64_t size) {
  if (!operand)
    return {};
  SmallVector<int64_t> starts(getRank(operand), 0), sizes(getShape(operand)), steps(getRank(operand), 1);
  starts[axis] = start;
  sizes[axis] = size;
  return slice(operand, starts, sizes, steps);
}

Value NnBuilder::pad(nn::PadMode mode, Value operand, Ints low, Ints high, double value) {
  if (!operand)
    return {};
  return infer<nn::PadOp>(mode, operand, low, high, getScalarAttr(getElementType(operand), value));
}

Value NnBuilder::gather(Value operand, Value indices, int64_t axis) {
  if (operand && indices && isOpen(operand) && getCounts(operand)[axis])
    return gatherOpen(operand, indices, axis);
  return infer<nn::GatherOp>(operand, indices, static_cast<uint64_t>(axis));
}

Value NnBuilder::resample(Value operand, Ints axes, ArrayRef<Attribute> indices, ArrayRef<Attribute> weights) {
  return infer<nn::ResampleOp>(operand, axes, builder.getArrayAttr(indices), builder.getArrayAttr(weights));
}

Value NnBuilder::sample(nn::Interpolation interpolation, nn::SamplePadding padding, Value input, Value positions,
                        Value images, bool alignCorners) {
  if (!input || !positions)
    return {};
  OperationState state(loc, nn::SampleOp::getOperationName());
  nn::SampleOp::build(builder, state, builder.getNoneType(), interpolation, padding, input, positions, images,
                      alignCorners);
  return finish(state, &nn::SampleOp::inferReturnTypes).front();
}

//===----------------------------------------------------------------------===//
// 3. Channels
//===----------------------------------------------------------------------===//

Value NnBuilder::toChannelsLast(Value operand) {
  if (!operand || getRank(operand) < 3)
    return operand;
  SmallVector<int64_t> permutation = axisRange(0, getRank(operand));
  std::rotate(permutation.begin() + 1, permutation.begin() + 2, permutation.end());
  return transpose(operand, permutation);
}

Value NnBuilder::toChannelsFirst(Value operand) {
  if (!operand || getRank(operand) < 3)
    return operand;
  SmallVector<int64_t> permutation = axisRange(0, getRank(operand));
  std::rotate(permutation.begin() + 1, permutation.end() - 1, permutation.end());
  return transpose(operand, permutation);
}

Value NnBuilder::alignToAxis(Value channels, int64_t axis, int64_t rank) {
  if (!channels)
    return {};
  if (getRank(channels) == 0) // one value for all channels
    return channels;
  SmallVector<int64_t> shape(rank - axis, 1);
  shape.front() = getType(channels).getNumElements();
  return reshape(channels, shape);
}

} // namespace nacre::importer
