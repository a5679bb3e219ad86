// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what this CPU can do, as the word of nacre_cpu_bit that models state their needs in.
// Why:   a model compiled for another CPU must end in a status at create, not in SIGILL at run.
// How:   arm64: the kernel's HWCAP words, and which cores there are. x86-64: cpuid, and xgetbv for what the system saves across switches.

#ifndef NACRE_RUNTIME_SRC_CPU_FEATURES_H
#define NACRE_RUNTIME_SRC_CPU_FEATURES_H

#include <stdint.h>

namespace nacre::runtime {

uint64_t cpu_features();

/// The name of a nacre_cpu_bit, for reasons.
const char *cpu_feature_name(unsigned bit);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_CPU_FEATURES_H
