// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures what one core reaches in fp32 fused multiply-add from registers, and prints one JSON line.
//
// Why: a kernel's share of the peak only means something against the peak of the same minute; clocks move.
// How: twelve independent chains hide the latency; the best of several tries is kept, since others only ever take time
//      away. Build with -march=native: the widest vectors the compiler then knows are used.
#include <immintrin.h>
#include <stdio.h>
#include <time.h>

#ifdef __AVX512F__
typedef __m512 vector;
#define SET _mm512_set1_ps
#else
typedef __m256 vector;
#define SET _mm256_set1_ps
#endif
#define FMA(x) __asm__ volatile("vfmadd213ps %2, %1, %0" : "+v"(x) : "v"(b), "v"(c));

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void) {
  enum { CHAINS = 12, TRIES = 8 };
  const long iterations = 8000000;
  const int lanes = sizeof(vector) / sizeof(float);
  double best = 0;
  for (int i = 0; i < TRIES; i++) {
    vector a0 = SET(1), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0, a8 = a0, a9 = a0, a10 = a0,
           a11 = a0;
    const vector b = SET(0.999f), c = SET(1e-3f);
    double start = now();
    for (long iteration = 0; iteration < iterations; iteration++) {
      FMA(a0) FMA(a1) FMA(a2) FMA(a3) FMA(a4) FMA(a5) FMA(a6) FMA(a7) FMA(a8) FMA(a9) FMA(a10) FMA(a11)
    }
    double gflops = 2.0 * lanes * CHAINS * (double)iterations / (now() - start) / 1e9;
    if (gflops > best)
      best = gflops;
  }
  printf("{\"fma_gflops_1core\":%.1f,\"lanes\":%d}\n", best, lanes);
  return 0;
}
