// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that CPUs can store 16-bit floats, if options ask for them, and multiply them fast.

#ifndef NACRE_COMPILER_DRIVER_HALFTYPES_H
#define NACRE_COMPILER_DRIVER_HALFTYPES_H

#include "codegen/Target.h"
#include "compiler/options/CompilerOptions.h"
#include "llvm/Support/Error.h"

namespace nacre {

/// Fails if options ask for halves that one of the CPUs cannot convert. The target and its CPUs must be valid.
llvm::Error checkHalves(const CompilerOptions &options);

/// Returns a warning if no CPU of the library multiplies values as they are stored, so that it must widen them first.
/// Empty otherwise.
std::string whyHalvesAreSlow(const CompilerOptions &options, llvm::ArrayRef<codegen::Target> targets);

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_HALFTYPES_H
