// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  nanoseconds of runs, of which a bounded number is kept, evenly spread.
// Why:   quantiles of many runs need not keep them all.

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
  /// Returns the sample that `share` of all are not above. Sorts what is kept.
  uint64_t quantile(double share);

private:
  bool grow();

  static constexpr uint32_t kCapacity = 8192; // even
  uint64_t *kept = nullptr;
  uint32_t keptCount = 0, capacity = 0;
  uint64_t seen = 0, stride = 1, least = UINT64_MAX;
};

} // namespace nacre::measure

#endif // NACRE_TOOLS_MEASURE_SAMPLES_H
