// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes gradients of operators that move, repeat or mix elements at positions that are known at compile time.

#include "compiler/train/rules/GradientRules.h"
#include "dialects/nn/ConstantData.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace nacre::train {

LogicalResult reverseReshape(nn::ReshapeOp op, Adjoint &at) {
  at.give(op.getOperand(), at.write.reshape(at.of(), shapeOf(op.getOperand())));
  return success();
}

LogicalResult reverseBroadcast(nn::BroadcastOp op, Adjoint &at) {
  at.giveUnbroadcast(op.getOperand(), at.of());
  return success();
}

LogicalResult reverseTranspose(nn::TransposeOp op, Adjoint &at) {
  at.give(op.getOperand(), at.write.transpose(at.of(), invertPermutationVector(op.getPermutation())));
  return success();
}

LogicalResult reverseConcat(nn::ConcatOp op, Adjoint &at) {
  const int64_t axis = op.getAxis();
  int64_t start = 0;
  for (Value operand : op.getOperands()) {
    const int64_t size = shapeOf(operand)[axis];
    if (at.wants(operand))
      at.give(operand, at.write.slice(at.of(), axis, start, size));
    start += size;
  }
  return success();
}

LogicalResult reverseInterleave(nn::InterleaveOp op, Adjoint &at) {
  const Dims strides = op.getStrides();
  for (auto [index, operand] : llvm::enumerate(op.getOperands())) {
    Ints starts(strides.size(), 0);
    for (int64_t axis = strides.size(), left = index; axis-- > 0; left /= strides[axis])
      starts[axis] = left % strides[axis];
    if (at.wants(operand))
      at.give(operand, at.write.slice(at.of(), starts, shapeOf(operand), strides));
  }
  return success();
}

LogicalResult reverseSlice(nn::SliceOp op, Adjoint &at) {
  Writer &w = at.write;
  Value gradient = at.of();
  Ints starts(op.getStarts());
  // A slice with a negative step is a slice with a positive step in reverse order.
  Ints zeros(starts.size(), 0), flipStarts(zeros), flipSteps(starts.size(), 1);
  bool isFlipped = false;
  for (auto [axis, step] : llvm::enumerate(op.getSteps()))
    if (step < 0 && op.getSizes()[axis] > 0) {
      isFlipped = true;
      flipStarts[axis] = op.getSizes()[axis] - 1;
      flipSteps[axis] = -1;
      starts[axis] += (op.getSizes()[axis] - 1) * step;
    }
  if (isFlipped)
    gradient = w.slice(gradient, flipStarts, op.getSizes(), flipSteps);
  Ints high(starts.size(), 0);
  for (auto [axis, step] : llvm::enumerate(op.getSteps())) {
    gradient = w.spread(gradient, axis, std::abs(step));
    high[axis] = shapeOf(op.getOperand())[axis] - starts[axis] - shapeOf(gradient)[axis];
  }
  at.give(op.getOperand(), w.pad(gradient, starts, high));
  return success();
}

//===----------------------------------------------------------------------===//
// By a matrix for each axis
//===----------------------------------------------------------------------===//

/// Returns the index of the element that a pad reads at `position`, which is relative to the first element of an axis
/// of `size` elements.
static int64_t foldPosition(nn::PadMode mode, int64_t position, int64_t size) {
  auto modulo = [](int64_t a, int64_t b) { return (a % b + b) % b; };
  switch (mode) {
  case nn::PadMode::Edge:
    return std::clamp<int64_t>(position, 0, size - 1);
  case nn::PadMode::Wrap:
    return modulo(position, size);
  case nn::PadMode::Reflect: {
    if (size == 1)
      return 0;
    const int64_t folded = modulo(position, 2 * (size - 1));
    return folded < size ? folded : 2 * (size - 1) - folded;
  }
  case nn::PadMode::Symmetric: {
    const int64_t folded = modulo(position, 2 * size);
    return folded < size ? folded : 2 * size - 1 - folded;
  }
  case nn::PadMode::Constant:
    break;
  }
  llvm_unreachable("a constant is no element");
}

LogicalResult reversePad(nn::PadOp op, Adjoint &at) {
  Writer &w = at.write;
  Value gradient = at.of();
  auto negate = [](Dims amounts) { return llvm::map_to_vector(amounts, [](int64_t amount) { return -amount; }); };
  if (op.getMode() == nn::PadMode::Constant) {
    at.give(op.getOperand(), w.pad(gradient, negate(op.getLow()), negate(op.getHigh())));
    return success();
  }
  for (int64_t axis = 0; axis < rankOf(gradient); ++axis) {
    const int64_t size = shapeOf(op.getOperand())[axis], padded = shapeOf(gradient)[axis], low = op.getLow()[axis];
    if (low == 0 && op.getHigh()[axis] == 0)
      continue;
    SmallVector<double> matrix(padded * size, 0);
    for (int64_t position = 0; position < padded; ++position)
      matrix[position * size + foldPosition(op.getMode(), position - low, size)] += 1;
    gradient = w.multiplyAxis(gradient, axis, w.floats({padded, size}, typeOf(gradient).getElementType(), matrix));
  }
  at.give(op.getOperand(), gradient);
  return success();
}

LogicalResult reverseResample(nn::ResampleOp op, Adjoint &at) {
  Writer &w = at.write;
  Value gradient = at.of();
  for (auto [axis, indices, weights] : llvm::zip(op.getAxes(), op.getIndices(), op.getWeights())) {
    FailureOr<nn::ConstantView> cells = nn::ConstantView::get(cast<ElementsAttr>(indices));
    FailureOr<nn::ConstantView> factors = nn::ConstantView::get(cast<ElementsAttr>(weights));
    if (failed(cells) || failed(factors))
      return at.refuse("a resampling table");
    const int64_t positions = cells->getShape()[0], taps = cells->getShape()[1], size = shapeOf(op.getOperand())[axis];
    SmallVector<double> matrix(positions * size, 0);
    for (int64_t entry = 0; entry < positions * taps; ++entry) {
      int64_t cell = 0;
      double factor = 0;
      cells->read(entry, 1, 1, &cell);
      factors->read(entry, 1, 1, &factor);
      matrix[entry / taps * size + cell] += factor;
    }
    gradient = w.multiplyAxis(gradient, axis, w.floats({positions, size}, typeOf(gradient).getElementType(), matrix));
  }
  at.give(op.getOperand(), gradient);
  return success();
}

} // namespace nacre::train
