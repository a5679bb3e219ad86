// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns loops whose condition only counts into loops with a known number of iterations. Formats can write `for` as
// `while`, and most exporters do. Only a counted loop can be unrolled, scan rows, and have its products moved out.
//
// 1. Finds carried values that grow by a constant in each iteration.
// 2. The condition must be a conjunction of comparisons of such values with invariant ones. Each comparison limits the
//    number of iterations. The loop has the smallest of these numbers.
// 3. Values that only grow are computed from the iteration's index instead of being carried.

#include "compiler/graph/Matching.h"
#include "compiler/graph/Passes.h"
#include "compiler/graph/Regions.h"

#include "dialects/nn/control/Iterations.h"
#include <cmath>

namespace nacre::graph {
#define GEN_PASS_DEF_COUNTTRIPSPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

//===----------------------------------------------------------------------===//
// 1. Progressions
//===----------------------------------------------------------------------===//

/// Value `start + step * iteration`, within the range of its element type.
struct Progression {
  Type element;
  Value start; ///< Null for the index of the iteration, which starts at 0.
  double step = 1;
};

/// Returns the value before the reshapes that compute `value`. Reshapes don't change a tensor of one element.
Value skipReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<nn::ReshapeOp>())
    value = reshape.getOperand();
  return value;
}

/// Returns the amount by which the carried value `index` grows in each iteration. Returns `nullopt` if it is not
/// constant.
std::optional<double> findStep(Operation *loop, unsigned index) {
  Value argument = getBody(loop).getArgument(1 + index), next = skipReshapes(getYield(loop).getCarried()[index]);
  auto sum = next.getDefiningOp<nn::BinaryOp>();
  if (!sum || (sum.getKind() != nn::BinaryKind::Add && sum.getKind() != nn::BinaryKind::Sub))
    return std::nullopt;
  const bool isSum = sum.getKind() == nn::BinaryKind::Add;
  std::optional<double> step;
  if (skipReshapes(sum.getLhs()) == argument)
    step = getNumber(sum.getRhs());
  else if (isSum && skipReshapes(sum.getRhs()) == argument)
    step = getNumber(sum.getLhs());
  if (!step || !nn::isExactInteger(*step) || cast<RankedTensorType>(argument.getType()).getNumElements() != 1)
    return std::nullopt;
  return isSum ? *step : -*step;
}

/// Returns `value`, used in the condition of `loop`, as a progression. Returns `nullopt` if it is no progression.
std::optional<Progression> findProgression(nn::WhileOp loop, Value value) {
  value = skipReshapes(value);
  if (auto cast = value.getDefiningOp<nn::CastOp>(); cast && cast.getType().getElementType().isSignlessInteger(64))
    if (auto narrow = dyn_cast<IntegerType>(cast.getOperand().getType().getElementType());
        narrow && narrow.getWidth() < 64)
      value = skipReshapes(cast.getOperand());
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &loop.getConditionRegion().front())
    return std::nullopt;
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  if (argument.getArgNumber() == 0)
    return Progression{element, Value(), 1};
  unsigned index = argument.getArgNumber() - 1;
  std::optional<double> step = findStep(loop, index);
  if (!step || *step == 0)
    return std::nullopt;
  return Progression{element, loop.getInitial()[index], *step};
}

//===----------------------------------------------------------------------===//
// 2. Conditions
//===----------------------------------------------------------------------===//

/// Number of iterations of a loop: the minimum of `known` and all `counts`, i64 scalars that are computed before the
/// loop.
struct Trips {
  std::optional<int64_t> known;
  SmallVector<Value> counts;

  void limit(int64_t iterations) { known = std::min(known.value_or(iterations), iterations); }
};

nn::BinaryKind mirrored(nn::BinaryKind kind) {
  switch (kind) {
  case nn::BinaryKind::Less:
    return nn::BinaryKind::Greater;
  case nn::BinaryKind::LessEqual:
    return nn::BinaryKind::GreaterEqual;
  case nn::BinaryKind::Greater:
    return nn::BinaryKind::Less;
  case nn::BinaryKind::GreaterEqual:
    return nn::BinaryKind::LessEqual;
  default:
    return kind;
  }
}

Value makeScalar(OpBuilder &builder, Location loc, Value value) {
  Type wanted = builder.getI64Type();
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() > 0)
    value = builder.createOrFold<nn::ReshapeOp>(loc, RankedTensorType::get({}, type.getElementType()), value);
  if (type.getElementType() != wanted)
    value =
        builder.createOrFold<nn::CastOp>(loc, RankedTensorType::get({}, wanted), value, false, nn::ScaleRounding::Up);
  return value;
}

