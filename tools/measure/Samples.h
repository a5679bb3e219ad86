// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of runs in nanoseconds. If there are many runs, only an evenly spread part of their times is kept, which is
// enough for quantiles.

#ifndef NACRE_TOOLS_MEASURE_SAMPLES_H
#define NACRE_TOOLS_MEASURE_SAMPLES_H

#include <stdint.h>

namespace nacre::measure {

class Samples {
public:
  Samples() = default;
  Samples(Samples &&other) noexcept;
  Samples(const Samples &) = delete;
  Samples &operator=(const Samples &) = delete;
  Samples &operator=(Samples &&) = delete;
  ~Samples();

  void add(uint64_t nanoseconds);
  uint64_t count() const { return seen; }
  uint64_t smallest() const { return least; }
  /// Returns the quantile `share` (0 to 1) of the samples. Sorts the kept samples.
  uint64_t quantile(double share);

private:
  bool grow();

  static constexpr uint32_t kCapacity = 8192; // must be even
  uint64_t *kept = nullptr;
  uint32_t keptCount = 0, capacity = 0;
  uint64_t seen = 0, stride = 1, least = UINT64_MAX;
};

} // namespace nacre::measure

#endif // NACRE_TOOLS_MEASURE_SAMPLES_H
