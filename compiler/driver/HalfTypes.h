// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that CPUs can store halves, if options ask for them.

#ifndef NACRE_COMPILER_DRIVER_HALFTYPES_H
#define NACRE_COMPILER_DRIVER_HALFTYPES_H

#include "compiler/options/CompilerOptions.h"
#include "llvm/Support/Error.h"

namespace nacre {

/// Fails if options ask for halves that one of the CPUs cannot convert. The target and its CPUs must be valid.
llvm::Error checkHalves(const CompilerOptions &options);

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_HALFTYPES_H
