// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A falling value is counted like a rising value, after mirroring at 0.

#include "dialects/nn/control/Iterations.h"

#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace nacre::nn {

bool isExactInteger(double number) { return std::trunc(number) == number && std::fabs(number) <= mostExact; }

CountedRange::CountedRange(Type element) {
  if (auto type = dyn_cast<FloatType>(element)) {
    greatest = int64_t(1) << std::min(type.getFPMantissaWidth(), 24U);
    least = -greatest;
    return;
  }
  const unsigned width = element.getIntOrFloatBitWidth();
  const bool isUnsigned = element.isUnsignedInteger();
  least = isUnsigned ? 0 : llvm::minIntN(width);
  greatest = isUnsigned && width < 64 ? int64_t(llvm::maxUIntN(width)) : llvm::maxIntN(width);
}

std::optional<int64_t> countIterations(Type element, double start, double step, BinaryKind comparison, double end) {
  const bool falls = comparison == BinaryKind::Greater || comparison == BinaryKind::GreaterEqual,
             includesEnd = comparison == BinaryKind::LessEqual || comparison == BinaryKind::GreaterEqual;
  assert((falls || includesEnd || comparison == BinaryKind::Less) && "of one of these");
  const CountedRange range(element);
  if (!isExactInteger(start) || !isExactInteger(step) || !(std::fabs(end) <= mostExact) || !range.has(start))
    return std::nullopt;
  const double distance = falls ? start - end : end - start, stride = falls ? -step : step;
  if (includesEnd ? distance < 0 : distance <= 0)
    return 0;
  if (stride <= 0)
    return std::nullopt;
  const double iterations = includesEnd ? std::floor(distance / stride) + 1 : std::ceil(distance / stride);
  if (!range.has(start + step * iterations))
    return std::nullopt;
  return int64_t(iterations);
}

} // namespace nacre::nn
