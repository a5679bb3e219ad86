// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects the features of this CPU, as a word of nacre_cpu_bit. Models state their needs in the same bits.
// Why: a model that was compiled for another CPU must fail at create with a status, not at run with SIGILL.
// How: on arm64, reads the kernel's HWCAP words and the types of the cores. On x86-64, cpuid reports the instructions,
//      and xgetbv reports which registers the system saves. A process asks for permission to use the tiles of AMX.

#ifndef NACRE_RUNTIME_SRC_CPU_FEATURES_H
#define NACRE_RUNTIME_SRC_CPU_FEATURES_H

#include "runtime/include/nacre/model_format.h"

namespace nacre::runtime {

/// Returns the features of this CPU that `model` may use. A feature that needs the system's permission is reported only
/// if a kernel has code for it, because the permission enlarges the signal frames of the whole process.
uint64_t cpu_features(const nacre_model_table &model);

/// Returns the name of the feature with index `bit` in nacre_cpu_bit, for the text of reasons. A library has code for
/// one architecture, so only the names of this one exist.
const char *cpu_feature_name(unsigned bit);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_CPU_FEATURES_H
