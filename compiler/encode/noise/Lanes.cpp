// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/noise/Lanes.h"

#include <cmath>
#include <utility>

namespace nacre::encode {

/// Returns the number below which a normal number is with the given probability.
static double normalQuantile(double probability) {
  double low = -8, high = 8;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// Returns quantiles with mean 0 and variance 1.
static LaneNumbers makeQuantiles() {
  LaneNumbers quantiles;
  double squares = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    quantiles[lane] = normalQuantile((lane + 0.5) / kLanes);
    squares += quantiles[lane] * quantiles[lane];
  }
  for (double &quantile : quantiles)
    quantile /= std::sqrt(squares / kLanes);
  return quantiles;
}

static const LaneNumbers &quantiles() {
  static const LaneNumbers numbers = makeQuantiles();
  return numbers;
}

uint64_t Draws::next() { // SplitMix64
  uint64_t number = state += 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

Draws::Order Draws::order() {
  Order order;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    order[lane] = lane;
  for (unsigned lane = kLanes; lane > 1; --lane)
    std::swap(order[lane - 1], order[next() % lane]);
  return order;
}

Lanes Draws::draw(const Moments &moments) {
  Lanes lanes;
  lanes.value.fill(moments.mean);
  if (moments.variance > 0) { // Constants may be infinite.
    const double deviation = std::sqrt(moments.variance);
    for (auto [lane, from] : llvm::enumerate(order()))
      lanes.value[lane] += deviation * quantiles()[from];
  }
  if (moments.noise > 0) {
    const double deviation = std::sqrt(moments.noise);
    for (auto [lane, from] : llvm::enumerate(order()))
      lanes.noise[lane] = deviation * quantiles()[from];
  }
  if (moments.offset > 0)
    lanes.offset.fill((next() & 1 ? 1 : -1) * std::sqrt(moments.offset));
  return lanes;
}

void Draws::round(Lanes &lanes) {
  for (auto [lane, from] : llvm::enumerate(order()))
    lanes.noise[lane] += std::sqrt(kHalfRounding) * lanes.value[lane] * quantiles()[from];
}

static LaneNumbers reordered(const LaneNumbers &numbers, const Draws::Order &order) {
  LaneNumbers result;
  for (auto [lane, from] : llvm::enumerate(order))
    result[lane] = numbers[from];
  return result;
}

Lanes reordered(const Lanes &lanes, const Draws::Order &order) {
  return {reordered(lanes.value, order), reordered(lanes.noise, order), reordered(lanes.offset, order)};
}

Moments momentsOf(const Lanes &lanes) {
  Moments moments;
  moments.nonzero = 0;
  double offset = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    moments.mean += lanes.value[lane] / kLanes;
    offset += lanes.offset[lane] / kLanes;
    moments.nonzero += (lanes.value[lane] != 0) / double(kLanes);
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const double distance = lanes.value[lane] - moments.mean, other = lanes.offset[lane] - offset;
    if (std::isfinite(moments.mean))
      moments.variance += distance * distance / kLanes;
    // The part of an offset that differs between samples is no longer equal at all positions.
    moments.noise += (lanes.noise[lane] * lanes.noise[lane] + other * other) / kLanes;
  }
  moments.offset = offset * offset;
  return moments;
}

} // namespace nacre::encode
