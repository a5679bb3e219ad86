// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects the CPU's features.
// Why: see cpu_features.h.
// How: HWCAP and cpuid are words of bits. Each row of a table names the bits that must be set for one feature.

#include "runtime/src/cpu_features.h"
#include "runtime/include/nacre/model_format.h"
#include "runtime/src/big_cores.h"
#include "runtime/src/system_call.h"
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#if defined(__aarch64__)
extern "C" unsigned long getauxval(unsigned long);
#endif

namespace nacre::runtime {

#if defined(__aarch64__)

uint64_t cpu_features(const nacre_model_table &) {
  struct Row {
    nacre_cpu_bit feature;
    unsigned word; // Entry of the auxiliary vector: AT_HWCAP or AT_HWCAP2.
    unsigned bit;
  };
  constexpr unsigned kHwcap = 16, kHwcap2 = 26;
  static constexpr Row rows[] = {
      {NACRE_ARM64_NEON, kHwcap, 1},     {NACRE_ARM64_FP16, kHwcap, 10},  {NACRE_ARM64_FP16FML, kHwcap, 23},
      {NACRE_ARM64_DOTPROD, kHwcap, 20}, {NACRE_ARM64_I8MM, kHwcap2, 13}, {NACRE_ARM64_BF16, kHwcap2, 14},
      {NACRE_ARM64_SVE, kHwcap, 22},     {NACRE_ARM64_SVE2, kHwcap2, 1},  {NACRE_ARM64_LSE, kHwcap, 8},
      {NACRE_ARM64_RDM, kHwcap, 12},
  };
  uint64_t features = 0;
  for (const Row &row : rows)
    if (getauxval(row.word) >> row.bit & 1)
      features |= NACRE_CPU_NEED(row.feature);
  if (!all_issue_in_order("", allowed_cpus()))
    features |= NACRE_CPU_NEED(NACRE_ARM64_OUT_OF_ORDER);
  return features;
}

#elif defined(__x86_64__)

namespace {

constexpr unsigned bits() { return 0; }
template <typename... Rest> constexpr unsigned bits(unsigned first, Rest... rest) {
  return 1u << first | bits(rest...);
}

bool all(unsigned word, unsigned mask) { return (word & mask) == mask; }

// Returns XCR0, whose bits name the registers that the system saves. Returns 0 without OSXSAVE, because xgetbv would
// fault.
unsigned saved_registers(unsigned leaf1_ecx) {
  if (!(leaf1_ecx >> 27 & 1))
    return 0;
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

bool has_code_for(uint64_t any_of, const nacre_model_table &model) {
  for (uint32_t i = 0; i < model.kernel_count; ++i)
    for (uint32_t j = 0; j < model.kernels[i].cpu_count; ++j)
      if (model.kernels[i].cpu[j].needs & any_of)
        return true;
  return false;
}

// True if this process may use the tiles of AMX. Asking again is harmless. Fails before Linux 5.16, and if a thread has
// a stack for signals that is too small for tiles.
bool may_use_tiles() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA.
  return system_call(kArchPrctl, kRequestPermission, kTileData) == 0;
}

} // namespace

uint64_t cpu_features(const nacre_model_table &model) {
  unsigned eax, ebx, ecx, edx;
  unsigned ecx1 = 0, ecx_extended = 0, ebx7 = 0, ecx7 = 0, edx7 = 0, eax7_1 = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx))
    ecx1 = ecx;
  if (__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx))
    ecx_extended = ecx;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) {
    ebx7 = ebx, ecx7 = ecx, edx7 = edx;
    if (eax >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx))
      eax7_1 = eax;
  }
  const unsigned saved = saved_registers(ecx1);
  const bool v2 = all(ecx1, bits(0 /*SSE3*/, 9 /*SSSE3*/, 19 /*SSE4.1*/, 20 /*SSE4.2*/, 23 /*POPCNT*/));
  const bool v3 = v2 && all(saved, 0x6) && all(ecx1, bits(12 /*FMA*/, 22 /*MOVBE*/, 28 /*AVX*/, 29 /*F16C*/)) &&
                  all(ebx7, bits(3 /*BMI*/, 5 /*AVX2*/, 8 /*BMI2*/)) && all(ecx_extended, bits(5 /*LZCNT*/));
  const bool v4 = v3 && all(saved, 0xe6) && all(ebx7, bits(16 /*F*/, 17 /*DQ*/, 28 /*CD*/, 30 /*BW*/, 31 /*VL*/));
  const bool vbmi = all(ecx7, bits(1 /*VBMI*/, 6 /*VBMI2*/, 8 /*GFNI*/, 12 /*BITALG*/, 14 /*VPOPCNTDQ*/));
  const bool tiles = v4 && all(saved, bits(17 /*TILECFG*/, 18 /*TILEDATA*/)) && all(edx7, bits(24 /*AMX-TILE*/));
  const struct {
    nacre_cpu_bit feature;
    bool present;
  } rows[] = {
      {NACRE_X86_64_V2, v2},
      {NACRE_X86_64_V3, v3},
      {NACRE_X86_64_V4, v4},
      {NACRE_X86_AVX_VNNI, v3 && all(eax7_1, bits(4))},
      {NACRE_X86_AVX512_VNNI, v4 && all(ecx7, bits(11))},
      {NACRE_X86_AVX512_BF16, v4 && all(eax7_1, bits(5))},
      {NACRE_X86_AVX512_FP16, v4 && all(edx7, bits(23))},
      {NACRE_X86_AVX512_VBMI, v4 && vbmi},
      {NACRE_X86_AMX_INT8, tiles && all(edx7, bits(25))},
      {NACRE_X86_AMX_BF16, tiles && all(edx7, bits(22))},
  };
  uint64_t features = 0;
  for (const auto &row : rows)
    if (row.present)
      features |= NACRE_CPU_NEED(row.feature);
  constexpr uint64_t of_tiles = NACRE_CPU_NEED(NACRE_X86_AMX_INT8) | NACRE_CPU_NEED(NACRE_X86_AMX_BF16);
  if ((features & of_tiles) && !(has_code_for(of_tiles, model) && may_use_tiles()))
    features &= ~of_tiles;
  return features;
}

