// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/graph/quantized/ScaledReals.h"

#include "compiler/graph/Matching.h"
#include "compiler/graph/quantized/Numbers.h"
#include "dialects/TensorTypes.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;

namespace nacre::graph {

using nn::BinaryKind;
using nn::UnaryKind;

bool spansLastAxis(Value value, RankedTensorType type) {
  const RankedTensorType own = typeOf(value);
  if (own.getNumElements() == 1)
    return true;
  return own.getRank() > 0 && own.getRank() <= type.getRank() && own.getNumElements() == own.getShape().back() &&
         own.getShape().back() == type.getShape().back();
}

std::optional<ScaledSums> matchScaledSums(Value value) {
  nn::BinaryOp product = getBinary(value, BinaryKind::Mul);
  if (!product || product.getLhs().getType() != product.getType() || !product.getLhs().hasOneUse() ||
      !getConstant(product.getRhs()) || !spansLastAxis(product.getRhs(), product.getType()))
    return std::nullopt;
  auto cast = product.getLhs().getDefiningOp<nn::CastOp>();
  if (!cast || !getElementTypeOrSelf(cast.getOperand().getType()).isInteger(32) ||
      !getElementTypeOrSelf(cast.getType()).isF32())
    return std::nullopt;
  return ScaledSums{cast.getOperand(), cast.getResult(), product.getRhs()};
}

Value combineScales(OpBuilder &builder, Location loc, BinaryKind kind, Value a, Value b) {
  const SmallVector<double> left = *readNumbers(a), right = *readNumbers(b);
  SmallVector<double> numbers(std::max(left.size(), right.size()));
  for (auto [index, number] : llvm::enumerate(numbers)) {
    const auto x = static_cast<float>(left[left.size() == 1 ? 0 : index]),
               y = static_cast<float>(right[right.size() == 1 ? 0 : index]);
    number = static_cast<double>(kind == BinaryKind::Mul ? x * y : x / y);
  }
  return createNumbers(builder, loc, typeOf(a).getElementType(), numbers);
}

SmallVector<unsigned, 4> getDividedOperands(Operation *op) {
  using Indices = SmallVector<unsigned, 4>;
  auto all = [&] { return llvm::to_vector_of<unsigned, 4>(llvm::seq<unsigned>(0, op->getNumOperands())); };
  return llvm::TypeSwitch<Operation *, Indices>(op)
      .Case([&](nn::BinaryOp binary) {
        switch (binary.getKind()) {
        case BinaryKind::Add:
        case BinaryKind::Sub:
        case BinaryKind::Min:
        case BinaryKind::Max:
          return all();
        case BinaryKind::Mul: // The divisor goes to the operand whose scale can include it.
          return Indices{getConstant(binary.getRhs()) ? 1U : 0U};
        case BinaryKind::Div:
          return Indices{0};
        default:
          return Indices();
        }
      })
      .Case([&](nn::UnaryOp unary) {
        const bool isLinear = unary.getKind() == UnaryKind::Relu || unary.getKind() == UnaryKind::LeakyRelu ||
                              unary.getKind() == UnaryKind::Neg || unary.getKind() == UnaryKind::Abs;
        return isLinear ? Indices{0} : Indices();
      })
      .Case([&](nn::PoolOp) { return Indices{0}; })
      .Case([&](nn::ReduceOp reduce) { return reduce.getKind() == nn::ReduceKind::Prod ? Indices() : Indices{0}; })
      .Case([&](nn::GatherOp) { return Indices{0}; })
      .Case([&](nn::PadOp pad) {
        auto number = dyn_cast<FloatAttr>(pad.getValue());
        const bool isSame = pad.getMode() != nn::PadMode::Constant || (number && number.getValue().isZero());
        return isSame ? Indices{0} : Indices();
      })
      .Case<nn::ReshapeOp, nn::TransposeOp, nn::BroadcastOp, nn::SliceOp, nn::ResampleOp>(
          [&](Operation *) { return Indices{0}; })
      .Case<nn::ConcatOp, nn::InterleaveOp>([&](Operation *) { return all(); })
      .Case([&](nn::SelectOp) { return Indices{1, 2}; })
      .Default([](Operation *) { return Indices(); });
}

namespace {

/// Longest chain of operators that divide() changes.
constexpr int maxDepth = 24;

/// True if the codes have a constant f32 scale that can be divided. Scales of blocks are excluded.
bool isDividableCodes(nn::DequantizeOp codes) {
  return codes.getType().getElementType().isF32() && getConstant(codes.getScale()) && codes.getBlock() == 0;
}

bool isRealConstant(Value value) { return getConstant(value) && typeOf(value).getElementType().isF32(); }

bool canDivide(Value value, int depth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return false;
  if (auto codes = dyn_cast<nn::DequantizeOp>(op))
    return isDividableCodes(codes);
  if (isRealConstant(value))
    return true;
  const SmallVector<unsigned, 4> divided = getDividedOperands(op);
  return op->hasOneUse() && !divided.empty() &&
         llvm::all_of(divided, [&](unsigned index) { return canDivide(op->getOperand(index), depth - 1); });
}

} // namespace

bool canDivide(Value value) { return !getConstant(value) && canDivide(value, maxDepth); }

Value divide(OpBuilder &builder, Value value, Value divisor) {
  Operation *op = value.getDefiningOp();
  Location loc = op->getLoc();
  if (auto codes = dyn_cast<nn::DequantizeOp>(op)) {
    Value scale = combineScales(builder, loc, BinaryKind::Div, codes.getScale(), divisor);
    const bool isPerTensor = typeOf(scale).getRank() == 0 && typeOf(codes.getZero()).getRank() == 0;
    return nn::DequantizeOp::create(builder, loc, codes.getOperand(), scale, codes.getZero(),
                                    isPerTensor ? 0 : codes.getAxis(), codes.getBlock());
  }
  if (isRealConstant(value)) {
    Value quotient = combineScales(builder, loc, BinaryKind::Div, value, divisor);
    if (std::optional<double> splat = getSplat(quotient))
      return nn::ConstantOp::create(builder, loc, DenseElementsAttr::get(typeOf(value), static_cast<float>(*splat)));
    return builder.createOrFold<nn::ReshapeOp>(loc, typeOf(value), quotient);
  }
  SmallVector<Value> operands(op->getOperands());
  for (unsigned index : getDividedOperands(op))
    operands[index] = divide(builder, operands[index], divisor);
  Operation *divided = builder.clone(*op);
  divided->setOperands(operands); // By index, because a square divides only one of its equal operands.
  return divided->getResult(0);
}

} // namespace nacre::graph
