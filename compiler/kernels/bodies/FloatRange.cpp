// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/bodies/FloatRange.h"

#include "dialects/nn/ConstantData.h"
#include "dialects/nn/NnDialect.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;

namespace nacre::kernels {

namespace {

using Range = std::optional<FloatRange>;

/// Largest number of operators between a tensor and its bounds. A residual layer has about 10.
constexpr unsigned kMostOperators = 16;

/// Largest number of elements of a constant. Scales and zero points have fewer.
constexpr int64_t kMostNumbers = 1 << 16;

/// Returns the range if its bounds are far from infinity and not NaN. Otherwise, returns `nullopt`.
Range between(double least, double greatest) {
  constexpr double most = std::numeric_limits<float>::max() / 2;
  if (!(least >= -most && greatest <= most)) // also false for NaN
    return std::nullopt;
  return FloatRange{least, greatest};
}

/// Returns the f32 range of values from `least` to `greatest` after rounding.
Range rounded(double least, double greatest) {
  constexpr double relative = std::numeric_limits<float>::epsilon();
  const double slack = relative * std::max(std::abs(least), std::abs(greatest));
  return between(least - slack, greatest + slack);
}

Range rangeOf(nn::ConstantOp constant) {
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(constant.getValue());
  if (failed(view))
    return std::nullopt;
  const int64_t count = view->isSplat() ? 1 : view->getType().getNumElements();
  if (count == 0 || count > kMostNumbers)
    return std::nullopt;
  SmallVector<double> numbers(count);
  view->read(0, 1, count, numbers.data());
  // NaN cannot be compared.
  if (llvm::any_of(numbers, [](double number) { return std::isnan(number); }))
    return std::nullopt;
  auto [least, greatest] = std::minmax_element(numbers.begin(), numbers.end());
  return between(*least, *greatest);
}

Range rangeOf(nn::CastOp op) {
  auto integer = dyn_cast<IntegerType>(cast<RankedTensorType>(op.getOperand().getType()).getElementType());
  if (!integer)
    return std::nullopt;
  const bool isUnsigned = integer.isUnsigned() || integer.getWidth() == 1;
  const double beyond = std::ldexp(1.0, int(isUnsigned ? integer.getWidth() : integer.getWidth() - 1));
  return rounded(isUnsigned ? 0 : -beyond, beyond - 1);
}

Range rangeOf(nn::BinaryKind kind, const FloatRange &a, const FloatRange &b) {
  auto ofCorners = [&](auto function) {
    const double corners[] = {function(a.least, b.least), function(a.least, b.greatest), function(a.greatest, b.least),
                              function(a.greatest, b.greatest)};
    auto [least, greatest] = std::minmax_element(std::begin(corners), std::end(corners));
    return rounded(*least, *greatest);
  };
  switch (kind) {
  case nn::BinaryKind::Add:
    return rounded(a.least + b.least, a.greatest + b.greatest);
  case nn::BinaryKind::Sub:
    return rounded(a.least - b.greatest, a.greatest - b.least);
  case nn::BinaryKind::Mul:
    return ofCorners([](double x, double y) { return x * y; });
  case nn::BinaryKind::Div:
    // CPUs may treat a subnormal divisor as zero.
    if (b.least < std::numeric_limits<float>::min() && b.greatest > -std::numeric_limits<float>::min())
      return std::nullopt;
    return ofCorners([](double x, double y) { return x / y; });
  // These operators return one of their operands, so nothing is rounded.
  case nn::BinaryKind::Max:
    return FloatRange{std::max(a.least, b.least), std::max(a.greatest, b.greatest)};
  case nn::BinaryKind::Min:
    return FloatRange{std::min(a.least, b.least), std::min(a.greatest, b.greatest)};
  default:
    return std::nullopt;
  }
}

Range readRange(Value tensor, unsigned operators) {
  Operation *op = tensor.getDefiningOp();
  if (!op || operators == 0 || !cast<RankedTensorType>(tensor.getType()).getElementType().isF32())
    return std::nullopt;
  if (auto constant = dyn_cast<nn::ConstantOp>(op))
    return rangeOf(constant);
  if (auto cast = dyn_cast<nn::CastOp>(op))
    return rangeOf(cast);
  if (auto unary = dyn_cast<nn::UnaryOp>(op)) {
    Range range = readRange(unary.getOperand(), operators - 1);
    if (!range || unary.getKind() != nn::UnaryKind::Round)
      return std::nullopt;
    return rounded(range->least - 0.5, range->greatest + 0.5);
  }
  if (auto binary = dyn_cast<nn::BinaryOp>(op)) {
    Range lhs = readRange(binary.getLhs(), operators - 1);
    Range rhs = lhs ? readRange(binary.getRhs(), operators - 1) : std::nullopt;
    return rhs ? rangeOf(binary.getKind(), *lhs, *rhs) : std::nullopt;
  }
  return std::nullopt;
}

} // namespace

std::optional<FloatRange> readFloatRange(Value tensor) { return readRange(tensor, kMostOperators); }

} // namespace nacre::kernels
