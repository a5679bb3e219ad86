// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the graph phase and the order in which they run.

#ifndef NACRE_COMPILER_GRAPH_PASSES_H
#define NACRE_COMPILER_GRAPH_PASSES_H

#include "dialects/nn/NnDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace nacre::graph {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/graph/Passes.h.inc"

struct Options {
  /// The largest constant that folding may make, in bytes; splats count as one element.
  int64_t maxConstantBytes = int64_t(1) << 30;
  bool narrowFloats = false; ///< Compute in f16 what the model has in f32.
  int64_t mostKeys = 4096;   ///< Of attention as one operator.
};

/// Appends the phase to `pm`, which runs on a module.
void buildPipeline(mlir::OpPassManager &pm, const Options &options);

/// Appends what writes operators that have no gradients of their own, recurrent layers, as those that have, in a function.
void buildExpansion(mlir::OpPassManager &pm);

/// Registers the phase as the pipeline `nacre-graph`.
void registerPipeline();

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_PASSES_H
