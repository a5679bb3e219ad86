// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the place phase and the order in which they run.

#ifndef NACRE_COMPILER_PLACE_PASSES_H
#define NACRE_COMPILER_PLACE_PASSES_H

#include "dialects/plan/PlanDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace nacre::place {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/place/Passes.h.inc"

struct Options {
  /// How much of each launch the GPU computes.
  unsigned gpuPercent = 0;
};

/// Appends the phase to `pm`, which runs on a module.
void buildPipeline(mlir::OpPassManager &pm, const Options &options);

} // namespace nacre::place

#endif // NACRE_COMPILER_PLACE_PASSES_H
