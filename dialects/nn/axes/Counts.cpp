// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   counts pass along the iteration axes of an operator. In `counts`, an axis that is not open has a null count.

#include "dialects/nn/Counts.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/NnDialect.h"

using namespace mlir;

namespace nacre::nn {

namespace {

Value countOf(const AxisCounts &counts, int64_t axis) { return counts.empty() ? Value() : counts[axis]; }

/// Returns the count of the iteration axis `axis`: null if no operand is open along it. Fails if undefined elements
/// would affect the result.
FailureOr<Value> findCount(Operation *op, const Axis &axis, ArrayRef<AxisCounts> operands) {
  Value count;
  int64_t size = 0;
  for (auto [operand, counts, own] : llvm::zip_equal(op->getOperands(), operands, axis.operands))
    if (Value found = own == Axis::absent ? Value() : countOf(counts, own)) {
      if (!axis.isParallel() || (count && (count != found || shapeOf(operand)[own] != size)))
        return failure();
      count = found;
      size = shapeOf(operand)[own];
    }
  if (!count)
    return count;
  // An open axis may have undefined elements, so it cannot be broadcast.
  for (auto [result, own] : llvm::zip_equal(op->getResults(), axis.results))
    if (own != Axis::absent && shapeOf(result)[own] != size)
      return failure();
  for (auto [operand, counts, own] : llvm::zip_equal(op->getOperands(), operands, axis.operands))
    if (own != Axis::absent && !countOf(counts, own) && !(axis.broadcasts && shapeOf(operand)[own] == 1) &&
        !operand.getDefiningOp<ConstantOp>())
      return failure();
  return count;
}

} // namespace

std::optional<AxisCounts> transferCountsByAxes(Operation *op, ArrayRef<AxisCounts> operands) {
  AxisCounts result(rankOf(op->getResult(0)));
  for (const Axis &axis : getIterationAxes(op)) {
    FailureOr<Value> count = findCount(op, axis, operands);
    if (failed(count))
      return std::nullopt;
    if (axis.results[0] != Axis::absent)
      result[axis.results[0]] = *count;
  }
  return result;
}

/// Along other axes, the operand may have more elements than the indices.
std::optional<AxisCounts> GatherElementsOp::transferCounts(ArrayRef<AxisCounts> operands) {
  return operands[0].empty() ? std::optional(operands[1]) : std::nullopt;
}

/// Unless the order is reversed, later elements do not affect earlier ones.
std::optional<AxisCounts> CumulateOp::transferCounts(ArrayRef<AxisCounts> operands) {
  return operands[0][getAxis()] && getReverse() ? std::nullopt : std::optional(operands[0]);
}

std::optional<AxisCounts> transferCounts(Operation *op, ArrayRef<AxisCounts> operands) {
  if (auto passes = dyn_cast<CountsInterface>(op))
    return passes.transferCounts(operands);
  return isa<AxesInterface>(op) ? transferCountsByAxes(op, operands) : std::nullopt;
}

} // namespace nacre::nn
