// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the clock by additions that depend on each other. The best of several tries counts.

#include "tools/measure/Vectors.h"
#include "tools/measure/Peak.h"

// Peaks of Android's emulator do not matter. Detecting its vectors would need a library of the compiler.
#if defined(__x86_64__) && !defined(__ANDROID__)
#define HAS_WIDER_VECTORS
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace nacre::measure {
namespace {

template <typename Work> double bestSeconds(Work work, int tries) {
  double best = 1e9;
  for (int iteration = 0; iteration < tries; ++iteration) {
    const double begin = now();
    work();
    const double seconds = now() - begin;
    best = seconds < best ? seconds : best;
  }
  return best;
}

constexpr int kChains = 12; // number of sums: enough to hide the latency of any core, and few enough for its registers
constexpr long kIterations = 100'000;

/// Defines NAME(): kIterations * kChains multiply-adds of BYTES each, in code for TARGET. MULTIPLY_ADD(a, b, c) is a *
/// b + c. It is one instruction if the target has one, regardless of the build's options.
#define DEFINE_MULTIPLY_ADDS(NAME, BYTES, TARGET, MULTIPLY_ADD)                                                        \
  TARGET float NAME() {                                                                                                \
    typedef float Vector __attribute__((vector_size(BYTES)));                                                          \
    Vector sums[kChains], factor = Vector{} + 0.999f, addend = Vector{} + 1e-3f;                                       \
    for (int chain = 0; chain < kChains; ++chain) /* equal or known ones would not be computed */                      \
      sums[chain] = Vector{} + (float(chain) + 2.5f);                                                                  \
    for (long iteration = 0; iteration < kIterations; ++iteration)                                                     \
      _Pragma("GCC unroll 12") for (int chain = 0; chain < kChains; ++chain) sums[chain] =                             \
          MULTIPLY_ADD(sums[chain], factor, addend);                                                                   \
    Vector sum{};                                                                                                      \
    for (const Vector &one : sums)                                                                                     \
      sum += one;                                                                                                      \
    return sum[0];                                                                                                     \
  }

#define NO_TARGET
#ifdef __aarch64__
#define MULTIPLY_ADD_128(a, b, c) vfmaq_f32(c, a, b)
#else
#define MULTIPLY_ADD_128(a, b, c) ((a) * (b) + (c))
#endif
DEFINE_MULTIPLY_ADDS(multiplyAdds128, 16, NO_TARGET, MULTIPLY_ADD_128)
#ifdef HAS_WIDER_VECTORS
DEFINE_MULTIPLY_ADDS(multiplyAdds256, 32, __attribute__((target("avx2,fma"))), _mm256_fmadd_ps)
DEFINE_MULTIPLY_ADDS(multiplyAdds512, 64, __attribute__((target("avx512f"))), _mm512_fmadd_ps)
#endif

/// Defines NAME(): the sum of words, read in vectors of BYTES. Four sums hide the latency of additions, which caches
/// outrun.
#define DEFINE_READING(NAME, BYTES, TARGET)                                                                            \
  TARGET uint64_t NAME(const uint64_t *words, size_t count) {                                                          \
    typedef uint64_t Vector __attribute__((vector_size(BYTES), aligned(8), may_alias));                                \
    constexpr size_t kWords = BYTES / sizeof(uint64_t), kSums = 4;                                                     \
    Vector sums[kSums] = {};                                                                                           \
    for (size_t at = 0; at + kSums * kWords <= count; at += kSums * kWords)                                            \
      _Pragma("GCC unroll 4") for (size_t chain = 0; chain < kSums; ++chain) sums[chain] +=                            \
          *reinterpret_cast<const Vector *>(words + at + chain * kWords);                                              \
    const Vector sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);                                                      \
    return sum[0];                                                                                                     \
  }

DEFINE_READING(read128, 16, NO_TARGET)
#ifdef HAS_WIDER_VECTORS
DEFINE_READING(read256, 32, __attribute__((target("avx2"))))
DEFINE_READING(read512, 64, __attribute__((target("avx512f"))))
#endif

} // namespace

double measureGigahertz() {
  constexpr long kAdditions = 2'000'000;
  uint64_t sum = 1, addend = 3;
  asm volatile("" : "+r"(addend));
  const double seconds = bestSeconds(
      [&] {
        for (long iteration = 0; iteration < kAdditions / 8; ++iteration) {
      // The barriers keep the compiler from combining all eight additions.
#define ADD                                                                                                            \
  sum += addend;                                                                                                       \
  asm volatile("" : "+r"(sum));
          ADD ADD ADD ADD ADD ADD ADD ADD
#undef ADD
        }
      },
      kTries);
  return kAdditions / seconds * 1e-9;
}

WidestVectors::WidestVectors() : run(multiplyAdds128), read(read128), lanes(4) {
#ifdef HAS_WIDER_VECTORS
  if (__builtin_cpu_supports("avx512f"))
    run = multiplyAdds512, read = read512, lanes = 16;
  else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    run = multiplyAdds256, read = read256, lanes = 8;
#endif
}

double measureGigaflops(int tries) {
  const WidestVectors vectors;
  volatile float sink = 0;
  const double seconds = bestSeconds([&] { sink = vectors.run(); }, tries);
  return 2.0 * vectors.lanes * kChains * kIterations / seconds * 1e-9;
}

} // namespace nacre::measure
