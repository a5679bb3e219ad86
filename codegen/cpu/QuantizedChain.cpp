// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/QuantizedChain.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace nacre::codegen::cpu {

namespace {

/// Largest magnitude for which the sum of a float and a zero point is exact. Larger floats exceed every bound.
constexpr double kExact = 1 << 20;

std::optional<double> numberOf(Value value) {
  APFloat number(0.0);
  if (matchPattern(value, m_ConstantFloat(&number)))
    return number.convertToDouble();
  APInt integer;
  if (matchPattern(value, m_ConstantInt(&integer)) && integer.getBitWidth() <= 64)
    return double(integer.getSExtValue());
  return std::nullopt;
}

/// Step of a chain: an operation of an operand and a constant.
struct Step {
  enum class Kind { Max, Min, Add } kind;
  Value operand;
  double number;
  bool keepsNaN = true; ///< False if the step turns NaN into `number`
  Value input = {};     ///< Addend of type i16 that is not a constant of the body

  double operator()(double x) const {
    if (std::isnan(x))
      return keepsNaN ? x : number;
    return kind == Kind::Max ? std::max(x, number) : kind == Kind::Min ? std::min(x, number) : x + number;
  }
};

/// Reads a select between a value and the constant to which the value is compared.
std::optional<Step> readChoice(arith::SelectOp select) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!compare)
    return std::nullopt;
  using Predicate = arith::CmpFPredicate;
  const Predicate predicate = compare.getPredicate();
  const bool isGreater = predicate == Predicate::OGT || predicate == Predicate::OGE;
  if (!isGreater && predicate != Predicate::OLT && predicate != Predicate::OLE)
    return std::nullopt;
  Value x = compare.getLhs();
  std::optional<double> number = numberOf(compare.getRhs());
  if (!number)
    return std::nullopt;
  // Ordered comparisons with NaN are false.
  if (select.getTrueValue() == x && numberOf(select.getFalseValue()) == number)
    return Step{isGreater ? Step::Kind::Max : Step::Kind::Min, x, *number, /*keepsNaN=*/false};
  if (select.getFalseValue() == x && numberOf(select.getTrueValue()) == number)
    return Step{isGreater ? Step::Kind::Min : Step::Kind::Max, x, *number};
  return std::nullopt;
}

/// Reads the sum with a zero point that the body reads as an i16. Such a zero point is surely an integer.
std::optional<Step> readAddedInput(Operation *op) {
  if (!isa<arith::AddFOp>(op))
    return std::nullopt;
  for (unsigned operand : {1, 0})
    if (auto convert = op->getOperand(operand).getDefiningOp<arith::SIToFPOp>())
      if (isa<BlockArgument>(convert.getIn()) && convert.getIn().getType().isInteger(16))
        return Step{Step::Kind::Add, op->getOperand(1 - operand), 0, /*keepsNaN=*/true, convert.getIn()};
  return std::nullopt;
}

std::optional<Step> readStep(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return readChoice(select);
  if (op->getNumOperands() != 2)
    return std::nullopt;
  const bool isSwapped = numberOf(op->getOperand(0)).has_value();
  std::optional<double> number = numberOf(op->getOperand(isSwapped ? 0 : 1));
  Value operand = op->getOperand(isSwapped ? 1 : 0);
  if (!number)
    return readAddedInput(op);
  if (isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(op))
    return Step{Step::Kind::Max, operand, *number, !isa<arith::MaxNumFOp>(op)};
  if (isa<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(op))
    return Step{Step::Kind::Min, operand, *number, !isa<arith::MinNumFOp>(op)};
  if (isa<arith::AddFOp>(op))
    return Step{Step::Kind::Add, operand, *number};
  if (isa<arith::SubFOp>(op) && !isSwapped)
    return Step{Step::Kind::Add, operand, -*number};
  return std::nullopt;
}

