// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects the features of this CPU, as a word of nacre_cpu_bit. Models state their needs in the same bits.
// Why: a model that was compiled for another CPU must fail at create with a status, not at run with SIGILL.
// How: on arm64 by the kernel's HWCAP words and the types of cores; on x86-64 by cpuid, and by xgetbv for the registers
//      that the system saves.

#ifndef NACRE_RUNTIME_SRC_CPU_FEATURES_H
#define NACRE_RUNTIME_SRC_CPU_FEATURES_H

#include <stdint.h>

namespace nacre::runtime {

uint64_t cpu_features();

/// Returns the name of a nacre_cpu_bit, for reasons.
const char *cpu_feature_name(unsigned bit);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_CPU_FEATURES_H
