// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes gradients of pools and of the normalization over neighbouring channels.
//
// If the maximum of a window occurs several times, the first cell in row-major order gets the whole gradient. The
// backward pass needs only one byte per window instead of the input: the code of that cell.

#include "compiler/train/rules/GradientRules.h"
#include "dialects/nn/shapes/ShapeRules.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace nacre::train {

namespace {

/// Geometry of a pool: tap `f` of window `o` reads the cell `o * stride + f * dilation - low` of the input.
class PoolWindows {
public:
  explicit PoolWindows(nn::PoolOp op)
      : input(shapeOf(op.getInput())), output(shapeOf(op.getResult())), kernel(op.getKernel()),
        strides(op.getStrides()), pads(op.getPads()), dilations(op.getDilations()) {}

  size_t spatial() const { return kernel.size(); }
  int64_t taps() const { return countOf(kernel); }

  /// Returns the size of the padded input that windows read.
  int64_t reached(size_t axis) const {
    return (output[axis + 1] - 1) * strides[axis] + (kernel[axis] - 1) * dilations[axis] + 1;
  }
  Ints low() const {
    Ints amounts(spatial() + 2, 0);
    std::copy_n(pads.begin(), spatial(), amounts.begin() + 1);
    return amounts;
  }
  Ints high() const {
    Ints amounts(spatial() + 2, 0);
    for (size_t axis = 0; axis < spatial(); ++axis)
      amounts[axis + 1] = reached(axis) - pads[axis] - input[axis + 1];
    return amounts;
  }

  /// Returns the cells of all windows for one tap.
  Value cells(Writer &w, Value padded, int64_t tap) const {
    Ints sizes(output), steps(sizes.size(), 1);
    for (size_t axis = 0; axis < spatial(); ++axis)
      steps[axis + 1] = strides[axis];
    return w.slice(padded, starts(tap), sizes, steps);
  }

  /// Reverses cells(): returns a tensor of the input's shape with `value` at the cells of one tap, and zeros elsewhere.
  Value place(Writer &w, Value value, int64_t tap) const {
    for (size_t axis = 0; axis < spatial(); ++axis)
      value = w.spread(value, axis + 1, strides[axis]);
    Ints first = starts(tap), before(first.size(), 0), behind(first.size(), 0);
    for (size_t axis = 1; axis <= spatial(); ++axis) {
      before[axis] = first[axis] - pads[axis - 1];
      behind[axis] = input[axis] - before[axis] - shapeOf(value)[axis];
    }
    return w.pad(value, before, behind);
  }

  /// Returns the input's cells from `cells`, the padded input whose spatial axes are each divided into two axes.
  Value fromPadded(Writer &w, Value cells) const {
    Ints shape = {input.front()}, before(input.size(), 0), behind(input.size(), 0);
    for (size_t axis = 0; axis < spatial(); ++axis) {
      const int64_t steps = shapeOf(cells)[2 * axis + 1];
      shape.push_back(steps * strides[axis]);
      before[axis + 1] = -pads[axis];
      behind[axis + 1] = input[axis + 1] + pads[axis] - shape.back();
    }
    shape.push_back(input.back());
    return w.pad(w.reshape(cells, shape), before, behind);
  }

private:
  Ints starts(int64_t tap) const {
    Ints result(spatial() + 2, 0);
    for (size_t axis = spatial(); axis-- > 0; tap /= kernel[axis])
      result[axis + 1] = tap % kernel[axis] * dilations[axis];
    return result;
  }

