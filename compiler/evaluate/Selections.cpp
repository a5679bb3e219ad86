// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that sort, select and compact. Comparisons are discontinuous, so operands are read rounded to their type.

#include "compiler/evaluate/Operators.h"
#include "compiler/evaluate/Walks.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace nacre::evaluate {
namespace {

/// Returns a negative value, 0 or a positive value if a is less than, equal to or greater than b. NaN is greater than
/// all other values, and equals itself.
int compare(const Tensor &type, Cell a, Cell b) {
  if (!type.isFloat())
    return type.isUnsigned() ? (uint64_t(a.integer) > uint64_t(b.integer)) - (uint64_t(a.integer) < uint64_t(b.integer))
                             : (a.integer > b.integer) - (a.integer < b.integer);
  const bool isNan = std::isnan(a.number), isOtherNan = std::isnan(b.number);
  if (isNan || isOtherNan)
    return isNan - isOtherNan;
  return (a.number > b.number) - (a.number < b.number);
}

std::vector<int64_t> countTo(int64_t count) {
  std::vector<int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

} // namespace

Results evaluate(nn::TopKOp op, Operands operands) {
  const Tensor x = operands[0].asStored();
  const auto axis = int64_t(op.getAxis()), k = int64_t(op.getK());
  Tensor values(op.getValues().getType()), indices(op.getIndices().getType());
  const int64_t inner = product(x.getShape().drop_front(axis + 1));
  int64_t line = 0;
  forEachLine(x.getShape(), axis, [&](int64_t first, int64_t stride) {
    std::vector<int64_t> order = countTo(x.getShape()[axis]);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      const int sign = compare(x, x[first + a * stride], x[first + b * stride]);
      return op.getSmallest() ? sign < 0 : sign > 0;
    });
    const int64_t to = line / inner * k * inner + line % inner;
    ++line;
    for (int64_t i = 0; i < k; ++i) {
      values.write()[to + i * inner] = operands[0][first + order[i] * stride];
      indices.write()[to + i * inner].integer = order[i];
    }
  });
  return {values, indices};
}

Tensor evaluate(nn::CompactOp op, Operands operands) {
  const Tensor &mask = operands[0];
  Tensor result(op.getType());
  Cell *to = result.write();
  for (int64_t i = 0; i < mask.size(); ++i)
    if (mask.integer(i))
      (to++)->integer = i;
  while (to != result.write() + result.size())
    (to++)->integer = mask.size();
  return result;
}

Results evaluate(nn::UniqueOp op, Operands operands) {
  const Tensor rows = operands[0].asStored();
  const int64_t count = rows.getShape()[0], width = rows.getShape()[1];
  Tensor first(op.getFirst().getType()), inverse(op.getInverse().getType()), counts(op.getCounts().getType());
  auto compareRows = [&](int64_t a, int64_t b) {
    int sign = 0;
    for (int64_t i = 0; i < width && sign == 0; ++i)
      sign = compare(rows, rows[a * width + i], rows[b * width + i]);
    return sign;
  };
  // First row of each group of equal rows, in the order of groups.
  std::vector<int64_t> kinds;
  std::vector<int64_t> order = countTo(count);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return compareRows(a, b) < 0; });
  for (int64_t i = 0; i < count; ++i)
    if (i == 0 || compareRows(order[i - 1], order[i]) != 0)
      kinds.push_back(order[i]);
  if (!op.getSorted())
    std::sort(kinds.begin(), kinds.end());
  for (int64_t i = 0; i < count; ++i)
    first.write()[i].integer = i < int64_t(kinds.size()) ? kinds[i] : count;
  for (int64_t row = 0; row < count; ++row) {
    int64_t kind = 0;
    while (compareRows(kinds[kind], row) != 0)
      ++kind;
    inverse.write()[row].integer = kind;
    ++counts.write()[kind].integer;
  }
  return {first, inverse, counts};
}

namespace {

struct Box {
  double low[2], high[2];
};

Box readBox(const Tensor &boxes, int64_t number, bool isCentered) {
  Box box{};
  for (int64_t axis = 0; axis < 2; ++axis) {
    const double a = boxes.number(number * 4 + axis), b = boxes.number(number * 4 + axis + 2);
    box.low[axis] = isCentered ? a - b / 2 : std::min(a, b);
    box.high[axis] = isCentered ? a + b / 2 : std::max(a, b);
  }
  return box;
}

double areaOf(const Box &box) { return (box.high[0] - box.low[0]) * (box.high[1] - box.low[1]); }

bool overlaps(const Box &a, const Box &b, double threshold) {
  double intersection = 1;
  for (int axis = 0; axis < 2; ++axis)
    intersection *= std::max(0.0, std::min(a.high[axis], b.high[axis]) - std::max(a.low[axis], b.low[axis]));
  return intersection > threshold * (areaOf(a) + areaOf(b) - intersection);
}

} // namespace

Results evaluate(nn::NmsOp op, Operands operands) {
  const Tensor boxes = operands[0].asStored(), scores = operands[1].asStored(), iou = operands[3].asStored();
  const Dims shape = scores.getShape();
  const int64_t classes = shape[1], count = shape[2], limit = int64_t(op.getLimit());
  Tensor selected(op.getSelected().getType()), counts(op.getCounts().getType());
  const int64_t most = std::min(operands[2].integer(0), limit);
  const double least = op.getScoreThreshold() ? operands[4].asStored().number(0) : -HUGE_VAL;
  for (int64_t line = 0; line < shape[0] * classes; ++line) {
    std::vector<int64_t> candidates;
    for (int64_t i = 0; i < count; ++i)
      if (const double score = scores.number(line * count + i);
          op.getScoreThreshold() ? score > least : !std::isnan(score))
        candidates.push_back(i);
    std::stable_sort(candidates.begin(), candidates.end(), [&](int64_t a, int64_t b) {
      return scores.number(line * count + a) > scores.number(line * count + b);
    });
    std::vector<Box> taken;
    for (int64_t candidate : candidates) {
      if (int64_t(taken.size()) >= most)
        break;
      const Box box = readBox(boxes, line / classes * count + candidate, op.getCentered());
      if (llvm::any_of(taken, [&](const Box &other) { return overlaps(box, other, iou.number(0)); }))
        continue;
      selected.write()[line * limit + int64_t(taken.size())].integer = candidate;
      taken.push_back(box);
    }
    counts.write()[line].integer = int64_t(taken.size());
  }
  return {selected, counts};
}

} // namespace nacre::evaluate
