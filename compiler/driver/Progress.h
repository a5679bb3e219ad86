// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NACRE_COMPILER_DRIVER_PROGRESS_H
#define NACRE_COMPILER_DRIVER_PROGRESS_H

#include "compiler/options/CompilerOptions.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace nacre {

/// Receives the phase that runs, and how many of its kernels are compiled: `done` of `total`. One call at a time, from
/// any thread.
using Progress = llvm::function_ref<void(Phase phase, unsigned done, unsigned total)>;

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_PROGRESS_H
