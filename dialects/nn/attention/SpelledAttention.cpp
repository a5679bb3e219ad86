// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. operators, as formulas; 2. scores and bounds; 3. the softmax.

#include "dialects/nn/attention/SpelledAttention.h"

#include "dialects/TensorTypes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;

namespace nacre::nn {
namespace {

class Speller {
public:
  Speller(OpBuilder &builder, AttentionOp op, Type softmaxType)
      : builder(builder), loc(op.getLoc()), op(op), elementType(elementTypeOf(op.getQueries())),
        softmaxType(softmaxType ? softmaxType : elementType) {}

  SpelledAttention spell() {
    SpelledAttention parts;
    parts.scores = parts.capped = computeScores();
    if (std::optional<APFloat> softcap = op.getSoftcap()) {
      const double limit = softcap->convertToDouble();
      Value tanh = UnaryOp::create(builder, loc, UnaryKind::Tanh, binary(BinaryKind::Div, parts.scores, number(limit)),
                                   APFloat(0.0));
      parts.capped = binary(BinaryKind::Mul, tanh, number(limit));
    }
    Value bias = op.getMask();
    if (Value bounds = computeBounds(shapeOf(parts.scores)))
      bias = bias ? binary(BinaryKind::Add, bias, bounds) : bounds;
    parts.biased = bias ? binary(BinaryKind::Add, parts.capped, bias) : parts.capped;
    parts.weights = convert(computeSoftmax(convert(parts.biased, softmaxType)), elementType);
    parts.result = MatMulOp::create(builder, loc, parts.weights, op.getValues());
    // The softmax of a row of -inf is NaN, so a select replaces it.
    if (bias && op.getHidesRows()) {
      const int64_t last[] = {rankOf(bias) - 1};
      Value largest = ReduceOp::create(builder, loc, ReduceKind::Max, bias, last, /*keep_dims=*/true);
      Value isHidden = binary(BinaryKind::Equal, largest, number(-HUGE_VAL));
      for (Value *value : {&parts.weights, &parts.result})
        *value = SelectOp::create(builder, loc, isHidden, number(0), *value);
    }
    return parts;
  }

private:
  //===--------------------------------------------------------------------===//
  // 1. Operators
  //===--------------------------------------------------------------------===//

  Value constant(TypedAttr value) { return ConstantOp::create(builder, loc, llvm::cast<ElementsAttr>(value)); }
  Value number(double value) {
    return constant(
        DenseElementsAttr::get(RankedTensorType::get({}, elementType), builder.getFloatAttr(elementType, value)));
  }
  Value integer(int64_t value) {
    return constant(DenseElementsAttr::get(RankedTensorType::get({}, builder.getI32Type()), int32_t(value)));
  }
  /// Returns 0, 1, ..., `count` - 1 as a tensor of `shape`.
  Value counting(int64_t count, ArrayRef<int64_t> shape) {
    SmallVector<int32_t> values(count);
    std::iota(values.begin(), values.end(), 0);
    return constant(DenseElementsAttr::get(RankedTensorType::get(shape, builder.getI32Type()), ArrayRef(values)));
  }
  Value binary(BinaryKind kind, Value lhs, Value rhs) { return BinaryOp::create(builder, loc, kind, lhs, rhs); }
  Value convert(Value value, Type type) {
    return elementTypeOf(value) == type ? value
                                        : Value(CastOp::create(builder, loc, typeOf(value).clone(type), value,
                                                               /*overflows=*/false, ScaleRounding::Up));
  }

  //===--------------------------------------------------------------------===//
  // 2. Scores
  //===--------------------------------------------------------------------===//

  /// Returns the scaled scores. Scaling the product costs nothing. But for narrow floats, both operands are multiplied
  /// by the square root of the scale first, so that no product overflows.
  Value computeScores() {
    const double scale = op.getScale().convertToDouble();
    if (elementType.getIntOrFloatBitWidth() < 32 && scale > 0) {
      const double root = std::sqrt(scale);
      return MatMulOp::create(builder, loc, binary(BinaryKind::Mul, op.getQueries(), number(root)),
                              scaleKeys(op.getKeys(), root));
    }
    Value scores = MatMulOp::create(builder, loc, op.getQueries(), op.getKeys());
    return scale == 1 ? scores : binary(BinaryKind::Mul, scores, number(scale));
  }

  /// Multiplies the keys before a transpose, which the product can then read through.
  Value scaleKeys(Value keys, double factor) {
    auto transpose = keys.getDefiningOp<TransposeOp>();
    if (!transpose)
      return binary(BinaryKind::Mul, keys, number(factor));
    return TransposeOp::create(builder, loc, binary(BinaryKind::Mul, transpose.getOperand(), number(factor)),
                               transpose.getPermutation());
  }

  /// Returns 0 for the keys that a query sees, and -inf for the others. Returns null if there are no bounds.
  Value computeBounds(ArrayRef<int64_t> scores) {
    const int64_t queries = scores[scores.size() - 2], keys = scores.back();
    Value key = counting(keys, {keys}), position = counting(queries, {queries, 1});
    if (op.getOffset())
      position = binary(BinaryKind::Add, position, op.getOffset());
    Value visible;
    auto require = [&](BinaryKind kind, int64_t distance) {
      Value condition = binary(kind, key, binary(BinaryKind::Add, position, integer(distance)));
      visible = visible ? binary(BinaryKind::And, visible, condition) : condition;
    };
    // A larger bound than the number of keys and queries would have the same effect, but could overflow.
    const int64_t furthest = keys + queries;
    if (op.getBehind())
      require(BinaryKind::LessEqual, std::min<int64_t>(*op.getBehind(), furthest));
    if (op.getBefore())
      require(BinaryKind::GreaterEqual, -std::min<int64_t>(*op.getBefore(), furthest));
    return visible ? SelectOp::create(builder, loc, visible, number(0), number(-HUGE_VAL)) : Value();
  }

  //===--------------------------------------------------------------------===//
  // 3. The softmax
  //===--------------------------------------------------------------------===//

  Value computeSoftmax(Value scores) {
    ArrayRef<int64_t> shape = shapeOf(scores);
    const int64_t axis = rankOf(scores) - 1;
    if (!op.getSink())
      return SoftmaxOp::create(builder, loc, scores, axis, /*log=*/false);
    SmallVector<int64_t> column(shape), starts(shape.size(), 0), steps(shape.size(), 1);
    column.back() = 1;
    Value sink = convert(op.getSink(), softmaxType);
    const Value joined[] = {scores, BroadcastOp::create(builder, loc, typeOf(sink).clone(column), sink)};
    Value all = ConcatOp::create(builder, loc, joined, axis);
    return SliceOp::create(builder, loc, SoftmaxOp::create(builder, loc, all, axis, /*log=*/false), starts, shape,
                           steps);
  }

  OpBuilder &builder;
  const Location loc;
  AttentionOp op;
  const Type elementType, softmaxType;
};

} // namespace

SpelledAttention spellAttention(OpBuilder &builder, AttentionOp op, Type softmaxType) {
  return Speller(builder, op, softmaxType).spell();
}

} // namespace nacre::nn
