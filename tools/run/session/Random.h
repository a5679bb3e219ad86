// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes random numbers from a seed with splitmix64, so that seeded inputs and shuffled examples are the same on
// every machine.

#ifndef NACRE_TOOLS_RUN_SESSION_RANDOM_H
#define NACRE_TOOLS_RUN_SESSION_RANDOM_H

#include <cstdint>

namespace nacre::run {

inline uint64_t nextRandom(uint64_t &state) {
  uint64_t bits = state += 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
  return bits ^ bits >> 31;
}

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_RANDOM_H
