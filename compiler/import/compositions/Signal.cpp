// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms and related operators, as products with constant matrices.
//
// The parts of this file are tables, one product, two shorter transforms, frames, and windows and bands.

#include "compiler/import/compositions/Signal.h"

#include "compiler/import/compositions/Tables.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer {
namespace {

constexpr double pi = 3.14159265358979323846;

//===----------------------------------------------------------------------===//
// 1. Tables
//===----------------------------------------------------------------------===//

/// Returns exp(+-2 pi i * step / length). It is exact at multiples of a quarter of the circle.
std::array<double, 2> rootOfUnity(int64_t step, int64_t length, bool isInverse) {
  step %= length;
  double angle = 2 * pi * static_cast<double>(step) / static_cast<double>(length);
  double real = std::cos(angle), imaginary = std::sin(angle);
  if (4 * step % length == 0) {
    real = std::nearbyint(real);
    imaginary = std::nearbyint(imaginary);
  }
  return {real, isInverse ? imaginary : -imaginary};
}

/// Returns the matrix of a transform, [rows * channels, bins * 2]. Its rows are the real part of a sample and, with two
/// channels, the imaginary part. Its columns are the real and the imaginary part of each bin.
Value makeFourierTable(NnBuilder &nn, Type elementType, const Frames &frames, int64_t channels, bool isInverse) {
  int64_t columns = frames.bins * 2;
  double scale = isInverse ? 1.0 / static_cast<double>(frames.points) : 1;
  auto type = RankedTensorType::get({frames.length * channels, columns}, elementType);
  return makeTable<double>(nn, type, [&](int64_t index) {
    int64_t row = index / columns, sample = row / channels, bin = index % columns / 2;
    auto [real, imaginary] = rootOfUnity(sample * bin, frames.points, isInverse);
    bool isFromImaginary = row % channels, isToImaginary = index % 2;
    double value = isFromImaginary == isToImaginary ? real : isFromImaginary ? -imaginary : imaginary;
    return value * scale;
  });
}

/// Returns the largest divisor of `length` up to its square root. If this is 1, returns the smallest larger divisor
/// that a table may have, or 1 if there is no such divisor.
int64_t findFactor(int64_t length) {
  int64_t best = 1;
  for (int64_t factor = 2; factor <= maxFourierTable && factor <= length; ++factor) {
    if (length % factor)
      continue;
    bool isBeyondRoot = factor > length / factor;
    if (isBeyondRoot && best > 1)
      break;
    best = factor;
  }
  return best;
}

} // namespace

bool hasFourier(int64_t length) {
  while (length > maxFourierTable) {
    int64_t factor = findFactor(length);
    if (factor == 1)
      return false;
    length /= factor;
  }
  return length > 0;
}

//===----------------------------------------------------------------------===//
// 2. One product
//===----------------------------------------------------------------------===//

namespace {

Value multiplyByTable(NnBuilder &nn, Value x, int64_t bins, bool isInverse) {
  int64_t rows = getShape(x)[0], length = getShape(x)[1], channels = getShape(x)[2];
  Value table = makeFourierTable(nn, getElementType(x), {length, length, length, bins}, channels, isInverse);
  return nn.reshape(nn.matmul(nn.reshape(x, {rows, length * channels}), table), {rows, bins, 2});
}

//===----------------------------------------------------------------------===//
// 3. Two shorter transforms
//===----------------------------------------------------------------------===//

/// Multiplies complex numbers by constants. The last axis of both has the real and the imaginary part.
Value multiplyComplex(NnBuilder &nn, Value x, Value factor) {
  auto part = [&](Value value, int64_t index) {
    return value ? nn.slice(value, getRank(value) - 1, index, 1) : Value();
  };
  Value real = nn.sub(nn.mul(part(x, 0), part(factor, 0)), nn.mul(part(x, 1), part(factor, 1)));
  Value imaginary = nn.add(nn.mul(part(x, 0), part(factor, 1)), nn.mul(part(x, 1), part(factor, 0)));
  if (!real || !imaginary)
    return {};
  return nn.concat({real, imaginary}, getRank(x) - 1);
}

/// Computes a transform of n1 * n2 points as transforms along two axes. Sample t is t1 * n2 + t2, and bin k is k1 + n1
/// * k2. Between the transforms along t1 and along t2, multiplies by factors that depend on t2 * k1.
Value transformByFactors(NnBuilder &nn, Value x, bool isInverse) {
  int64_t rows = getShape(x)[0], length = getShape(x)[1], channels = getShape(x)[2];
  int64_t first = findFactor(length), second = length / first;
  Value columns = nn.transpose(nn.reshape(x, {rows, first, second, channels}), {0, 2, 1, 3});
  Value inner = fourier(nn, nn.reshape(columns, {rows * second, first, channels}), first, isInverse);
  auto type = RankedTensorType::get({second, first, 2}, getElementType(x));
  Value factors = makeTable<double>(nn, type, [&](int64_t index) {
    int64_t sample = index / (2 * first), bin = index / 2 % first;
    return rootOfUnity(sample * bin, length, isInverse)[index % 2];
  });
  if (!inner || !factors)
    return {};
  Value turned = multiplyComplex(nn, nn.reshape(inner, {rows, second, first, 2}), factors);
  Value outer =
      fourier(nn, nn.reshape(nn.transpose(turned, {0, 2, 1, 3}), {rows * first, second, 2}), second, isInverse);
  return nn.reshape(nn.transpose(nn.reshape(outer, {rows, first, second, 2}), {0, 2, 1, 3}), {rows, length, 2});
}

} // namespace

