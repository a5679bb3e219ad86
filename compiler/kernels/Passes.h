// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the kernels phase and the order in which they run.

#ifndef NACRE_COMPILER_KERNELS_PASSES_H
#define NACRE_COMPILER_KERNELS_PASSES_H

#include "dialects/nn/NnDialect.h"
#include "dialects/plan/PlanDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace nacre::kernels {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/kernels/Passes.h.inc"

struct Options {
  bool isCpuAlone = false; ///< No kernel needs code for a GPU.
  bool isGpuAsked = false; ///< For every kernel: what the CPU computes, it computes in need.
};

/// Appends the phase to `pm`, which runs on a module.
void buildPipeline(mlir::OpPassManager &pm, const Options &options);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_PASSES_H
