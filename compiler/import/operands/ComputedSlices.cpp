// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A slice is a gather of the positions start, start + step, ... Positions are clamped as in any gather, so that no
// value can make a run read other memory.

#include "compiler/import/operands/ComputedSlices.h"

#include "compiler/import/builder/Geometry.h"
#include "compiler/import/builder/LinearForms.h"
#include "compiler/import/compositions/Elementary.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer {

/// Returns a position as an i64 scalar that counts from the front of an axis.
static Value readPosition(NnBuilder &nn, Value given, const Size &size) {
  if (!given)
    return {};
  Value position = nn.reshape(nn.cast(given, nn.types().getI64Type()), /*shape=*/{});
  Value isNegative = nn.binary(nn::BinaryKind::Less, position, 0.0);
  return nn.select(isNegative,
                   size.count ? nn.add(position, size.count) : nn.add(position, static_cast<double>(size.bound)),
                   position);
}

/// Returns `length` integers: `start`, `start + step`, ...
static Value countFrom(NnBuilder &nn, Value start, int64_t length, int64_t step) {
  Value numbers = nn.counting(length);
  return nn.add(step == 1 ? numbers : nn.mul(numbers, static_cast<double>(step)), start);
}

Value sliceAt(NnBuilder &nn, Value x, int64_t axis, Value start, int64_t length, int64_t step) {
  if (!x || !start)
    return {};
  const int64_t dim = getShape(x)[axis], reach = (length - 1) * step;
  Value position = readPosition(nn, start, nn.getSizes(x)[axis]);
  position = clamp(nn, position, static_cast<double>(std::max<int64_t>(-reach, 0)),
                   static_cast<double>(dim - 1 - std::max<int64_t>(reach, 0)));
  return nn.gather(x, countFrom(nn, position, length, step), axis);
}

SlicePosition positionOf(NnBuilder &nn, Value positions, int64_t index) {
  const LinearForm form = formOf(positions, index);
  if (form.terms.empty())
    return {form.constant, Value()};
  Value all = nn.reshape(nn.cast(positions, nn.types().getI64Type()), {getType(positions).getNumElements()});
  return {0, nn.reshape(nn.slice(all, 0, index, 1), /*shape=*/{})};
}

/// The number of elements that a slice selects of axes of up to some size.
struct SlicedSizes {
  int64_t most = 0;     ///< largest number
  bool isWhole = false; ///< true if all elements are selected, such as in the reverse order
};

static SlicedSizes findSizes(const SlicePosition &start, const SlicePosition &end, int64_t step, int64_t dim) {
  // A computed position may be at either end of the axis.
  const int64_t first = start.computed ? (step < 0 ? -1 : 0) : start.known,
                last = end.computed ? (step < 0 ? INT64_MIN : INT64_MAX) : end.known;
  constexpr int64_t mostTried = 1 << 16;
  if (dim > mostTried)
    return {int64_t(llvm::divideCeil(dim, std::abs(step))), false};
  SlicedSizes sizes = {0, !start.computed && !end.computed};
  for (int64_t size = 0; size <= dim; ++size) {
    const int64_t selected = clampRange(first, last, step, size).size;
    sizes.most = std::max(sizes.most, selected);
    sizes.isWhole &= selected == size;
  }
  return sizes;
}