/// Returns the largest possible magnitude of `value`, including infinity. NaN if `value` may be NaN.
double magnitudeOf(Value value, unsigned depth = 12) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return unknown;
  if (std::optional<double> number = numberOf(value))
    return std::abs(*number);
  auto rounded = [&](double exact) {
    const bool isFinite = exact < std::numeric_limits<float>::max() / 2 && value.getType().isF32();
    return isFinite || std::isnan(exact) ? exact : std::numeric_limits<double>::infinity();
  };
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return rounded(std::ldexp(1.0, int(op->getOperand(0).getType().getIntOrFloatBitWidth())));
  auto of = [&](unsigned operand) { return magnitudeOf(op->getOperand(operand), depth - 1); };
  if (isa<math::RoundEvenOp>(op))
    return rounded(of(0) + 1);
  if (isa<arith::NegFOp, math::AbsFOp>(op))
    return of(0);
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(op))
    return of(0) + of(1);
  // Infinity minus infinity and infinity times zero are NaN, and so are quotients of two zeros or two infinities.
  if (isa<arith::AddFOp, arith::SubFOp>(op)) {
    const double a = of(0), b = of(1);
    return std::isinf(a) && std::isinf(b) ? unknown : rounded(a + b);
  }
  const double factor = std::abs(numberOf(op->getNumOperands() == 2 ? op->getOperand(1) : value).value_or(0));
  const bool isKnown = factor > 0 && !std::isinf(factor);
  if (isa<arith::DivFOp>(op))
    return isKnown ? rounded(of(0) / factor) : unknown;
  if (!isa<arith::MulFOp>(op))
    return unknown;
  const double a = of(0), b = of(1);
  return isKnown || (!std::isinf(a) && !std::isinf(b)) ? rounded(a * b) : unknown;
}

/// Collects the steps that compute `value`, from the last one backwards. Returns the operand of the first step.
Value readSteps(Value value, SmallVectorImpl<Step> &steps) {
  while (Operation *op = value.getDefiningOp()) {
    std::optional<Step> step = readStep(op);
    if (!step)
      break;
    steps.push_back(*step);
    value = step->operand;
  }
  return value;
}

/// Chain clamp(x + zero, low, high), into which steps are merged.
struct Clamp {
  double zero = 0, low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  Value input; ///< Value that is added to x in addition to `zero`, or null

  bool add(const Step &step) {
    if (input) // The value at run time would also move the earlier bounds.
      return false;
    input = step.input;
    if (step.number != std::nearbyint(step.number) || std::abs(step.number) > kExact)
      return false;
    const double bound = step.number + zero;
    switch (step.kind) {
    case Step::Kind::Max:
      low = std::min(std::max(low, bound), high);
      return true;
    case Step::Kind::Min:
      high = std::max(std::min(high, bound), low);
      return true;
    case Step::Kind::Add:
      zero += step.number;
      return low >= -kExact && high <= kExact && std::abs(zero) <= kExact;
    }
    llvm_unreachable("unknown step");
  }
  bool isBounded() const { return low >= -kExact && high <= kExact; }
};

/// Reads a float that is rounded and converted. `ofNaN` is the result for NaN if a select replaces it later.
std::optional<QuantizedChain> readRounded(arith::FPToSIOp convert, std::optional<int64_t> ofNaN) {
  if (!convert.getIn().getType().isF32() || !convert.getType().isInteger(32))
    return std::nullopt;
  SmallVector<Step> steps;
  auto round = readSteps(convert.getIn(), steps).getDefiningOp<math::RoundEvenOp>();
  Clamp clamp;
  if (!round || !llvm::all_of(steps, [&](const Step &step) { return clamp.add(step); }) || !clamp.isBounded())
    return std::nullopt;
  QuantizedChain chain{round.getOperand(),  clamp.input, int64_t(clamp.zero), int64_t(clamp.low),
                       int64_t(clamp.high), {},          convert.getType()};
  if (!std::isnan(magnitudeOf(chain.x)))
    return chain;
  double nan = std::nan("");
  for (const Step &step : llvm::reverse(steps))
    nan = step(nan);
  // A conversion of NaN is undefined, so the body cannot convert one.
  chain.ofNaN = ofNaN ? ofNaN : std::isnan(nan) ? std::nullopt : std::optional<int64_t>(int64_t(nan));
  return chain;
}