Value makeConstant(OpBuilder &builder, Location loc, RankedTensorType type, double number) {
  Attribute value = isa<FloatType>(type.getElementType())
                        ? Attribute(FloatAttr::get(type.getElementType(), number))
                        : Attribute(IntegerAttr::get(type.getElementType(), int64_t(number)));
  return nn::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, ArrayRef<Attribute>(value)));
}

Value makeInteger(OpBuilder &builder, Location loc, int64_t number) {
  auto type = RankedTensorType::get({}, builder.getI64Type());
  return nn::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, number));
}

/// Adds the number of iterations that a comparison of `progression` with the invariant `end` allows to `trips`. Returns
/// false if that number cannot be computed.
bool addComparison(OpBuilder &builder, nn::WhileOp loop, Progression progression, nn::BinaryKind comparison, Value end,
                   Trips &trips) {
  std::optional<double> first = progression.start ? getNumber(progression.start) : 0, last = getNumber(end);
  if (first && last)
    if (auto iterations = nn::countIterations(progression.element, *first, progression.step, comparison, *last)) {
      trips.limit(*iterations);
      return true;
    }
  const bool includesEnd = comparison == nn::BinaryKind::LessEqual;
  auto element = cast<RankedTensorType>(end.getType()).getElementType();
  if (progression.step != 1 || (comparison != nn::BinaryKind::Less && !includesEnd) || !element.isSignlessInteger() ||
      element.isInteger(1) || !isOutside(end, loop))
    return false;
  Location loc = loop.getLoc();
  auto binary = [&](nn::BinaryKind kind, Value lhs, Value rhs) {
    return builder.createOrFold<nn::BinaryOp>(loc, kind, lhs, rhs);
  };
  Value behind = makeScalar(builder, loc, end), count = behind;
  if (progression.start)
    count = binary(nn::BinaryKind::Sub, count, makeScalar(builder, loc, progression.start));
  if (includesEnd)
    count = binary(nn::BinaryKind::Add, count, makeInteger(builder, loc, 1));
  // If `end` may exceed the range of the counter's type, no value of the counter would end the loop.
  if (includesEnd || progression.element != element) {
    const int64_t greatest = nn::CountedRange(progression.element).greatest - (includesEnd ? 1 : 0);
    Value isNever = binary(nn::BinaryKind::Greater, behind, makeInteger(builder, loc, greatest));
    count = builder.createOrFold<nn::SelectOp>(loc, isNever, makeInteger(builder, loc, INT64_MAX), count);
  }
  trips.counts.push_back(count);
  return true;
}

/// Adds the number of iterations that `condition`, in the first region of `loop`, allows to `trips`. Returns false if
/// that number cannot be computed.
bool addCondition(OpBuilder &builder, nn::WhileOp loop, Value condition, Trips &trips) {
  condition = skipReshapes(condition);
  if (std::optional<double> known = getNumber(condition)) {
    if (*known == 0)
      trips.limit(0);
    return true;
  }
  auto op = condition.getDefiningOp<nn::BinaryOp>();
  if (!op)
    return false;
  if (op.getKind() == nn::BinaryKind::And)
    return addCondition(builder, loop, op.getLhs(), trips) && addCondition(builder, loop, op.getRhs(), trips);
  nn::BinaryKind kind = op.getKind();
  Value end = op.getRhs();
  std::optional<Progression> progression = findProgression(loop, op.getLhs());
  if (!progression) {
    progression = findProgression(loop, op.getRhs());
    end = op.getLhs();
    kind = mirrored(kind);
  }
  if (!progression || (!isOutside(end, loop) && !getNumber(end)) ||
      cast<RankedTensorType>(end.getType()).getNumElements() != 1)
    return false;
  const bool isOrder = kind == nn::BinaryKind::Less || kind == nn::BinaryKind::LessEqual ||
                       kind == nn::BinaryKind::Greater || kind == nn::BinaryKind::GreaterEqual;
  return isOrder && addComparison(builder, loop, *progression, kind, end, trips);
}

//===----------------------------------------------------------------------===//
// 3. The loop
//===----------------------------------------------------------------------===//