  Dims input, output, kernel, strides, pads, dilations;
};

/// Returns the gradient of a max pool whose window covers the whole input. The first of the largest cells gets the
/// gradient.
Value reverseGlobalMax(Writer &w, nn::PoolOp op, Value dy) {
  Dims shape = shapeOf(op.getInput());
  const int64_t cells = countOf(shape.drop_front().drop_back()), batch = shape.front(), channels = shape.back();
  Value flat = w.reshape(op.getInput(), {batch, cells, channels});
  Value first = nn::ArgReduceOp::create(w.getBuilder(), w.getLoc(), nn::ArgKind::Max, flat, /*axis=*/1,
                                        /*keepDims=*/true, /*selectLast=*/false);
  Value isFirst = w.equal(w.counting(cells, 1, 3, typeOf(first).getElementType()), first);
  return w.reshape(w.where(isFirst, w.reshape(dy, {batch, 1, channels})), shape);
}

/// True if a byte can hold the index of each cell of a window, and the table for the backward pass is small.
bool hasCodes(nn::PoolOp op) {
  constexpr int64_t kMostPlaces = 4096;
  return countOf(op.getKernel()) <= nn::mostCodedCells && countOf(op.getStrides()) <= kMostPlaces;
}

Value reverseMax(Writer &w, nn::PoolOp op, Value code, Value dy) {
  const PoolWindows windows(op);
  Value cells =
      nn::UnpoolOp::create(w.getBuilder(), w.getLoc(), dy, code, op.getKernel(), op.getStrides(), op.getDilations());
  return windows.fromPadded(w, cells);
}

struct Rectified {
  nn::UnaryOp relu; ///< Null if there is no Relu.
  Ints axes;        ///< Permutation from its axes to the axes of the value; empty if they are in the same order.
};

/// Returns the Relu that computes `value`, directly or followed by a transpose.
Rectified findRectifier(Value value) {
  Rectified rectified;
  if (auto transposed = value.getDefiningOp<nn::TransposeOp>()) {
    rectified.axes = mlir::invertPermutationVector(transposed.getPermutation());
    value = transposed.getOperand();
  }
  if (auto op = value.getDefiningOp<nn::UnaryOp>(); op && op.getKind() == nn::UnaryKind::Relu)
    rectified.relu = op;
  return rectified;
}

/// Computes the gradient tap by tap, for windows that have no codes.
Value reverseLargeMax(Writer &w, nn::PoolOp op, Value dy) {
  const PoolWindows windows(op);
  Value padded = w.pad(op.getInput(), windows.low(), windows.high(), -std::numeric_limits<double>::infinity());
  Value free, sum; // `free`: windows whose maximum has not been found yet.
  for (int64_t tap = 0; tap < windows.taps(); ++tap) {
    Value isFirst = w.equal(windows.cells(w, padded, tap), op.getResult());
    if (free)
      isFirst = w.binary(nn::BinaryKind::And, isFirst, free);
    Value isOther = w.unary(nn::UnaryKind::Not, isFirst);
    free = free ? w.binary(nn::BinaryKind::And, free, isOther) : isOther;
    Value part = windows.place(w, w.where(isFirst, dy), tap);
    sum = sum ? w.add(sum, part) : part;
  }
  return sum;
}

/// Returns the divisor of each window along one axis: the number of cells that the window counts.
SmallVector<double> countCells(nn::PoolOp op, size_t axis) {
  const int64_t input = shapeOf(op.getInput())[axis + 1], low = op.getPads()[axis];
  const int64_t high = op.getPads()[op.getKernel().size() + axis];
  const int64_t begin = op.getCountPadding() ? -low : 0, end = input + (op.getCountPadding() ? high : 0);
  SmallVector<double> counts;
  for (int64_t position = 0; position < shapeOf(op.getResult())[axis + 1]; ++position) {
    int64_t count = 0;
    for (int64_t tap = 0; tap < op.getKernel()[axis]; ++tap) {
      const int64_t cell = position * op.getStrides()[axis] + tap * op.getDilations()[axis] - low;
      count += cell >= begin && cell < end;
    }
    counts.push_back(1.0 / double(std::max<int64_t>(count, 1)));
  }
  return counts;
}

/// Computes the gradient as a transposed depthwise convolution with ones.
Value reverseAverage(Writer &w, nn::PoolOp op, Value dy) {
  const size_t spatial = op.getKernel().size();
  const int64_t channels = shapeOf(dy).back();
  Type elementType = typeOf(dy).getElementType();
  for (size_t axis = 0; axis < spatial; ++axis) {
    Ints shape(spatial + 2, 1);
    shape[axis + 1] = shapeOf(dy)[axis + 1];
    dy = w.mul(dy, w.floats(shape, elementType, countCells(op, axis)));
  }
  const PoolWindows windows(op);
  Ints filter(op.getKernel()), pads(op.getPads());
  filter.append({1, channels});
  for (size_t axis = 0; axis < spatial; ++axis)
    pads[spatial + axis] = windows.reached(axis) - op.getPads()[axis] - shapeOf(op.getInput())[axis + 1];
  Value ones = w.constant(DenseElementsAttr::get(RankedTensorType::get(filter, elementType),
                                                 ArrayRef<Attribute>(FloatAttr::get(elementType, 1.0))));
  return nn::ConvTransposeOp::create(w.getBuilder(), w.getLoc(), dy, ones, op.getStrides(), pads, op.getDilations(),
                                     channels);
}

/// Returns, for each element, the sum of the element and its `before` and `behind` neighbours along the last axis.
Value sumNeighbours(Writer &w, Value x, int64_t before, int64_t behind) {
  const int64_t last = rankOf(x) - 1, size = shapeOf(x)[last];
  Ints low(last + 1, 0), high(last + 1, 0);
  low[last] = before;
  high[last] = behind;
  Value padded = w.pad(x, low, high), sum;
  for (int64_t offset = 0; offset <= before + behind; ++offset) {
    Value part = w.slice(padded, last, offset, size);
    sum = sum ? w.add(sum, part) : part;
  }
  return sum;
}

} // namespace