Value sliceCounted(NnBuilder &nn, Value x, int64_t axis, const SlicePosition &start, const SlicePosition &end,
                   int64_t step) {
  if (!x)
    return {};
  const Size size = nn.getSizes(x)[axis];
  // Larger steps and positions mean the same, and may overflow.
  const int64_t far = size.bound + 1, low = step < 0 ? -1 : 0;
  step = std::clamp(step, -far, far);
  const SlicedSizes sizes = findSizes(start, end, step, size.bound);
  Value dim = size.count ? size.count : nn.reshape(nn.integers(size.bound), /*shape=*/{});
  Value last = nn.add(dim, static_cast<double>(low));
  auto place = [&](const SlicePosition &position, int64_t least) {
    Value given = position.computed ? position.computed
                                    : nn.reshape(nn.integers(std::clamp(position.known, -far, far)), /*shape=*/{});
    Value fromFront = nn.select(nn.binary(nn::BinaryKind::Less, given, 0.0), nn.add(given, dim), given);
    return nn.binary(nn::BinaryKind::Min, nn.binary(nn::BinaryKind::Max, fromFront, static_cast<double>(least)), last);
  };
  Value first = place(start, 0);
  Value sliced = nn.gather(x, countFrom(nn, first, sizes.most, step), axis);
  if (sizes.isWhole)
    return nn.limit(sliced, axis, dim);
  Value distance = step < 0 ? nn.sub(first, place(end, low)) : nn.sub(place(end, low), first);
  Value count = nn.div(nn.binary(nn::BinaryKind::Max, nn.add(distance, static_cast<double>(std::abs(step) - 1)), 0.0),
                       static_cast<double>(std::abs(step)));
  return nn.limit(sliced, axis, count);
}

/// Returns the number of elements between two positions with this distance, or `nullopt` if an axis of `dim` elements
/// is shorter.
static std::optional<int64_t> countBetween(std::optional<int64_t> distance, int64_t step, int64_t dim) {
  if (!distance || *distance == 0 || (*distance < 0) != (step < 0) || *distance == INT64_MIN || step == INT64_MIN)
    return std::nullopt;
  const int64_t length = (std::abs(*distance) - 1) / std::abs(step) + 1;
  int64_t reach;
  if (llvm::MulOverflow(length - 1, std::abs(step), reach) || reach >= dim)
    return std::nullopt;
  return length;
}

/// True if a position is computed in the body of a loop or in a branch. If the loop is unrolled, each iteration knows
/// the size of the axis, and the sizes differ.
static bool isInRegion(const LinearForm &position) {
  return llvm::any_of(position.terms, [](LinearForm::Term term) {
    return !isa<func::FuncOp>(term.tensor.getParentRegion()->getParentOp());
  });
}

void sliceBetween(OperandBinder &node, Ints axes, Ints steps) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), starts = node.getOperand(1), ends = node.getOperand(2);
  for (auto [number, axis, step] : llvm::enumerate(axes, steps)) {
    const auto index = static_cast<int64_t>(number);
    const int64_t dim = getShape(x)[axis];
    const LinearForm start = formOf(starts, index), end = formOf(ends, index);
    const std::optional<int64_t> length = countBetween(differenceOf(end, start), step, dim);
    const bool isOpen = bool(nn.getSizes(x)[axis].count);
    const bool isKnown = start.terms.empty() && end.terms.empty();
    if (isKnown && !isOpen) {
      const SliceRange range = clampRange(start.constant, end.constant, step, dim);
      SmallVector<int64_t> begin(getRank(x), 0), sizes(getShape(x)), strides(getRank(x), 1);
      begin[axis] = range.size > 0 ? range.start : 0;
      sizes[axis] = range.size;
      strides[axis] = range.size > 1 ? step : 1;
      x = nn.slice(x, begin, sizes, strides);
    } else if (length && !isKnown) {
      x = sliceAt(nn, x, axis, nn.slice(nn.reshape(starts, {getType(starts).getNumElements()}), 0, index, 1), *length,
                  step);
    } else if (isOpen || (!isInRegion(start) && !isInRegion(end))) {
      x = sliceCounted(nn, x, axis, positionOf(nn, starts, index), positionOf(nn, ends, index), step);
    } else {
      (void)node.getIntegers(start.terms.empty() ? 2 : 1); // the error names the input that decides the position
      return node.fail();
    }
    if (!x)
      return node.fail();
  }
  node.setResult(x);
}

} // namespace nacre::importer
