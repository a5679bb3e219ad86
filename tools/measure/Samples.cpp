// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/measure/Samples.h"
#include "tools/measure/Libc.h"

namespace nacre::measure {

static int compareSamples(const void *a, const void *b) {
  const uint64_t one = *static_cast<const uint64_t *>(a), other = *static_cast<const uint64_t *>(b);
  return one < other ? -1 : one > other;
}

Samples::Samples(Samples &&other) noexcept
    : kept(other.kept), keptCount(other.keptCount), capacity(other.capacity), seen(other.seen), stride(other.stride),
      least(other.least) {
  other.kept = nullptr;
  other.keptCount = other.capacity = 0;
}

Samples::~Samples() { free(kept); }

/// Makes room for another sample. Returns false if there is no more memory; then fewer samples are kept.
bool Samples::grow() {
  if (keptCount < capacity)
    return true;
  const uint32_t more = capacity ? 2 * capacity : 64;
  void *block = more <= kCapacity ? realloc(kept, more * sizeof *kept) : nullptr;
  if (!block)
    return false;
  kept = static_cast<uint64_t *>(block);
  capacity = more;
  return true;
}

void Samples::add(uint64_t nanoseconds) {
  least = nanoseconds < least ? nanoseconds : least;
  if (seen++ % stride != 0)
    return;
  if (!grow()) {
    keptCount /= 2;
    for (uint32_t i = 0; i < keptCount; ++i)
      kept[i] = kept[2 * i];
    stride *= 2;
    if ((seen - 1) % stride != 0 || keptCount == capacity)
      return;
  }
  kept[keptCount++] = nanoseconds;
}

uint64_t Samples::quantile(double share) {
  if (keptCount == 0)
    return least;
  qsort(kept, keptCount, sizeof *kept, compareSamples);
  const uint64_t index = static_cast<uint64_t>(share * keptCount);
  return kept[index < keptCount ? index : keptCount - 1];
}

} // namespace nacre::measure
