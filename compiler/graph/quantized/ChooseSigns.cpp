// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores the left operands of integer contractions with the signedness that the target's instructions require. vpdpbusd
// multiplies unsigned by signed bytes; sdot and smmla multiply signed by signed bytes. Right operands are always
// signed.
//
// 1. Each contraction reads its left operand flipped (Flips.h), with flipped padding. This changes the sums by a
//    constant per column, which is subtracted.
// 2. A flip moves up through movement to the operators that compute the bytes. There, a conversion to the other sign
//    costs no more than the original conversion.
// 3. Other readers of the bytes convert the flipped bytes. Readers that cannot convert them get the original bytes by
//    another flip.
// Only for inputs and outputs of the model, a flip costs a pass over memory.

#include "compiler/graph/Matching.h"
#include "compiler/graph/Passes.h"
#include "compiler/graph/quantized/Flips.h"
#include "compiler/graph/quantized/Numbers.h"
#include "dialects/TensorTypes.h"

#include <cmath>

namespace nacre::graph {
#define GEN_PASS_DEF_CHOOSESIGNSPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

using nn::BinaryKind;
using nn::UnaryKind;

//===----------------------------------------------------------------------===//
// 1. Contractions
//===----------------------------------------------------------------------===//

/// Returns the axes of a contraction's right operand that are summed.
SmallVector<int64_t> getDepthAxes(Operation *contraction) {
  const int64_t rank = typeOf(contraction->getOperand(1)).getRank();
  if (isa<nn::MatMulOp>(contraction))
    return {rank - 2};
  return llvm::to_vector(llvm::seq<int64_t>(0, rank - 1));
}

/// Returns the sum of each column of the contraction's right operand, times `number`. The shape broadcasts to the
/// result.
Value scaleColumns(OpBuilder &builder, Operation *contraction, int64_t number) {
  Location loc = contraction->getLoc();
  Value rhs = contraction->getOperand(1);
  Type element = typeOf(contraction->getResult(0)).getElementType();
  Value wide = builder.createOrFold<nn::CastOp>(loc, typeOf(rhs).clone(element), rhs);
  SmallVector<int64_t> axes = getDepthAxes(contraction);
  Value sums = builder.createOrFold<nn::ReduceOp>(loc, nn::ReduceKind::Sum, wide, axes, /*keep_dims=*/true);
  if (isa<nn::ConvOp>(contraction))
    sums = builder.createOrFold<nn::ReshapeOp>(loc, typeOf(sums).clone({typeOf(sums).getShape().back()}), sums);
  return builder.createOrFold<nn::BinaryOp>(loc, BinaryKind::Mul, sums,
                                            createNumber(builder, loc, element, static_cast<double>(number)));
}

//===----------------------------------------------------------------------===//
// 2. Bytes with the other sign
//===----------------------------------------------------------------------===//

/// Returns the operands whose bytes `op` moves to its result, or no operands if it does not only move bytes.
OperandRange getMovedOperands(Operation *op) {
  const OperandRange none = op->getOperands().take_front(0);
  if (auto pool = dyn_cast<nn::PoolOp>(op))
    return pool.getKind() == nn::PoolKind::Max ? op->getOperands() : none;
  if (auto reduce = dyn_cast<nn::ReduceOp>(op)) {
    const bool selects = reduce.getKind() == nn::ReduceKind::Max || reduce.getKind() == nn::ReduceKind::Min;
    return selects ? op->getOperands() : none;
  }
  if (isa<nn::ReshapeOp, nn::TransposeOp, nn::SliceOp, nn::PadOp, nn::BroadcastOp, nn::ConcatOp, nn::InterleaveOp,
          nn::ResampleOp>(op))
    return op->getOperands();
  return isa<nn::GatherOp>(op) ? op->getOperands().take_front(1) : none;
}

/// True if `value` has no fractions, so that its conversion to 8 bits is exact.
bool isWhole(Value value) {
  if (isa<IntegerType>(getElementTypeOrSelf(value.getType())))
    return true;
  constexpr int maxDepth = 4; // This is enough for a zero point and two bounds.
  for (int depth = 0; depth <= maxDepth; ++depth) {
    if (getUnary(value, UnaryKind::Round))
      return true;
    if (auto relu = getUnary(value, UnaryKind::Relu)) {
      value = relu.getOperand();
      continue;
    }
    auto binary = value.getDefiningOp<nn::BinaryOp>();
    std::optional<double> number = binary ? getSplat(binary.getRhs()) : std::nullopt;
    const bool keeps = number && *number == std::floor(*number) &&
                       (binary.getKind() == BinaryKind::Add || binary.getKind() == BinaryKind::Sub ||
                        binary.getKind() == BinaryKind::Min || binary.getKind() == BinaryKind::Max);
    if (!keeps)
      return false;
    value = binary.getLhs();
  }
  return false;
}

/// Returns `value` + `offset`. `value` consists of whole numbers that are clamped to 8 bits afterwards. Bounds and zero
/// points include the offset, if possible. Otherwise, an addition is created.
Value shift(OpBuilder &builder, Value value, int64_t offset) {
  Location loc = value.getLoc();
  Type element = getElementTypeOrSelf(value.getType());
  auto number = [&](double n) { return createNumber(builder, loc, element, n); };
  if (value.hasOneUse()) {
    if (nn::UnaryOp relu = getUnary(value, UnaryKind::Relu))
      return nn::BinaryOp::create(builder, loc, BinaryKind::Max, shift(builder, relu.getOperand(), offset),
                                  number(static_cast<double>(offset)));
    auto binary = value.getDefiningOp<nn::BinaryOp>();
    std::optional<double> known =
        binary && binary.getLhs().getType() == value.getType() ? getSplat(binary.getRhs()) : std::nullopt;
    const double sum = known.value_or(0) + static_cast<double>(offset);
    if (known && (binary.getKind() == BinaryKind::Min || binary.getKind() == BinaryKind::Max))
      return nn::BinaryOp::create(builder, loc, binary.getKind(), shift(builder, binary.getLhs(), offset), number(sum));
    if (known && binary.getKind() == BinaryKind::Add)
      return builder.createOrFold<nn::BinaryOp>(loc, BinaryKind::Add, binary.getLhs(), number(sum));
    if (known && binary.getKind() == BinaryKind::Sub)
      return builder.createOrFold<nn::BinaryOp>(loc, BinaryKind::Sub, binary.getLhs(),
                                                number(*known - static_cast<double>(offset)));
  }
  return builder.createOrFold<nn::BinaryOp>(loc, BinaryKind::Add, value, number(static_cast<double>(offset)));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct ChooseSigns : impl::ChooseSignsPassBase<ChooseSigns> {
  using ChooseSignsPassBase::ChooseSignsPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> contractions;
    SmallVector<nn::BitcastOp> flips;
    getOperation().walk([&](Operation *op) {
      if (isa<nn::ConvOp, nn::MatMulOp>(op) && hasOtherSign(op))
        contractions.push_back(op);
      if (auto bitcast = dyn_cast<nn::BitcastOp>(op); bitcast && matchFlip(bitcast))
        flips.push_back(bitcast);
    });
    for (Operation *op : contractions)
      flipLeft(op);
    // Handle the flips that recognition added to either operand, too.
    for (nn::BitcastOp bitcast : flips) {
      Value flippedOne = flip(matchFlip(bitcast));
      if (flippedOne != bitcast.getResult())
        bitcast.replaceAllUsesWith(flippedOne);
    }
    for (Value value : llvm::reverse(replaced))
      settle(value);
    eraseUnusedIn(getOperation());
  }

private:
  /// True if the left operand is 8-bit and does not have the signedness that the target requires.
  bool hasOtherSign(Operation *contraction) {
    Type element = getElementTypeOrSelf(contraction->getOperand(0).getType());
    return isByte(element) && isByte(contraction->getOperand(1).getType()) &&
           element.isUnsignedInteger() != unsignedLeft;
  }

  void flipLeft(Operation *contraction) {
    OpBuilder builder(contraction);
    const int64_t offset = getFlipOffset(contraction->getOperand(0).getType());
    Value left = flip(contraction->getOperand(0));
    Operation *moved = builder.clone(*contraction);
    moved->setOperand(0, left);
    if (auto conv = dyn_cast<nn::ConvOp>(moved))
      conv.setPadValue(static_cast<int64_t>(conv.getPadValue()) + offset);
    Value columns = scaleColumns(builder, contraction, offset);
    Value sums = nn::BinaryOp::create(builder, contraction->getLoc(), BinaryKind::Sub, moved->getResult(0), columns);
    contraction->replaceAllUsesWith(ValueRange(sums));
    contraction->erase();
    ++numFlipped;
  }

  /// Returns `value` with the other signedness. Records that the operator of `value` may be unused now.
  Value flip(Value value) {
    if (Value known = others.lookup(value))
      return known;
    Value other = matchFlip(value);
    if (!other)
      other = makeOther(value);
    others[value] = other;
    others[other] = value;
    return other;
  }

  Value makeOther(Value value) {
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfterValue(value);
    Operation *op = value.getDefiningOp();
    if (op && op->getNumResults() == 1 && !getMovedOperands(op).empty()) {
      SmallVector<Value> operands(op->getOperands());
      for (size_t index = 0; index < getMovedOperands(op).size(); ++index)
        operands[index] = flip(operands[index]);
      Operation *moved = builder.clone(*op);
      moved->setOperands(operands);
      moved->getResult(0).setType(typeOf(value).clone(getFlippedType(value.getType())));
      if (auto pad = dyn_cast<nn::PadOp>(moved))
        pad.setValueAttr(flipNumber(cast<IntegerAttr>(pad.getValue())));
      replaced.push_back(value);
      return moved->getResult(0);
    }
    auto cast = value.getDefiningOp<nn::CastOp>();
    if (cast && !isByte(cast.getOperand().getType()) &&
        getElementTypeOrSelf(cast.getOperand().getType()).getIntOrFloatBitWidth() > 8 && isWhole(cast.getOperand())) {
      Value shifted = shift(builder, cast.getOperand(), getFlipOffset(value.getType()));
      replaced.push_back(value);
      return nn::CastOp::create(builder, cast.getLoc(), typeOf(value).clone(getFlippedType(value.getType())), shifted,
                                cast.getOverflowsAttr(), cast.getRoundingAttr());
    }
    return createFlip(builder, value.getLoc(), value);
  }

  static IntegerAttr flipNumber(IntegerAttr number) {
    constexpr unsigned highBit = 7;
    APInt bits = number.getValue();
    bits.flipBit(highBit);
    return IntegerAttr::get(getFlippedType(number.getType()), bits);
  }

  /// Step 3: gives all other readers of `value` its original values.
  void settle(Value value) {
    Value other = others.lookup(value);
    OpBuilder builder(&getContext());
    for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
      auto cast = dyn_cast<nn::CastOp>(use.getOwner());
      Type to = cast ? getElementTypeOrSelf(cast.getType()) : Type();
      if (!cast || isByte(to) || to.getIntOrFloatBitWidth() < 16)
        continue;
      builder.setInsertionPoint(cast);
      Value wide = nn::CastOp::create(builder, cast.getLoc(), cast.getType(), other, cast.getOverflowsAttr(),
                                      cast.getRoundingAttr());
      addOffset(builder, cast, wide, -getFlipOffset(value.getType()));
      cast.erase();
    }
    if (value.use_empty())
      return;
    builder.setInsertionPointAfterValue(other);
    value.replaceAllUsesWith(createFlip(builder, value.getLoc(), other));
  }

