// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads scalar operations, and computes them and their derivatives for all samples.

#include "compiler/encode/noise/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace nacre::encode {

//===----------------------------------------------------------------------===//
// 1. Reading
//===----------------------------------------------------------------------===//

std::optional<LaneProgram::Function> LaneProgram::functionOf(Operation &op) {
  using Found = std::optional<Function>;
  constexpr double slopeOfErf = 1.1283791670955126; // 2 / sqrt(pi)
  return llvm::TypeSwitch<Operation *, Found>(&op)
      .Case([](arith::NegFOp) { return Function{[](double x) { return -x; }, [](double, double) { return -1.0; }}; })
      .Case([](math::AbsFOp) {
        return Function{[](double x) { return std::fabs(x); }, [](double x, double) { return x < 0 ? -1.0 : 1.0; }};
      })
      .Case([](math::ExpOp) {
        return Function{[](double x) { return std::exp(x); }, [](double, double y) { return y; }};
      })
      .Case([](math::LogOp) {
        return Function{[](double x) { return std::log(std::fabs(x)); }, [](double x, double) { return 1 / x; }};
      })
      .Case([](math::SqrtOp) {
        // Samples of a number that is never negative may be so.
        return Function{[](double x) { return std::sqrt(std::fabs(x)); },
                        [](double, double y) { return y == 0 ? 0 : 0.5 / y; }};
      })
      .Case([](math::RsqrtOp) {
        return Function{[](double x) { return 1 / std::sqrt(std::fabs(x)); },
                        [](double x, double y) { return -0.5 * y / std::fabs(x); }};
      })
      .Case([](math::TanhOp) {
        return Function{[](double x) { return std::tanh(x); }, [](double, double y) { return 1 - y * y; }};
      })
      .Case([](math::ErfOp) {
        return Function{[](double x) { return std::erf(x); },
                        [](double x, double) { return slopeOfErf * std::exp(-x * x); }};
      })
      .Default(Found());
}

std::optional<LaneProgram::Step> LaneProgram::readStep(Operation &op) {
  if (std::optional<Function> function = functionOf(op))
    return Step{Kind::Unary, {}, *function};
  using Found = std::optional<Step>;
  auto stepOf = [](Kind kind) { return Found(Step{kind}); };
  return llvm::TypeSwitch<Operation *, Found>(&op)
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return stepOf(Kind::Copy); })
      .Case([&](arith::AddFOp) { return stepOf(Kind::Add); })
      .Case([&](arith::SubFOp) { return stepOf(Kind::Subtract); })
      .Case([&](arith::MulFOp) { return stepOf(Kind::Multiply); })
      .Case([&](arith::DivFOp) { return stepOf(Kind::Divide); })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>([&](auto) { return stepOf(Kind::Maximum); })
      .Case<arith::MinimumFOp, arith::MinNumFOp>([&](auto) { return stepOf(Kind::Minimum); })
      .Case([&](math::FmaOp) { return stepOf(Kind::MultiplyAdd); })
      .Case([&](math::PowFOp) { return stepOf(Kind::Power); })
      .Case([&](arith::SelectOp) { return stepOf(Kind::Select); })
      .Case([&](arith::CmpFOp compare) {
        // No sample is NaN, so ordered and unordered predicates are equal.
        Step step{Kind::Compare};
        step.predicate = unsigned(compare.getPredicate());
        return Found(step);
      })
      .Default(Found());
}

std::optional<LaneProgram> LaneProgram::get(Block &block) {
  LaneProgram program;
  llvm::DenseMap<Value, unsigned> places;
  program.arguments = block.getNumArguments();
  for (BlockArgument argument : block.getArguments()) {
    places[argument] = program.numbers.size();
    program.numbers.emplace_back();
  }
  auto placeOf = [&](Value value) -> std::optional<unsigned> {
    if (auto found = places.find(value); found != places.end())
      return found->second;
    FloatAttr constant;
    if (!matchPattern(value, m_Constant(&constant)))
      return std::nullopt;
    program.numbers.emplace_back().value.fill(constant.getValueAsDouble());
    return places[value] = program.numbers.size() - 1;
  };
  for (Operation &op : block.without_terminator()) {
    if (isa<arith::ConstantOp>(op))
      continue;
    std::optional<Step> step = readStep(op);
    if (!step)
      return std::nullopt;
    for (Value operand : op.getOperands()) {
      std::optional<unsigned> place = placeOf(operand);
      if (!place)
        return std::nullopt;
      step->operands.push_back(*place);
    }
    places[op.getResult(0)] = program.numbers.size();
    program.steps.push_back({unsigned(program.numbers.size()), *step});
    program.numbers.emplace_back();
  }
  for (Value result : block.getTerminator()->getOperands()) {
    std::optional<unsigned> place = placeOf(result);
    if (!place)
      return std::nullopt;
    program.results.push_back(*place);
  }
  return program;
}

