// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hides CPU features from another runtime, so that its AVX2 code is timed on a machine that has more.
//
// Why: no option of ONNX Runtime chooses its kernels; it asks the CPU.
// How: hidden_features.py copies its library with each `cpuid` replaced by `ud2`, which has as many bytes. The handler
//      of the illegal instruction executes `cpuid` and clears bits of the answer. CPUs that can make `cpuid` itself
//      fault are rare.
//
// build: gcc -O2 -shared -fPIC cpuid_mask.c -o cpuid_mask.so
// use:   CPUID_LEVEL=avx2|avxvnni|avx512|vnni512 LD_PRELOAD=./cpuid_mask.so PROGRAM
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { AVX2, AVX_VNNI, AVX512, AVX512_VNNI, LEVELS };
static const char *const names[LEVELS] = {"avx2", "avxvnni", "avx512", "vnni512"};
static int level;

// Registers of an answer.
enum { EAX, EBX, ECX, EDX };

static void mask(unsigned leaf, unsigned subleaf, unsigned answer[4]) {
  if (leaf == 7 && subleaf == 0) {
    answer[EDX] &= ~(1u << 22 | 1u << 24 | 1u << 25); // AMX
    if (level <= AVX_VNNI) {
      answer[EBX] &=
          ~(1u << 16 | 1u << 17 | 1u << 21 | 1u << 28 | 1u << 30 | 1u << 31); // AVX-512 F, DQ, IFMA, CD, BW, VL
      answer[ECX] &= ~(1u << 1 | 1u << 6 | 1u << 11 | 1u << 12 | 1u << 14);   // VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ
      answer[EDX] &= ~(1u << 8 | 1u << 23);                                   // VP2INTERSECT, FP16
    }
    if (level == AVX512)
      answer[ECX] &= ~(1u << 11);
  } else if (leaf == 7 && subleaf == 1) {
    answer[EAX] &= ~(1u << 21); // AMX
    if (level <= AVX_VNNI)
      answer[EAX] &= ~(1u << 5); // AVX-512 BF16
    if (level == AVX2 || level == AVX512)
      answer[EAX] &= ~(1u << 4); // AVX-VNNI
    answer[EDX] &= ~(1u << 4 | 1u << 5 | 1u << 8 | 1u << 10 | 1u << 19);
  }
}

static void answerCpuid(int number, siginfo_t *info, void *context) {
  (void)info;
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  const unsigned char *at = (const unsigned char *)registers[REG_RIP];
  if (at[0] != 0x0f || at[1] != 0x0b) {
    signal(number, SIG_DFL);
    return;
  }
  unsigned leaf = registers[REG_RAX], subleaf = registers[REG_RCX], answer[4];
  __asm__ volatile("cpuid"
                   : "=a"(answer[EAX]), "=b"(answer[EBX]), "=c"(answer[ECX]), "=d"(answer[EDX])
                   : "0"(leaf), "2"(subleaf));
  mask(leaf, subleaf, answer);
  registers[REG_RAX] = answer[EAX], registers[REG_RBX] = answer[EBX], registers[REG_RCX] = answer[ECX],
  registers[REG_RDX] = answer[EDX];
  registers[REG_RIP] += 2;
}

__attribute__((constructor)) static void start(void) {
  const char *name = getenv("CPUID_LEVEL");
  for (level = 0; level < LEVELS; level++)
    if (name && !strcmp(name, names[level]))
      break;
  if (level == LEVELS) {
    fprintf(stderr, "cpuid_mask: CPUID_LEVEL must be avx2, avxvnni, avx512 or vnni512\n");
    exit(1);
  }
  struct sigaction action = {0};
  action.sa_sigaction = answerCpuid;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGILL, &action, NULL);
}
