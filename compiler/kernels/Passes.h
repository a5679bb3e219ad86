// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the kernels phase, and their order.

#ifndef NACRE_COMPILER_KERNELS_PASSES_H
#define NACRE_COMPILER_KERNELS_PASSES_H

#include "dialects/nn/NnDialect.h"
#include "dialects/plan/EnginePass.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace nacre::kernels {

#define GEN_PASS_DECL
#include "compiler/kernels/Passes.h.inc"

/// Appends both halves of the phase to `pm`, a pipeline on modules. `engine` computes all operators without a
/// `plan.engine` attribute that names another engine.
void buildPipeline(mlir::OpPassManager &pm, plan::Engine engine = plan::Engine::Any);

/// Appends the first half, which does not depend on engines.
void buildPreparation(mlir::OpPassManager &pm);
/// Appends the second half, which depends on `plan.engine`.
void buildForming(mlir::OpPassManager &pm);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_PASSES_H
