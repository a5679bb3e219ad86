// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/lowerings/windows/WindowSource.h"

#include "compiler/kernels/bodies/ScalarBodies.h"
#include "dialects/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace nacre::kernels {

Value WindowSource::load(OpBuilder &builder, Location loc, Value stored) const {
  Value scalar = fromStorage(builder, loc, stored, elementTypeOf(tensor));
  for (Operation *step : steps) {
    SmallVector<Value> operands{scalar};
    if (step->getNumOperands() == 2)
      operands.push_back(arith::ConstantOp::create(builder, loc, toCompute(getSplat(step->getOperand(1)))));
    scalar = emitScalar(builder, step, operands);
  }
  return scalar;
}

std::optional<WindowSource> findCodes(Value operand) {
  WindowSource source;
  Value value = operand;
  double zero = 0;
  auto takeBinary = [&](nn::BinaryKind kind) -> std::optional<double> {
    auto op = value.getDefiningOp<nn::BinaryOp>();
    auto splat = op && op.getKind() == kind ? dyn_cast_or_null<FloatAttr>(getSplat(op.getRhs())) : FloatAttr();
    if (!splat || !op->hasOneUse() || op.getLhs().getType() != op.getType())
      return std::nullopt;
    source.steps.push_back(op);
    value = op.getLhs();
    return splat.getValueAsDouble();
  };
  if (std::optional<double> scale = takeBinary(nn::BinaryKind::Mul); scale && !std::isfinite(*scale))
    return std::nullopt;
  if (std::optional<double> subtrahend = takeBinary(nn::BinaryKind::Sub))
    zero = *subtrahend;
  auto widened = value.getDefiningOp<nn::CastOp>();
  if (!widened || !widened->hasOneUse() || !elementTypeOf(value).isF32())
    return std::nullopt;
  source.steps.push_back(widened);
  std::reverse(source.steps.begin(), source.steps.end());
  source.tensor = widened.getOperand();
  auto codes = dyn_cast<IntegerType>(elementTypeOf(source.tensor));
  // If elementwise operators compute the codes, the codes are not in memory.
  auto producer = source.tensor.getDefiningOp<nn::OperatorInterface>();
  if (!codes || codes.getWidth() != 8 || (producer && producer.getWorkKind() == nn::WorkKind::Elementwise))
    return std::nullopt;
  const double low = codes.isUnsigned() ? 0 : -128;
  if (zero != std::floor(zero) || zero < low || zero > low + 255)
    return std::nullopt;
  Builder builder(operand.getContext());
  source.around =
      builder.getIntegerAttr(getStorageType(codes), APInt(8, static_cast<uint64_t>(static_cast<int64_t>(zero) & 255)));
  return source;
}

WindowSource getWindowSource(KernelBody &body, Value operand) {
  if (body.makes(operand))
    return *findCodes(operand);
  return {operand, cast<TypedAttr>(body.getBuilder().getZeroAttr(getStorageType(elementTypeOf(operand)))), {}};
}

} // namespace nacre::kernels
