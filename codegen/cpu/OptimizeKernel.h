// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimizes the LLVM IR of a kernel.
//
// Emitters write code that is nearly final, and compiling a model consists mostly of LLVM's passes. So kernels get few
// passes. How few depends on the machine: a pass is left out only if the loops of its tiles are no slower without it.

#ifndef NACRE_CODEGEN_CPU_OPTIMIZEKERNEL_H
#define NACRE_CODEGEN_CPU_OPTIMIZEKERNEL_H

#include "codegen/Target.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace nacre::codegen::cpu {

struct KernelTraits {
  bool vectorize = false;  ///< True if the kernel is plain loops, which LLVM must vectorize.
  bool keepsOrder = false; ///< True if the kernel consists of tiles, whose instructions keep their order.
};

/// Optimizes `module`. This includes the choice of addresses that loops advance (loop strength reduction), which the
/// machine's code generation must not repeat.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, const Target &target, const KernelTraits &kernel);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_OPTIMIZEKERNEL_H
