// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects the features of this CPU, as a word of nacre_cpu_bit. Models state their needs in the same bits.
// Why: a model that was compiled for another CPU must fail at create with a status, not at run with SIGILL.
// How: on arm64, reads the kernel's HWCAP words and the types of the cores. On x86-64, cpuid reports the instructions,
//      and xgetbv reports which registers the system saves.

#ifndef NACRE_RUNTIME_SRC_CPU_FEATURES_H
#define NACRE_RUNTIME_SRC_CPU_FEATURES_H

#include <stdint.h>

namespace nacre::runtime {

uint64_t cpu_features();

/// Returns the name of the feature with index `bit` in nacre_cpu_bit, for the text of reasons.
const char *cpu_feature_name(unsigned bit);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_CPU_FEATURES_H
