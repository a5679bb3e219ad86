// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A slice is a gather of the positions start, start + step, ... Positions are clamped as in any gather, so that no
// value can make a run read other memory.

#include "compiler/import/operands/ComputedSlices.h"

#include "compiler/import/builder/Geometry.h"
#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/operands/LinearForms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer {

/// Returns element `index` of a list of positions as a scalar that counts from the front of an axis of `dim` elements.
static Value readPosition(NnBuilder &nn, Value positions, int64_t index, int64_t dim) {
  if (!positions)
    return {};
  Value all = nn.reshape(nn.cast(positions, nn.types().getI64Type()), {getType(positions).getNumElements()});
  Value position = nn.reshape(nn.slice(all, 0, index, 1), /*shape=*/{});
  Value isNegative = nn.binary(nn::BinaryKind::Less, position, 0.0);
  return nn.select(isNegative, nn.add(position, static_cast<double>(dim)), position);
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
  Value position = readPosition(nn, start, 0, dim);
  position = clamp(nn, position, static_cast<double>(std::max<int64_t>(-reach, 0)),
                   static_cast<double>(dim - 1 - std::max<int64_t>(reach, 0)));
  return nn.gather(x, countFrom(nn, position, length, step), axis);
}

/// Returns the elements of `x` along `axis` from `start` up to, but not including, the position `end`. The axis is
/// open. Elements after the count repeat the last element.
static Value sliceUpTo(NnBuilder &nn, Value x, int64_t axis, int64_t start, Value end) {
  if (!x || !end)
    return {};
  const int64_t dim = getShape(x)[axis];
  Value count = nn.sub(clamp(nn, end, static_cast<double>(start), static_cast<double>(dim)),
                       nn.scalar(end, static_cast<double>(start)));
  Value numbers = countFrom(nn, nn.scalar(end, static_cast<double>(start)), dim - start, 1);
  Value last = nn.binary(nn::BinaryKind::Max, nn.add(nn.add(count, static_cast<double>(start)), -1.0), 0.0);
  return nn.limit(nn.gather(x, nn.binary(nn::BinaryKind::Min, numbers, last), axis), axis, count);
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
    if (start.terms.empty() && end.terms.empty()) {
      const SliceRange range = clampRange(start.constant, end.constant, step, dim);
      SmallVector<int64_t> begin(getRank(x), 0), sizes(getShape(x)), strides(getRank(x), 1);
      begin[axis] = range.size > 0 ? range.start : 0;
      sizes[axis] = range.size;
      strides[axis] = range.size > 1 ? step : 1;
      x = nn.slice(x, begin, sizes, strides);
    } else if (length) {
      x = sliceAt(nn, x, axis, nn.slice(nn.reshape(starts, {getType(starts).getNumElements()}), 0, index, 1), *length,
                  step);
    } else if (start.terms.empty() && step == 1 && !isInRegion(end)) {
      const int64_t first = clampRange(start.constant, INT64_MAX, 1, dim).start;
      x = sliceUpTo(nn, x, axis, first, readPosition(nn, ends, index, dim));
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
