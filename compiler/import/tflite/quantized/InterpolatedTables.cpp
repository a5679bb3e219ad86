// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements InterpolatedTables.h: 1. tables of any function, 2. the logistic function and tanh.

#include "compiler/import/tflite/quantized/InterpolatedTables.h"

#include "compiler/import/tflite/quantized/FixedScales.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace nacre::importer::tflite_format {

//===----------------------------------------------------------------------===//
// 1. Any function
//===----------------------------------------------------------------------===//

template <typename Real>
Entries16 makeEntries16(Scale16<Real> input, Scale16<Real> result, llvm::function_ref<Real(Real)> function) {
  constexpr int steps = 512;
  auto toReal = [](Scale16<Real> by, int32_t code) { return by.scale * static_cast<Real>(code - by.zero); };
  const Real first = toReal(input, INT16_MIN), last = toReal(input, INT16_MAX), step = (last - first) / steps;
  const Real perReal = Real(65536) / (toReal(result, INT16_MAX) - toReal(result, INT16_MIN));
  auto saturate = [](Real entry) {
    // NaN becomes the minimum.
    return entry > INT16_MIN ? static_cast<int16_t>(std::min<Real>(entry, INT16_MAX)) : int16_t(INT16_MIN);
  };
  auto getBegin = [&](int index) {
    const Real distance = static_cast<Real>(index) * step;
    return first + distance;
  };
  Entries16 entries{};
  for (int index = 0; index < steps; ++index) {
    const Real begin = getBegin(index);
    const Real here = std::round(function(begin) * perReal), next = function(getBegin(index + 1)) * perReal,
               middle = std::round(function(begin + step / 2) * perReal);
    const Real tooMuch = std::round((next + here) / 2) - middle;
    entries[index] = saturate(here - std::round(tooMuch / 2));
  }
  entries[steps] = saturate(std::round(function(last) * perReal));
  return entries;
}

template Entries16 makeEntries16(Scale16<float>, Scale16<float>, llvm::function_ref<float(float)>);
template Entries16 makeEntries16(Scale16<double>, Scale16<double>, llvm::function_ref<double(double)>);

int16_t interpolate16(const Entries16 &entries, int16_t x) {
  const int index = 256 + (x >> 7), offset = x & 127;
  const auto slope = static_cast<int16_t>(entries[index + 1] - entries[index]);
  return static_cast<int16_t>(entries[index] + ((slope * offset + 64) >> 7));
}

//===----------------------------------------------------------------------===//
// 2. The logistic function
//===----------------------------------------------------------------------===//

/// Returns the 16-bit entries. Each is raised by half the error of the linear interpolation in the middle of its
/// interval.
static std::array<uint16_t, 256> makeLogisticEntries() {
  auto logistic = [](double steps) { return 65536 / (1 + std::exp(-steps / 24)); };
  std::array<uint16_t, 256> entries{};
  for (int index = 0; index < 255; ++index) {
    const double below = logistic(index + 0.5) - (logistic(index) + logistic(index + 1)) / 2;
    entries[index] = static_cast<uint16_t>(std::min(std::round(logistic(index) + below / 2), 65535.0));
  }
  entries[255] = 65535;
  return entries;
}

LogisticTable::LogisticTable(float inputScale, bool isTanh) : entries(makeLogisticEntries()), isTanh(isTanh) {
  // A scale near 2^-12, or near 2^-11 for tanh, is treated as exactly this power of two.
  std::optional<int> power = findPowerOfTwo(inputScale);
  if (power == -12 || (isTanh && power == -11)) {
    multiplier = 3 << (12 + *power);
    return;
  }
  double real = static_cast<double>(inputScale) * 4096.0 * 3.0;
  for (; real <= 32767.0 / 2.0 && shift <= 30; ++shift)
    real *= 2;
  multiplier = real <= INT16_MAX ? static_cast<int32_t>(real) : 0;
}

int16_t LogisticTable::operator()(int16_t x) const {
  const int64_t half = shift > 0 ? int64_t(1) << (shift - 1) : 0;
  const int64_t input = (int64_t(x) * multiplier + half) >> shift, distance = std::abs(input);
  // tanh(x) is 2 * logistic(2 * x) - 1.
  const int bits = isTanh ? 8 : 9;
  const int64_t index = distance >> bits, offset = distance & ((1 << bits) - 1);
  int64_t result = isTanh ? int64_t(0xFFFF) << bits : int64_t(0x7FFF) << (bits + 1);
  if (index < 255)
    result = (int64_t(entries[index]) << bits) + offset * (entries[index + 1] - entries[index]);
  if (isTanh) {
    const int64_t one = 1 << 23, rounding = 1 << 7;
    return static_cast<int16_t>((input >= 0 ? result - one + rounding : one - result + rounding - 1) >> 8);
  }
  const int64_t one = 1 << 25, rounding = 1 << 9;
  return static_cast<int16_t>((input >= 0 ? result + rounding : one - result + rounding - 1) >> 10);
}

} // namespace nacre::importer::tflite_format
