// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/tiles/ProductTypes.h"

#include "codegen/form/ContractionForm.h"
#include "mlir/IR/BuiltinTypes.h"

namespace nacre::codegen::cpu {

ProductTypes productsOf(mlir::Type accumulator) {
  assert((accumulator.isF32() || accumulator.isF64()) && "sums are of f32 or f64");
  return accumulator.isF32() ? kSingles : kDoubles;
}

ProductTypes productsOf(mlir::Type accumulator, const std::optional<RightDecode> &right) {
  ProductTypes types = productsOf(accumulator);
  if (accumulator.isF32() && right && right->stored.isF16())
    types.rhs = Number::F16;
  if (accumulator.isF32() && right && right->stored.isBF16())
    types.rhs = Number::BF16;
  return types;
}

ProductTypes productsOf(const DepthwiseConvolution &convolution) {
  const int64_t steps = convolution.halfSums;
  return steps > 0 && convolution.depthSize() <= steps ? halvesOf(steps) : productsOf(convolution.accumulatorType);
}

std::optional<ProductTypes> productsOf(const Contraction &contraction, mlir::Type columns, int64_t k) {
  if (contraction.halfSums > 0 && columns.isF16())
    return halvesOf(contraction.halfSums);
  if (k > 1 && columns.isBF16() && contraction.leftType().isBF16())
    return bfloatsOf(k);
  if (!contraction.isOfIntegers())
    return productsOf(contraction.accumulatorType, contraction.right);
  if (columns.isInteger(16) && contraction.operands[Contraction::Lhs].elementType.isInteger(16))
    return ProductTypes{Number::S16, Number::S16, Number::S32, k};
  const mlir::Type rows = contraction.operands[Contraction::Lhs].elementType;
  if (!columns.isInteger(8) || (!rows.isInteger(8) && !rows.isInteger(16)))
    return std::nullopt;
  auto numberOf = [](bool isUnsigned) { return isUnsigned ? Number::U8 : Number::S8; };
  const Number lhs = rows.isInteger(16) ? Number::S16 : numberOf(contraction.isUnsignedLhs);
  return ProductTypes{lhs, numberOf(contraction.isUnsignedRhs), Number::S32, k, contraction.pairsFit};
}

} // namespace nacre::codegen::cpu