#endif

const char *cpu_feature_name(unsigned bit) {
  switch (bit) {
#if defined(__aarch64__)
  case NACRE_ARM64_NEON:
    return "neon";
  case NACRE_ARM64_FP16:
    return "fp16";
  case NACRE_ARM64_FP16FML:
    return "fp16fml";
  case NACRE_ARM64_DOTPROD:
    return "dotprod";
  case NACRE_ARM64_I8MM:
    return "i8mm";
  case NACRE_ARM64_BF16:
    return "bf16";
  case NACRE_ARM64_SVE:
    return "sve";
  case NACRE_ARM64_SVE2:
    return "sve2";
  case NACRE_ARM64_LSE:
    return "lse";
  case NACRE_ARM64_RDM:
    return "rdm";
#else
  case NACRE_X86_64_V2:
    return "x86-64-v2";
  case NACRE_X86_64_V3:
    return "x86-64-v3";
  case NACRE_X86_64_V4:
    return "x86-64-v4";
  case NACRE_X86_AVX_VNNI:
    return "avx-vnni";
  case NACRE_X86_AVX512_VNNI:
    return "avx512-vnni";
  case NACRE_X86_AVX512_BF16:
    return "avx512-bf16";
  case NACRE_X86_AVX512_FP16:
    return "avx512-fp16";
  case NACRE_X86_AVX512_VBMI:
    return "avx512-vbmi";
  case NACRE_X86_AMX_INT8:
    return "amx-int8 (and the permission to use its tiles)";
  case NACRE_X86_AMX_BF16:
    return "amx-bf16 (and the permission to use its tiles)";
#endif
  } // NACRE_ARM64_OUT_OF_ORDER has no name, because no model requires it.
  return "a feature unknown to this runtime";
}

} // namespace nacre::runtime