  /// Makes users of `former` read `wide` + `offset` instead. If a user subtracts a zero point, the zero point changes
  /// instead.
  static void addOffset(OpBuilder &builder, nn::CastOp former, Value wide, int64_t offset) {
    Type element = getElementTypeOrSelf(former.getType());
    for (OpOperand &use : llvm::make_early_inc_range(former->getUses())) {
      auto binary = dyn_cast<nn::BinaryOp>(use.getOwner());
      const bool isLeft = use.getOperandNumber() == 0;
      std::optional<double> zero =
          binary && isLeft && binary.getKind() == BinaryKind::Sub ? getSplat(binary.getRhs()) : std::nullopt;
      if (!zero || binary.getType() != former.getType())
        continue;
      builder.setInsertionPoint(binary);
      Value centred = builder.createOrFold<nn::BinaryOp>(
          binary.getLoc(), BinaryKind::Sub, wide,
          createNumber(builder, binary.getLoc(), element, *zero - static_cast<double>(offset)));
      binary.replaceAllUsesWith(centred);
      binary.erase();
    }
    if (former->use_empty())
      return;
    builder.setInsertionPointAfterValue(wide);
    Value sum = nn::BinaryOp::create(builder, former.getLoc(), BinaryKind::Add, wide,
                                     createNumber(builder, former.getLoc(), element, static_cast<double>(offset)));
    former.replaceAllUsesWith(sum);
  }

  /// Erases unused operators, the last ones first.
  static void eraseUnusedIn(func::FuncOp function) {
    SmallVector<Operation *> operators;
    function.walk([&](Operation *op) {
      if (op->getNumRegions() == 0)
        operators.push_back(op);
    });
    for (Operation *op : llvm::reverse(operators))
      if (isOpTriviallyDead(op))
        op->erase();
  }

  llvm::DenseMap<Value, Value> others; ///< Value with the other sign, for each value that has both.
  SmallVector<Value> replaced;         ///< Values replaced by values of the other sign, operands before results.
};

} // namespace

} // namespace nacre::graph
