// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels multiply halves only on arm64. On x86-64 they widen them, also if the core has AVX512-FP16.

#include "tools/measure/HalfProducts.h"

#ifdef __aarch64__
#include "tools/measure/Peak.h"
#include "tools/measure/Vectors.h"

#include <arm_neon.h>
extern "C" unsigned long getauxval(unsigned long);

namespace nacre::measure {
namespace {

constexpr int kChains = 12; // number of sums: enough to hide the latency of any core, and few enough for its registers
constexpr int kLanes = 8;
constexpr long kIterations = 20'000; // few, because emulators take long

/// Computes kIterations * kChains vectors of multiply-adds. The sums stay finite, because steps become too small for
/// them.
__attribute__((target("arch=armv8.2-a+fp16"))) uint32_t multiplyAdds() {
  const uint32x4_t one = vdupq_n_u32(0x3c003c00u), small = vdupq_n_u32(0x14001400u); // 1 and 2^-10, twice in a word
  uint32x4_t sums[kChains] = {};
  for (long iteration = 0; iteration < kIterations; ++iteration)
    _Pragma("GCC unroll 12") for (int chain = 0; chain < kChains;
                                  ++chain) asm("fmla %0.8h, %1.8h, %2.8h" : "+w"(sums[chain]) : "w"(one), "w"(small));
  uint32x4_t sum = {};
  for (const uint32x4_t &each : sums)
    sum += each;
  return sum[0];
}

bool hasHalfArithmetic() {
  constexpr unsigned long kHwcap = 16, kBit = 10; // HWCAP_ASIMDHP
  return getauxval(kHwcap) >> kBit & 1;
}

} // namespace

double measureHalfGigaflops(double gigaflops) {
  if (!hasHalfArithmetic())
    return gigaflops;
  volatile uint32_t sink = 0;
  double best = 1e9;
  for (int iteration = 0; iteration < kTries; ++iteration) {
    const double begin = now();
    sink = multiplyAdds();
    const double seconds = now() - begin;
    best = seconds < best ? seconds : best;
  }
  (void)sink;
  return 2.0 * kLanes * kChains * kIterations / best * 1e-9;
}

} // namespace nacre::measure
#else
namespace nacre::measure {

double measureHalfGigaflops(double gigaflops) { return gigaflops; }

} // namespace nacre::measure
#endif