Value fitAxis(NnBuilder &nn, Value x, int64_t axis, int64_t size) {
  SmallVector<int64_t> low(getRank(x), 0), high(getRank(x), 0);
  high[axis] = size - getShape(x)[axis];
  return nn.pad(nn::PadMode::Constant, x, low, high, 0);
}

Value fourier(NnBuilder &nn, Value x, int64_t bins, bool isInverse) {
  if (!x)
    return {};
  assert(hasFourier(getShape(x)[1]) && "the caller has checked the length");
  if (getShape(x)[1] <= maxFourierTable)
    return multiplyByTable(nn, x, bins, isInverse);
  Value all = transformByFactors(nn, x, isInverse);
  return all ? nn.slice(all, 1, 0, bins) : Value();
}

Value inverseRealFourier(NnBuilder &nn, Value half, int64_t length) {
  if (!half)
    return {};
  // The other half is the conjugate of the first half in reverse order, without bin 0. For an even length, it does not
  // have the middle bin, either.
  int64_t rows = getShape(half)[0], others = length - getShape(half)[1];
  Value full = half;
  if (others > 0) {
    Value mirrored = nn.slice(half, {0, others, 0}, {rows, others, 2}, {1, -1, 1});
    Value signs = makeTable<double>(nn, RankedTensorType::get(2, getElementType(half)),
                                    [](int64_t part) { return part ? -1.0 : 1.0; });
    full = nn.concat({half, nn.mul(mirrored, signs)}, 1);
  }
  Value complex = fourier(nn, full, length, /*isInverse=*/true);
  return complex ? nn.slice(complex, 2, 0, 1) : Value();
}

//===----------------------------------------------------------------------===//
// 4. Frames
//===----------------------------------------------------------------------===//

/// Computes all frames by a convolution over time. Its filters are the rows of the transform, multiplied by the window.
static Value convolveFrames(NnBuilder &nn, Value signal, const Frames &frames, Value window) {
  int64_t channels = getShape(signal)[2], columns = frames.bins * 2;
  Value table = makeFourierTable(nn, getElementType(signal), frames, channels, /*isInverse=*/false);
  Value filter = nn.reshape(table, {frames.length, channels, columns});
  if (window)
    filter = nn.mul(filter, nn.reshape(window, {frames.length, 1, 1}));
  return nn.conv(signal, filter, frames.step, {0, 0}, 1, /*groups=*/1);
}

/// Gathers every frame as a row by the positions of its samples, and transforms the rows.
static Value gatherFrames(NnBuilder &nn, Value signal, const Frames &frames, int64_t count, Value window) {
  auto type = RankedTensorType::get({count, frames.length}, nn.types().getI64Type());
  Value positions = makeTable<int64_t>(
      nn, type, [&](int64_t index) { return index / frames.length * frames.step + index % frames.length; });
  Value rows = nn.gather(signal, positions, 1); // [batch, frames, length, channels]
  if (window)
    rows = nn.mul(rows, nn.reshape(window, {frames.length, 1}));
  if (!rows)
    return {};
  int64_t batch = getShape(signal)[0], channels = getShape(signal)[2];
  rows = nn.pad(nn::PadMode::Constant, nn.reshape(rows, {batch * count, frames.length, channels}), {0, 0, 0},
                {0, frames.points - frames.length, 0}, 0);
  return fourier(nn, rows, frames.bins, /*isInverse=*/false);
}

Value shortTimeFourier(NnBuilder &nn, Value signal, const Frames &frames, Value window) {
  if (!signal)
    return {};
  int64_t batch = getShape(signal)[0], count = (getShape(signal)[1] - frames.length) / frames.step + 1;
  Value spectra = frames.points <= maxFourierTable ? convolveFrames(nn, signal, frames, window)
                                                   : gatherFrames(nn, signal, frames, count, window);
  return nn.reshape(spectra, {batch, count, frames.bins, 2});
}

//===----------------------------------------------------------------------===//
// 5. Windows and bands
//===----------------------------------------------------------------------===//

Value cosineWindow(NnBuilder &nn, Type elementType, int64_t size, bool isPeriodic, ArrayRef<double> coefficients) {
  // A window of one sample would divide by 0. Its sample has the value in the center of a larger window.
  auto length = static_cast<double>(isPeriodic ? size : size - 1);
  return makeTable<double>(nn, RankedTensorType::get(size, elementType), [&](int64_t index) {
    double sum = 0, turn = size == 1 ? 0.5 : static_cast<double>(index) / length;
    for (auto [order, coefficient] : llvm::enumerate(coefficients))
      sum += (order % 2 ? -coefficient : coefficient) * std::cos(2 * pi * static_cast<double>(order) * turn);
    return sum;
  });
}

Value melWeights(NnBuilder &nn, Type elementType, const MelBands &bands) {
  auto toMel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  double low = toMel(bands.low), step = (toMel(bands.high) - low) / static_cast<double>(bands.count + 2);
  auto cornerOf = [&](int64_t index) {
    double hertz = 700 * (std::pow(10, (low + static_cast<double>(index) * step) / 2595) - 1);
    return std::floor(static_cast<double>(bands.points + 1) * hertz / static_cast<double>(bands.rate));
  };
  auto type = RankedTensorType::get({bands.points / 2 + 1, bands.count}, elementType);
  return makeTable<double>(nn, type, [&](int64_t index) {
    int64_t row = index / bands.count, band = index % bands.count;
    auto bin = static_cast<double>(row);
    double left = cornerOf(band), middle = cornerOf(band + 1), right = cornerOf(band + 2);
    if (bin == middle)
      return 1.0;
    if (bin >= left && bin < middle)
      return (bin - left) / (middle - left);
    return bin > middle && bin < right ? (right - bin) / (right - middle) : 0.0;
  });
}

} // namespace nacre::importer
