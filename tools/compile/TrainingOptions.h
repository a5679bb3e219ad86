// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of nacre-compile about training, and the limit of memory.

#ifndef NACRE_TOOLS_COMPILE_TRAININGOPTIONS_H
#define NACRE_TOOLS_COMPILE_TRAININGOPTIONS_H

#include "compiler/options/CompilerOptions.h"
#include "tools/compile/Declarations.h"

#include "llvm/Support/Error.h"

namespace nacre::tools {

/// Copies the options to `compiler`, and reports an error if they contradict each other.
llvm::Error readTraining(Declarations &options, CompilerOptions &compiler);

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMPILE_TRAININGOPTIONS_H
