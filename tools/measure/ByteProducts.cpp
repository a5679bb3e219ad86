// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. a loop for each instruction, with enough sums to hide its latency, 2. the fastest one that the core has.

#include "tools/measure/ByteProducts.h"
#include "tools/measure/Peak.h"
#include "tools/measure/Vectors.h"

// Android's emulator is measured with baseline instructions, as in Vectors.cpp.
#if defined(__x86_64__) && !defined(__ANDROID__)
#define HAS_WIDER_VECTORS
#include <cpuid.h>
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
extern "C" unsigned long getauxval(unsigned long);
#endif

namespace nacre::measure {
namespace {

//===----------------------------------------------------------------------===//
// 1. Loops
//===----------------------------------------------------------------------===//

constexpr int kChains = 12; // number of sums: enough to hide the latency of any core, and few enough for its registers
constexpr long kIterations = 50'000;

#if defined(__x86_64__)
#define IN_REGISTER "+v"
#else
#define IN_REGISTER "+w"
#endif

/// Defines NAME(): kIterations * kChains steps of MULTIPLY_ADD(sum, a, b) on vectors of BYTES, in code for TARGET.
/// The barrier keeps the compiler from multiplying once for all iterations.
#define DEFINE_PRODUCTS(NAME, BYTES, TARGET, MULTIPLY_ADD)                                                             \
  TARGET uint32_t NAME() {                                                                                             \
    typedef uint32_t Vector __attribute__((vector_size(BYTES)));                                                       \
    Vector sums[kChains] = {}, a = Vector{} + 0x01020304u, b = Vector{} + 0x03010201u;                                 \
    for (long iteration = 0; iteration < kIterations; ++iteration)                                                     \
      _Pragma("GCC unroll 12") for (int chain = 0; chain < kChains; ++chain) {                                         \
        asm volatile("" : IN_REGISTER(a));                                                                             \
        MULTIPLY_ADD(sums[chain], a, b);                                                                               \
      }                                                                                                                \
    Vector sum{};                                                                                                      \
    for (const Vector &one : sums)                                                                                     \
      sum += one;                                                                                                      \
    return sum[0];                                                                                                     \
  }

#if defined(__x86_64__)
#define PAIRS_128(sum, a, b)                                                                                           \
  Vector product = a;                                                                                                  \
  asm("pmaddwd %1, %0" : "+x"(product) : "x"(b));                                                                      \
  sum += product
DEFINE_PRODUCTS(pairs128, 16, , PAIRS_128)
#ifdef HAS_WIDER_VECTORS
#define PAIRS_256(sum, a, b) sum += (Vector)_mm256_madd_epi16((__m256i)(a), (__m256i)(b))
#define DOTS_256(sum, a, b) sum = (Vector)_mm256_dpbusd_avx_epi32((__m256i)(sum), (__m256i)(a), (__m256i)(b))
#define DOTS_512(sum, a, b) sum = (Vector)_mm512_dpbusd_epi32((__m512i)(sum), (__m512i)(a), (__m512i)(b))
#define PAIRS_512(sum, a, b) sum += (Vector)_mm512_madd_epi16((__m512i)(a), (__m512i)(b))
DEFINE_PRODUCTS(pairs256, 32, __attribute__((target("avx2"))), PAIRS_256)
DEFINE_PRODUCTS(pairs512, 64, __attribute__((target("avx512f,avx512bw"))), PAIRS_512)
DEFINE_PRODUCTS(dots256, 32, __attribute__((target("avxvnni"))), DOTS_256)
DEFINE_PRODUCTS(dots512, 64, __attribute__((target("avx512f,avx512vnni"))), DOTS_512)
#endif
#elif defined(__aarch64__)
/// Uses smull, smlal and sadalp: the products of two steps are added in 16 bits.
#define HALVES(sum, a, b)                                                                                              \
  sum = (Vector)vpadalq_s16((int32x4_t)(sum),                                                                          \
                            vmlal_s8(vmull_s8(vget_low_s8((int8x16_t)(a)), vget_low_s8((int8x16_t)(b))),               \
                                     vget_high_s8((int8x16_t)(a)), vget_high_s8((int8x16_t)(b))))
#define DOTS(sum, a, b) asm("sdot %0.4s, %1.16b, %2.16b" : "+w"(sum) : "w"(a), "w"(b))
#define MATRICES(sum, a, b) asm("smmla %0.4s, %1.16b, %2.16b" : "+w"(sum) : "w"(a), "w"(b))
DEFINE_PRODUCTS(halves, 16, , HALVES)
DEFINE_PRODUCTS(dots, 16, __attribute__((target("arch=armv8.2-a+dotprod"))), DOTS)
DEFINE_PRODUCTS(matrices, 16, __attribute__((target("arch=armv8.2-a+i8mm"))), MATRICES)
#endif

//===----------------------------------------------------------------------===//
// 2. The fastest
//===----------------------------------------------------------------------===//

struct Instruction {
  uint32_t (*run)();
  double products; ///< Number of products in one step.
};

Instruction fastest() {
#if defined(__x86_64__)
#ifdef HAS_WIDER_VECTORS
  if (__builtin_cpu_supports("avx512vnni"))
    return {dots512, 64};
  if (__builtin_cpu_supports("avx512bw"))
    return {pairs512, 32};
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kAvxVnni = 1u << 4; // leaf 7.1, eax
  if (__builtin_cpu_supports("avx2") && __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & kAvxVnni))
    return {dots256, 32};
  if (__builtin_cpu_supports("avx2"))
    return {pairs256, 16};
#endif
  return {pairs128, 8};
#else
  constexpr unsigned long kHwcap = 16, kHwcap2 = 26;
  if (getauxval(kHwcap2) >> 13 & 1)
    return {matrices, 32};
  if (getauxval(kHwcap) >> 20 & 1)
    return {dots, 16};
  return {halves, 16};
#endif
}

} // namespace

double measureByteGigaops() {
  const Instruction instruction = fastest();
  volatile uint32_t sink = 0;
  double best = 1e9;
  for (int iteration = 0; iteration < kTries; ++iteration) {
    const double begin = now();
    sink = instruction.run();
    const double seconds = now() - begin;
    best = seconds < best ? seconds : best;
  }
  (void)sink;
  return 2 * instruction.products * kChains * kIterations / best * 1e-9;
}

} // namespace nacre::measure
