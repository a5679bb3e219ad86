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

/// Returns the quantiles plus `shift`, after a ReLU.
static LaneNumbers rectifiedAt(double shift) {
  LaneNumbers numbers = quantiles();
  for (double &number : numbers)
    number = std::max(0.0, number + shift);
  return numbers;
}

/// Returns the mean and the mean square.
static std::pair<double, double> averagesOf(const LaneNumbers &numbers) {
  double sum = 0, squares = 0;
  for (double number : numbers) {
    sum += number / kLanes;
    squares += number * number / kLanes;
  }
  return {sum, squares};
}

/// Returns positive numbers, in ascending order, whose mean and variance are those of `moments`: quantiles of a normal
/// distribution after a ReLU.
static LaneNumbers rectifiedQuantiles(const Moments &moments) {
  constexpr unsigned count = 512;
  const double least = -quantiles().back() + 1e-3, step = (-quantiles().front() - least) / (count - 1);
  // The more of the distribution is positive, the larger is the mean's share of the power.
  static const std::vector<double> shares = [&] {
    std::vector<double> found;
    for (unsigned number = 0; number < count; ++number) {
      const auto [sum, squares] = averagesOf(rectifiedAt(least + number * step));
      found.push_back(sum * sum / squares);
    }
    return found;
  }();
  const double share = moments.mean * moments.mean / moments.power();
  const auto above = std::clamp<size_t>(llvm::lower_bound(shares, share) - shares.begin(), 1, count - 1);
  const double range = shares[above] - shares[above - 1]; // It is 0 as long as one quantile is positive.
  const double part = range > 0 ? (share - shares[above - 1]) / range : 0;
  LaneNumbers numbers = rectifiedAt(least + (double(above - 1) + std::clamp(part, 0.0, 1.0)) * step);
  const double scale = std::sqrt(moments.power() / averagesOf(numbers).second);
  for (double &number : numbers)
    number *= scale;
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

void Draws::drawNoise(Lanes &lanes, const Moments &moments) {
  const double power = moments.power();
  const double scaled = power > 0 && std::isfinite(power) ? std::min(moments.scaled, moments.noise) : 0;
  auto isStopped = [&](double value) { return moments.isPositive && value == 0; };
  const auto stopped = double(llvm::count_if(lanes.value, isStopped));
  const double rest = stopped < kLanes ? (moments.noise - scaled) * kLanes / (kLanes - stopped) : 0;
  const double relative = scaled > 0 ? scaled / power : 0;
  for (auto [lane, from] : llvm::enumerate(order())) {
    const double value = lanes.value[lane];
    const double variance = (isStopped(value) ? 0 : rest) + (relative > 0 ? relative * value * value : 0);
    lanes.noise[lane] = std::sqrt(variance) * quantiles()[from];
  }
  lanes.scaled = scaled / moments.noise;
}

Lanes Draws::draw(const Moments &moments, double sign) {
  Lanes lanes;
  lanes.value.fill(moments.mean);
  if (moments.variance > 0) { // Constants may be infinite.
    const double deviation = std::sqrt(moments.variance);
    // Otherwise, no quantile is negative anyway.
    const bool isRectified = moments.isPositive && moments.mean + deviation * quantiles().front() < 0;
    const LaneNumbers rectified = isRectified ? rectifiedQuantiles(moments) : LaneNumbers();
    for (auto [lane, from] : llvm::enumerate(order()))
      lanes.value[lane] = isRectified ? rectified[from] : moments.mean + deviation * quantiles()[from];
  }
  if (moments.noise > 0)
    drawNoise(lanes, moments);
  if (moments.offset > 0)
    lanes.offset.fill(sign * std::sqrt(moments.offset));
  return lanes;
}

void Draws::round(Lanes &lanes) {
  double before = 0, added = 0;
  for (auto [lane, from] : llvm::enumerate(order())) {
    before += lanes.noise[lane] * lanes.noise[lane];
    added += kHalfRounding * lanes.value[lane] * lanes.value[lane];
    lanes.noise[lane] += std::sqrt(kHalfRounding) * lanes.value[lane] * quantiles()[from];
  }
  if (added > 0)
    lanes.scaled = (lanes.scaled * before + added) / (before + added);
}

static LaneNumbers reordered(const LaneNumbers &numbers, const Draws::Order &order) {
  LaneNumbers result;
  for (auto [lane, from] : llvm::enumerate(order))
    result[lane] = numbers[from];
  return result;
}

Lanes reordered(const Lanes &lanes, const Draws::Order &order) {
  return {reordered(lanes.value, order), reordered(lanes.noise, order), reordered(lanes.offset, order), lanes.scaled};
}

Moments momentsOf(const Lanes &lanes) {
  Moments moments;
  moments.nonzero = 0;
  moments.isPositive = llvm::all_of(lanes.value, [](double value) { return value >= 0; });
  double offset = 0, noise = 0;
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
    noise += lanes.noise[lane] * lanes.noise[lane] / kLanes;
    moments.noise += other * other / kLanes;
  }
  moments.noise += noise;
  moments.scaled = lanes.scaled * noise;
  moments.offset = offset * offset;
  return moments;
}

} // namespace nacre::encode
