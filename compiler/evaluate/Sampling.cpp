// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interpolation between elements, by tables or at computed positions.

#include "compiler/evaluate/Operators.h"
#include "compiler/evaluate/Walks.h"

#include <cmath>

using namespace mlir;

namespace nacre::evaluate {

Tensor evaluate(nn::ResampleOp op, Operands operands) {
  Tensor x = operands[0];
  for (auto [number, axis] : llvm::enumerate(op.getAxes())) {
    auto indices = cast<DenseElementsAttr>(op.getIndices()[number]),
         weights = cast<DenseElementsAttr>(op.getWeights()[number]);
    const auto from = llvm::to_vector<0>(indices.getValues<int32_t>());
    const auto by = llvm::to_vector<0>(weights.getValues<float>());
    const int64_t positions = indices.getType().getDimSize(0), taps = indices.getType().getDimSize(1);
    const bool isMove = op.isMove(number);
    Shape shape(x.getShape());
    const int64_t extent = shape[axis], outer = product(Dims(shape).take_front(axis)),
                  inner = product(Dims(shape).drop_front(axis + 1));
    shape[axis] = positions;
    Tensor next(RankedTensorType::get(shape, x.getElementType()));
    Cell *to = next.write();
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t entry = 0; entry < positions * taps; ++entry)
        for (int64_t i = 0; i < inner; ++i) {
          const Cell source = x[(o * extent + from[entry]) * inner + i];
          Cell &target = to[(o * positions + entry / taps) * inner + i];
          if (isMove)
            target = source;
          else
            target.number += by[entry] * source.number;
        }
    x = next;
  }
  return x;
}

namespace {

/// Element that contributes to a position along an axis, with its weight.
struct Tap {
  int64_t index;
  double weight;
  bool isInside;
};

/// Reflects index `i`, which may be outside of the axis, into the axis.
int64_t reflect(int64_t i, int64_t extent, bool alignCorners) {
  const int64_t period = alignCorners ? 2 * (extent - 1) : 2 * extent;
  if (period == 0)
    return 0;
  i = ((i % period) + period) % period;
  return alignCorners ? std::min(i, period - i) : std::min(i, period - 1 - i);
}

Tap makeTap(nn::SampleOp op, int64_t i, double weight, int64_t extent) {
  if (op.getPadding() == nn::SamplePadding::Reflection)
    return {reflect(i, extent, op.getAlignCorners()), weight, true};
  return {std::clamp<int64_t>(i, 0, extent - 1), weight,
          op.getPadding() == nn::SamplePadding::Border || (i >= 0 && i < extent)};
}

/// Returns Keys' cubic function with a = -0.75 at the distance `x`.
double keys(double x) {
  constexpr double a = -0.75;
  x = std::fabs(x);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

SmallVector<Tap> makeTaps(nn::SampleOp op, double position, int64_t extent) {
  constexpr double farOutside = double(1 << 30);
  const double x = position > -farOutside ? std::min(position, farOutside) : -farOutside; // also replaces NaN
  if (op.getInterpolation() == nn::Interpolation::Nearest)
    return {makeTap(op, int64_t(std::nearbyint(x)), 1.0, extent)};
  const bool isCubic = op.getInterpolation() == nn::Interpolation::Cubic;
  const auto first = int64_t(std::floor(x));
  SmallVector<Tap> taps;
  for (int64_t i = first - isCubic; i <= first + 1 + isCubic; ++i) {
    const double distance = std::fabs(x - double(i));
    taps.push_back(makeTap(op, i, isCubic ? keys(distance) : 1 - distance, extent));
  }
  return taps;
}

} // namespace

Tensor evaluate(nn::SampleOp op, Operands operands) {
  const Tensor &input = operands[0];
  // The choice of the nearest element is discontinuous.
  const Tensor positions = op.getInterpolation() == nn::Interpolation::Nearest ? operands[1].asStored() : operands[1];
  const int64_t channels = input.getShape().back(), axes = input.getRank() - 2, images = input.getShape().front();
  const Shape strides = stridesOf(input.getShape());
  Tensor result(op.getType());
  Cell *to = result.write();
  const int64_t points = axes ? positions.size() / axes : 0, rows = positions.getShape().front();
  for (int64_t point = 0; point < points; ++point, to += channels) {
    const int64_t row = point / (points / rows);
    const int64_t image = op.getImages() ? operands[2].integer(row) : row;
    SmallVector<SmallVector<Tap>> taps;
    Shape counts;
    for (int64_t axis = 0; axis < axes; ++axis) {
      taps.push_back(makeTaps(op, positions.number(point * axes + axis), input.getShape()[axis + 1]));
      counts.push_back(int64_t(taps.back().size()));
    }
    forEachIndex(counts, [&](Dims index) {
      int64_t from = std::clamp<int64_t>(image, 0, images - 1) * strides[0];
      double weight = 1;
      bool isInside = true;
      for (int64_t axis = 0; axis < axes; ++axis) {
        const Tap &tap = taps[axis][index[axis]];
        from += tap.index * strides[axis + 1];
        weight *= tap.weight;
        isInside &= tap.isInside;
      }
      for (int64_t c = 0; isInside && c < channels; ++c)
        if (op.getInterpolation() == nn::Interpolation::Nearest)
          to[c] = input[from + c];
        else
          to[c].number += weight * input.number(from + c);
    });
  }
  return result;
}

} // namespace nacre::evaluate