/// Replaces carried values that a counted loop only increments. They are computed from the iteration's index, and their
/// final values from the number of iterations.
void replaceProgressions(IRRewriter &rewriter, nn::ForOp loop, Value iterations) {
  for (unsigned index = 0; index < loop.getInitial().size(); ++index) {
    std::optional<double> step = findStep(loop, index);
    BlockArgument argument = loop.getCarriedArguments()[index];
    auto type = cast<RankedTensorType>(argument.getType());
    Value start = loop.getInitial()[index];
    std::optional<double> first = getNumber(start);
    const bool isInteger = type.getElementType().isSignlessInteger();
    if (!step ||
        (!isInteger && (!first || !nn::isExactInteger(*first) ||
                        std::fabs(*first) + std::fabs(*step) * double(loop.getTripCount()) > nn::mostExact)) ||
        (isa<FloatType>(type.getElementType()) && !type.getElementType().isF32() && !type.getElementType().isF64()))
      continue;
    auto compute = [&](Value iteration) {
      Value value = iteration;
      if (type.getElementType() != rewriter.getI64Type())
        value = rewriter.createOrFold<nn::CastOp>(loop.getLoc(), type.clone(ArrayRef<int64_t>()), value, false,
                                                  nn::ScaleRounding::Up);
      if (*step != 1)
        value = rewriter.createOrFold<nn::BinaryOp>(
            loop.getLoc(), nn::BinaryKind::Mul, value,
            makeConstant(rewriter, loop.getLoc(), type.clone(ArrayRef<int64_t>()), *step));
      if (first != 0)
        value = rewriter.createOrFold<nn::BinaryOp>(loop.getLoc(), nn::BinaryKind::Add, start, value);
      return value.getType() == type ? value : rewriter.createOrFold<nn::ReshapeOp>(loop.getLoc(), type, value);
    };
    if (!argument.use_empty()) {
      rewriter.setInsertionPointToStart(&loop.getBody().front());
      Value value = compute(loop.getCounter());
      rewriter.replaceAllUsesExcept(argument, value, value.getDefiningOp());
    }
    if (!loop.getFinals()[index].use_empty()) {
      rewriter.setInsertionPointAfter(loop);
      rewriter.replaceAllUsesWith(loop.getFinals()[index], compute(iterations));
    }
  }
}

/// Pads a stack that has fewer rows to the type `wanted`.
Value padStack(OpBuilder &builder, Value stack, RankedTensorType wanted) {
  auto type = cast<RankedTensorType>(stack.getType());
  if (type == wanted)
    return stack;
  SmallVector<int64_t> low(type.getRank(), 0), high(low);
  high[0] = wanted.getDimSize(0) - type.getDimSize(0);
  auto zero = cast<TypedAttr>(builder.getZeroAttr(type.getElementType()));
  return nn::PadOp::create(builder, stack.getLoc(), nn::PadMode::Constant, stack, low, high, zero);
}

struct CountTrips : impl::CountTripsPassBase<CountTrips> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (Operation *op : findControl(getOperation())) {
      rewriter.setInsertionPoint(op);
      if (auto loop = dyn_cast<nn::WhileOp>(op))
        count(rewriter, loop);
      else if (auto counted = dyn_cast<nn::ForOp>(op))
        replaceProgressions(rewriter, counted, makeTripCount(rewriter, counted));
    }
  }

  /// Returns the number of iterations of `loop`, computed before the loop.
  static Value makeTripCount(OpBuilder &builder, nn::ForOp loop) {
    Location loc = loop.getLoc();
    Value most = makeInteger(builder, loc, loop.getTripCount());
    if (!loop.getCount())
      return most;
    Value count = builder.createOrFold<nn::BinaryOp>(
        loc, nn::BinaryKind::Max, makeScalar(builder, loc, loop.getCount()), makeInteger(builder, loc, 0));
    return builder.createOrFold<nn::BinaryOp>(loc, nn::BinaryKind::Min, count, most);
  }

  void count(IRRewriter &rewriter, nn::WhileOp loop) {
    Trips trips;
    if (loop.getBound())
      trips.limit(int64_t(*loop.getBound()));
    if (!addCondition(rewriter, loop, loop.getConditionOp().getCondition(), trips) || !trips.known)
      return;
    Location loc = loop.getLoc();
    Value count;
    for (Value other : trips.counts)
      count = count ? rewriter.createOrFold<nn::BinaryOp>(loc, nn::BinaryKind::Min, count, other) : other;
    const int64_t bound = *trips.known;
    SmallVector<Type> types(loop.getFinals().getTypes());
    for (Value stack : loop.getStacks()) {
      auto type = cast<RankedTensorType>(stack.getType());
      SmallVector<int64_t> shape(type.getShape());
      shape[0] = bound;
      types.push_back(type.clone(shape));
    }
    auto counted = nn::ForOp::create(rewriter, loc, types, bound, count, loop.getInitial(), ValueRange(), false);
    rewriter.inlineRegionBefore(loop.getBody(), counted.getBody(), counted.getBody().end());
    SmallVector<Value> values(counted.getFinals());
    for (auto [stack, was] : llvm::zip_equal(counted.getStacks(), loop.getStacks()))
      values.push_back(padStack(rewriter, stack, cast<RankedTensorType>(was.getType())));
    rewriter.setInsertionPoint(counted);
    Value iterations = makeTripCount(rewriter, counted);
    values.push_back(iterations);
    rewriter.replaceOp(loop, values);
    replaceProgressions(rewriter, counted, iterations);
    ++numLoops;
  }
};

} // namespace

} // namespace nacre::graph
