// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hash function XXH64 with seed 0, for sizes that are positive multiples of 32 bytes.
// Why: an app checks a file of hundreds of megabytes at each start. This hash takes less time than reading the file
//      from flash, and needs no special instructions.
// How: four lanes of eight bytes. Weights files have no other sizes, which would need more code.

#ifndef NACRE_RUNTIME_SRC_WEIGHTS_CONTENT_HASH_H
#define NACRE_RUNTIME_SRC_WEIGHTS_CONTENT_HASH_H

#include <stdint.h>

namespace nacre::runtime {

class ContentHash {
public:
  static constexpr uint64_t kStripe = 32;

  static uint64_t of(const char *from, uint64_t bytes) {
    uint64_t a = kPrime1 + kPrime2, b = kPrime2, c = 0, d = 0 - kPrime1;
    for (const char *end = from + bytes; from != end; from += kStripe) {
      a = mix(a, word(from));
      b = mix(b, word(from + 8));
      c = mix(c, word(from + 16));
      d = mix(d, word(from + 24));
    }
    uint64_t hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
    const uint64_t lanes[] = {a, b, c, d};
    for (const uint64_t lane : lanes)
      hash = (hash ^ mix(0, lane)) * kPrime1 + kPrime4;
    hash += bytes;
    hash = (hash ^ hash >> 33) * kPrime2;
    hash = (hash ^ hash >> 29) * kPrime3;
    return hash ^ hash >> 32;
  }

private:
  static constexpr uint64_t kPrime1 = 0x9e3779b185ebca87, kPrime2 = 0xc2b2ae3d27d4eb4f, kPrime3 = 0x165667b19e3779f9,
                            kPrime4 = 0x85ebca77c2b2ae63;

  static uint64_t rotate(uint64_t word, int bits) { return word << bits | word >> (64 - bits); }
  static uint64_t mix(uint64_t lane, uint64_t word) { return rotate(lane + word * kPrime2, 31) * kPrime1; }
  static uint64_t word(const char *from) {
    uint64_t word;
    __builtin_memcpy(&word, from, sizeof word);
    return word;
  }
};

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_WEIGHTS_CONTENT_HASH_H