/// Result of a `select` that replaces NaN: the operand of the rounding, and the code for NaN. `code` is `nullopt` if a
/// step between the rounding and the comparison loses NaN.
struct CodeOfNaN {
  Value rounded;
  std::optional<int64_t> code;
};
/// Reads a `select` that replaces NaN.
std::optional<CodeOfNaN> readCodeOfNaN(arith::SelectOp select) {
  auto isNaN = select.getCondition().getDefiningOp<arith::CmpFOp>();
  std::optional<double> instead = numberOf(select.getTrueValue());
  if (!isNaN || !instead || isNaN.getPredicate() != arith::CmpFPredicate::UNO || isNaN.getLhs() != isNaN.getRhs())
    return std::nullopt;
  SmallVector<Step> before;
  auto round = readSteps(isNaN.getLhs(), before).getDefiningOp<math::RoundEvenOp>();
  if (!round)
    return std::nullopt;
  const bool keepsNaN = llvm::all_of(before, [](const Step &step) { return step.keepsNaN; });
  return CodeOfNaN{round.getOperand(), keepsNaN ? std::optional(int64_t(*instead)) : std::nullopt};
}

/// Reads a float that is rounded and converted, possibly with a constant as the result for NaN.
std::optional<QuantizedChain> readRounded(Value value) {
  if (auto convert = value.getDefiningOp<arith::FPToSIOp>())
    return readRounded(convert, std::nullopt);
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (!select)
    return std::nullopt;
  auto convert = select.getFalseValue().getDefiningOp<arith::FPToSIOp>();
  std::optional<CodeOfNaN> ofNaN = readCodeOfNaN(select);
  if (!convert || !ofNaN)
    return std::nullopt;
  std::optional<QuantizedChain> chain = readRounded(convert, ofNaN->code);
  return chain && ofNaN->rounded == chain->x ? chain : std::nullopt;
}

/// True if all results fit a signed or an unsigned byte.
bool fitsInBytes(const QuantizedChain &chain) {
  return (chain.low >= INT8_MIN && chain.high <= INT8_MAX) || (chain.low >= 0 && chain.high <= UINT8_MAX);
}

/// Reads a code of 8 bits that a `select` replaces by another code if the operand is NaN.
std::optional<QuantizedChain> readChosenByte(arith::SelectOp select) {
  auto narrow = select.getFalseValue().getDefiningOp<arith::TruncIOp>();
  std::optional<CodeOfNaN> ofNaN = readCodeOfNaN(select);
  std::optional<QuantizedChain> chain = narrow && ofNaN ? readQuantized(narrow) : std::nullopt;
  if (!chain || ofNaN->rounded != chain->x)
    return std::nullopt;
  if (ofNaN->code && std::isnan(magnitudeOf(chain->x)))
    chain->ofNaN = ofNaN->code;
  return chain;
}

} // namespace

std::optional<QuantizedChain> readQuantized(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op); select && select.getType().isInteger(8))
    return readChosenByte(select);
  auto narrow = dyn_cast<arith::TruncIOp>(op);
  if (!narrow)
    return op->getNumResults() == 1 && op->getResult(0).getType().isInteger(32) ? readRounded(op->getResult(0))
                                                                                : std::nullopt;
  if (!narrow.getType().isInteger(8) || !narrow.getIn().getType().isInteger(32))
    return std::nullopt;
  std::optional<QuantizedChain> chain = readRounded(narrow.getIn());
  if (!chain) {
    SmallVector<Step> steps;
    Value x = readSteps(narrow.getIn(), steps);
    Clamp clamp;
    if (!llvm::all_of(steps, [&](const Step &step) { return clamp.add(step); }) || !clamp.isBounded())
      return std::nullopt;
    chain = QuantizedChain{x, {}, 0, int64_t(clamp.low), int64_t(clamp.high), {}, {}};
  }
  if (!fitsInBytes(*chain))
    return std::nullopt;
  chain->type = narrow.getType();
  return chain;
}

} // namespace nacre::codegen::cpu