LogicalResult reversePool(nn::PoolOp op, Adjoint &at) {
  Writer &w = at.write;
  Dims output = shapeOf(op.getResult());
  auto isZero = [](int64_t pad) { return pad == 0; };
  const bool isGlobal = countOf(output.drop_front().drop_back()) == 1 && llvm::all_of(op.getPads(), isZero) &&
                        op.getKernel() == shapeOf(op.getInput()).drop_front().drop_back();
  Value input = op.getInput();
  if (op.getKind() == nn::PoolKind::Average) {
    at.give(input, reverseAverage(w, op, at.of()));
  } else if (hasCodes(op)) {
    Value code = nn::PoolCodeOp::create(w.getBuilder(), w.getLoc(), input, op.getResult(), op.getKernel(),
                                        op.getStrides(), op.getPads(), op.getDilations(), op.getOverhang());
    // Relu passes no gradient where the maximum is 0. Its rule is applied here, so that its result need not be kept.
    Rectified rectified = findRectifier(input);
    if (rectified.relu)
      code = w.select(w.greater(op.getResult(), 0), code, w.number(code, nn::codeOfNoCell));
    Value gradient = reverseMax(w, op, code, at.of());
    if (!rectified.relu)
      at.give(input, gradient);
    else
      at.give(rectified.relu.getOperand(), rectified.axes.empty() ? gradient : w.transpose(gradient, rectified.axes));
  } else {
    at.give(input, isGlobal ? reverseGlobalMax(w, op, at.of()) : reverseLargeMax(w, op, at.of()));
  }
  return success();
}

LogicalResult reverseUnpool(nn::UnpoolOp op, Adjoint &at) {
  Writer &w = at.write;
  Dims windows = shapeOf(op.getOperand()), cells = shapeOf(op.getResult());
  const size_t spatial = op.getKernel().size();
  Ints shape = {windows.front()}, steps(windows.size(), 1);
  for (size_t axis = 0; axis < spatial; ++axis) {
    shape.push_back(cells[2 * axis + 1] * cells[2 * axis + 2]);
    steps[axis + 1] = op.getStrides()[axis];
  }
  shape.push_back(windows.back());
  Value image = w.reshape(at.of(), shape), sum;
  for (int64_t tap = 0; tap < countOf(op.getKernel()); ++tap) {
    Ints starts(windows.size(), 0);
    for (int64_t axis = spatial, rest = tap; axis-- > 0; rest /= op.getKernel()[axis])
      starts[axis + 1] = rest % op.getKernel()[axis] * op.getDilations()[axis];
    Value part =
        w.where(w.equal(op.getCode(), w.number(op.getCode(), double(tap))), w.slice(image, starts, windows, steps));
    sum = sum ? w.add(sum, part) : part;
  }
  at.give(op.getOperand(), sum);
  return success();
}

LogicalResult reverseLrn(nn::LrnOp op, Adjoint &at) {
  Writer &w = at.write;
  Value x = op.getOperand(), dy = at.of();
  const int64_t size = op.getSize(), before = (size - 1) / 2, behind = size / 2;
  const double factor = op.getAlpha().convertToDouble() / double(size), beta = op.getBeta().convertToDouble();
  Value base = w.add(w.mul(sumNeighbours(w, w.square(x), before, behind), factor), op.getBias().convertToDouble());
  Value direct = w.mul(dy, w.binary(nn::BinaryKind::Pow, base, -beta));
  Value shares = sumNeighbours(w, w.div(w.mul(dy, op.getResult()), base), behind, before);
  at.give(x, w.sub(direct, w.mul(w.mul(x, shares), 2 * factor * beta)));
  return success();
}

} // namespace nacre::train
