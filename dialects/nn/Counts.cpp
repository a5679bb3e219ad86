// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   each operator has one rule. In `counts`, an axis that is not open has a null count.

#include "dialects/nn/Counts.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;

namespace nacre::nn {

namespace {

Value countOf(const AxisCounts &counts, int64_t axis) { return counts.empty() ? Value() : counts[axis]; }

/// Returns `counts` with exactly one entry for each of `rank` axes.
AxisCounts spread(const AxisCounts &counts, int64_t rank) { return counts.empty() ? AxisCounts(rank) : counts; }

/// Returns the counts of a reduction's result. Returns `nullopt` if a reduced axis is open.
std::optional<AxisCounts> transferReduced(const AxisCounts &operand, ArrayRef<int64_t> axes, bool keepsAxes) {
  AxisCounts result;
  for (auto [axis, count] : llvm::enumerate(operand)) {
    bool isReduced = llvm::is_contained(axes, int64_t(axis));
    if (isReduced && count)
      return std::nullopt;
    if (!isReduced || keepsAxes)
      result.push_back(count);
  }
  return result;
}

} // namespace

std::optional<AxisCounts> transferBroadcastCounts(Operation *op, ArrayRef<AxisCounts> operands) {
  ArrayRef<int64_t> shape = typeOf(op->getResult(0)).getShape();
  AxisCounts result(shape.size());
  for (auto [operand, counts] : llvm::zip_equal(op->getOperands(), operands))
    for (auto [axis, count] : llvm::enumerate(counts)) {
      size_t to = shape.size() - counts.size() + axis;
      // An open axis may have undefined elements, so it cannot be broadcast.
      if (count && (typeOf(operand).getDimSize(axis) != shape[to] || (result[to] && result[to] != count)))
        return std::nullopt;
      if (count)
        result[to] = count;
    }
  for (auto [operand, counts] : llvm::zip_equal(op->getOperands(), operands))
    for (auto [axis, size] : llvm::enumerate(typeOf(operand).getShape()))
      if (result[shape.size() - typeOf(operand).getRank() + axis] && !countOf(counts, axis) && size != 1 &&
          !operand.getDefiningOp<ConstantOp>())
        return std::nullopt;
  return result;
}

/// Returns `nullopt` if the scales or zero points have an open axis, because some of them may be undefined.
template <typename OpT> static std::optional<AxisCounts> transferCodes(OpT op, ArrayRef<AxisCounts> operands) {
  for (auto [parameter, counts] : {std::pair<Value, AxisCounts>(op.getScale(), operands[1]),
                                   std::pair<Value, AxisCounts>(op.getZero(), operands[2])}) {
    if (llvm::any_of(counts, [](Value count) { return bool(count); }))
      return std::nullopt;
    if (typeOf(parameter).getRank() == 0 || parameter.template getDefiningOp<ConstantOp>())
      continue;
    for (auto [axis, count] : llvm::enumerate(operands[0]))
      if (count && (op.getBlock() > 0 || axis == op.getAxis()))
        return std::nullopt;
  }
  return operands[0];
}

std::optional<AxisCounts> QuantizeOp::transferCounts(ArrayRef<AxisCounts> operands) {
  return transferCodes(*this, operands);
}

std::optional<AxisCounts> DequantizeOp::transferCounts(ArrayRef<AxisCounts> operands) {
  return transferCodes(*this, operands);
}

std::optional<AxisCounts> TransposeOp::transferCounts(ArrayRef<AxisCounts> operands) {
  AxisCounts result;
  for (int64_t axis : getPermutation())
    result.push_back(operands[0][axis]);
  return result;
}

/// Keeps the count of an open axis that stays one axis, with the same number of elements before it. Returns `nullopt`
/// if several axes qualify.
std::optional<AxisCounts> ReshapeOp::transferCounts(ArrayRef<AxisCounts> operands) {
  ArrayRef<int64_t> from = getOperand().getType().getShape(), to = getType().getShape();
  AxisCounts result(to.size());
  int64_t before = 1;
  for (auto [axis, count] : llvm::enumerate(operands[0])) {
    if (count) {
      int64_t beforeResult = 1, found = -1, candidates = 0;
      for (auto [other, size] : llvm::enumerate(to)) {
        if (beforeResult == before && size == from[axis]) {
          found = int64_t(other);
          ++candidates;
        }
        beforeResult *= size;
      }
      if (candidates != 1 || result[found])
        return std::nullopt;
      result[found] = count;
    }
    before *= from[axis];
  }
  return result;
}

std::optional<AxisCounts> ConcatOp::transferCounts(ArrayRef<AxisCounts> operands) {
  AxisCounts result(getType().getRank());
  for (const AxisCounts &counts : operands)
    for (auto [axis, count] : llvm::enumerate(counts)) {
      if (count && (axis == getAxis() || (result[axis] && result[axis] != count)))
        return std::nullopt;
      if (count)
        result[axis] = count;
    }
  for (auto [operand, counts] : llvm::zip_equal(getOperands(), operands))
    for (auto [axis, count] : llvm::enumerate(result))
      if (count && !countOf(counts, axis) && !operand.getDefiningOp<ConstantOp>())
        return std::nullopt;
  return result;
}

std::optional<AxisCounts> SliceOp::transferCounts(ArrayRef<AxisCounts> operands) {
  for (auto [axis, count] : llvm::enumerate(operands[0]))
    if (count && (getSizes()[axis] != getOperand().getType().getDimSize(axis) || getSteps()[axis] != 1))
      return std::nullopt;
  return operands[0];
}

/// Returns `nullopt` if the gathered axis is open, because indices may point to undefined elements.
std::optional<AxisCounts> GatherOp::transferCounts(ArrayRef<AxisCounts> operands) {
  AxisCounts result = spread(operands[0], getOperand().getType().getRank());
  if (result[getAxis()])
    return std::nullopt;
  AxisCounts picked = spread(operands[1], getIndices().getType().getRank());
  result.erase(result.begin() + getAxis());
  result.insert(result.begin() + getAxis(), picked.begin(), picked.end());
  return result;
}

std::optional<AxisCounts> GatherNdOp::transferCounts(ArrayRef<AxisCounts> operands) {
  const AxisCounts &indices = operands[1];
  if (!operands[0].empty() || indices.back())
    return std::nullopt;
  AxisCounts result(indices.begin(), indices.end() - 1);
  result.resize(getType().getRank());
  return result;
}

std::optional<AxisCounts> GatherElementsOp::transferCounts(ArrayRef<AxisCounts> operands) {
  return operands[0].empty() ? std::optional(operands[1]) : std::nullopt;
}

/// Returns `nullopt` for an open axis in reverse order. Without reversal, later elements do not affect earlier ones.
std::optional<AxisCounts> CumulateOp::transferCounts(ArrayRef<AxisCounts> operands) {
  return operands[0][getAxis()] && getReverse() ? std::nullopt : std::optional(operands[0]);
}

std::optional<AxisCounts> ReduceOp::transferCounts(ArrayRef<AxisCounts> operands) {
  return transferReduced(operands[0], getAxes(), getKeepDims());
}

std::optional<AxisCounts> ArgReduceOp::transferCounts(ArrayRef<AxisCounts> operands) {
  return transferReduced(operands[0], int64_t(getAxis()), getKeepDims());
}

std::optional<AxisCounts> transferCounts(Operation *op, ArrayRef<AxisCounts> operands) {
  auto passes = dyn_cast<CountsInterface>(op);
  return passes ? passes.transferCounts(operands) : std::nullopt;
}

} // namespace nacre::nn
