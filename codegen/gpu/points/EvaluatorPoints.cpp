// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of Evaluator for points: the iterations of an operation's loops that compute an element of its result.

#include "codegen/gpu/points/AxisDigits.h"
#include "codegen/gpu/points/Evaluator.h"

using namespace mlir;

namespace nacre::codegen::gpu {

Point Evaluator::loopsOf(unsigned number, unsigned result, ArrayRef<Position> element) {
  const Work &work = form.work[number];
  Point at(work.loops());
  for (auto [position, expression] : llvm::zip_equal(element, work.results[result].map.getResults())) {
    Position rest = position;
    SmallVector<unsigned, 2> loops = digitsOf(work, expression).loops;
    for (unsigned i = 0; i + 1 < loops.size(); ++i) {
      int64_t inner = 1;
      for (unsigned loop : ArrayRef(loops).drop_front(i + 1))
        inner *= work.sizes[loop];
      if (!rest.base && rest.counter && rest.lanes == 1 && rest.scale % inner == 0) {
        // The constant is below one iteration of this loop, so only the constant counts the iterations of the inner
        // loops.
        Position iteration;
        iteration.constant = rest.constant % inner;
        rest.scale /= inner;
        rest.constant /= inner;
        at[loops[i]] = rest;
        rest = iteration;
        continue;
      }
      const bool isDigit = !rest.base && rest.constant == 0 && inner % rest.scale == 0;
      if (!isDigit && (rest.base || rest.counter)) {
        assert(rest.lanes == 1 && "lanes stay within a digit");
        Position whole;
        whole.counter = build.value(rest);
        whole.size = inner * work.sizes[loops[i]];
        rest = whole;
      }
      Position &outer = at[loops[i]];
      outer.constant = rest.constant / inner;
      rest.constant %= inner;
      if (!rest.counter)
        continue;
      const int64_t step = inner / rest.scale;
      outer.counter = rest.counter;
      outer.divisor = rest.divisor * step;
      outer.size = std::max<int64_t>(1, rest.size / step);
      outer.leading = rest.leading;
      rest.size = step;
      rest.leading = false;
    }
    if (!loops.empty())
      at[loops.back()] = rest;
  }
  return at;
}

int64_t Evaluator::innermostOf(unsigned number, unsigned result, unsigned axis) const {
  const Work &work = form.work[number];
  const SmallVector<unsigned, 2> loops = digitsOf(work, work.results[result].map.getResult(axis)).loops;
  return loops.size() > 1 ? work.sizes[loops.back()] : 1;
}

Point Evaluator::producerPoint(const Input &input, const Point &at) {
  Point element;
  for (AffineExpr expression : input.map.getResults()) {
    Position position;
    if (auto dim = dyn_cast<AffineDimExpr>(expression))
      position = at[dim.getPosition()];
    else
      position.constant = cast<AffineConstantExpr>(expression).getValue();
    element.push_back(position);
  }
  return loopsOf(input.work, input.result, element);
}

bool Evaluator::lanesFit(unsigned lanes, std::optional<unsigned> cutAxis, std::optional<VectorAxis> along) const {
  for (auto [number, work] : llvm::enumerate(form.work))
    for (auto [index, result] : llvm::enumerate(work.results))
      for (auto [axis, expression] : llvm::enumerate(result.map.getResults())) {
        SmallVector<unsigned, 2> loops = digitsOf(work, expression).loops;
        const bool isScalar = along && along->work == number && along->result == index && along->axis != axis;
        if (loops.size() > 1 && (axis == cutAxis || (!isScalar && work.sizes[loops.back()] % lanes != 0)))
          return false;
      }
  return true;
}

} // namespace nacre::codegen::gpu