std::optional<unsigned> LaneProgram::copiedArgument() const {
  if (results.size() != 1)
    return std::nullopt;
  unsigned place = results.front();
  for (const auto &[result, step] : llvm::reverse(steps))
    if (result == place) {
      if (step.kind != Kind::Copy)
        return std::nullopt;
      place = step.operands.front();
    }
  return place < arguments ? std::optional(place) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// 2. Computing
//===----------------------------------------------------------------------===//

/// True if `predicate` of arith.cmpf holds for `left` and `right`.
static bool holds(arith::CmpFPredicate predicate, double left, double right) {
  using Predicate = arith::CmpFPredicate;
  switch (predicate) {
  case Predicate::OEQ:
  case Predicate::UEQ:
    return left == right;
  case Predicate::OGT:
  case Predicate::UGT:
    return left > right;
  case Predicate::OGE:
  case Predicate::UGE:
    return left >= right;
  case Predicate::OLT:
  case Predicate::ULT:
    return left < right;
  case Predicate::OLE:
  case Predicate::ULE:
    return left <= right;
  case Predicate::ONE:
  case Predicate::UNE:
    return left != right;
  case Predicate::ORD:
  case Predicate::AlwaysTrue:
    return true;
  case Predicate::UNO:
  case Predicate::AlwaysFalse:
    return false;
  }
  llvm_unreachable("all predicates are handled");
}

/// Returns the share of a result's noise that is proportional to the result. `powers` has the power of the noise that
/// each operand causes.
static double scaledShareOf(bool isSum, ArrayRef<const Lanes *> operands, ArrayRef<double> powers) {
  double all = 0, scaled = 0;
  for (double power : powers)
    all += power;
  if (all == 0 || !std::isfinite(all))
    return 0;
  for (auto [operand, power] : llvm::zip_equal(operands, powers))
    // If operands are added, the sum says little about one of them.
    scaled += operand->scaled * power / all * (isSum ? power / all : 1);
  return scaled;
}

void LaneProgram::run(const Step &step, ArrayRef<const Lanes *> operands, Lanes &result) {
  double powers[3] = {};
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const double a = operands[0]->value[lane], b = operands.size() > 1 ? operands[1]->value[lane] : 0,
                 c = operands.size() > 2 ? operands[2]->value[lane] : 0;
    double value = 0, slopes[3] = {};
    switch (step.kind) {
    case Kind::Add:
      value = a + b, slopes[0] = slopes[1] = 1;
      break;
    case Kind::Subtract:
      value = a - b, slopes[0] = 1, slopes[1] = -1;
      break;
    case Kind::Multiply:
      value = a * b, slopes[0] = b, slopes[1] = a;
      break;
    case Kind::Divide:
      value = a / b, slopes[0] = 1 / b, slopes[1] = -value / b;
      break;
    case Kind::Maximum:
      value = std::max(a, b), slopes[a < b] = 1;
      break;
    case Kind::Minimum:
      value = std::min(a, b), slopes[b < a] = 1;
      break;
    case Kind::MultiplyAdd:
      value = a * b + c, slopes[0] = b, slopes[1] = a, slopes[2] = 1;
      break;
    case Kind::Power:
      value = std::pow(std::fabs(a), b), slopes[0] = a == 0 ? 0 : b * value / std::fabs(a);
      break;
    case Kind::Compare:
      value = holds(arith::CmpFPredicate(step.predicate), a, b);
      break;
    case Kind::Select:
      value = a != 0 ? b : c, slopes[a != 0 ? 1 : 2] = 1;
      break;
    case Kind::Copy:
      value = a, slopes[0] = 1;
      break;
    case Kind::Unary:
      value = step.function.value(a), slopes[0] = step.function.slope(a, value);
      break;
    }
    result.value[lane] = value;
    result.noise[lane] = result.offset[lane] = 0;
    for (unsigned operand = 0; operand < operands.size(); ++operand)
      if (slopes[operand] != 0) { // The error of an infinite number is 0, too.
        const double noise = slopes[operand] * operands[operand]->noise[lane];
        powers[operand] += noise * noise;
        result.noise[lane] += noise;
        result.offset[lane] += slopes[operand] * operands[operand]->offset[lane];
      }
  }
  const bool isSum = step.kind == Kind::Add || step.kind == Kind::Subtract || step.kind == Kind::MultiplyAdd;
  result.scaled = scaledShareOf(isSum, operands, ArrayRef(powers).take_front(operands.size()));
}

llvm::SmallVector<Lanes, 1> LaneProgram::run(ArrayRef<const Lanes *> values) {
  auto at = [&](unsigned place) { return place < arguments ? values[place] : &numbers[place]; };
  for (auto &[place, step] : steps) {
    llvm::SmallVector<const Lanes *, 3> operands = llvm::map_to_vector<3>(step.operands, at);
    run(step, operands, numbers[place]);
  }
  llvm::SmallVector<Lanes, 1> found;
  for (unsigned result : results)
    found.push_back(*at(result));
  return found;
}

} // namespace nacre::encode
