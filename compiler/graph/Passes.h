// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the graph phase and the order in which they run.

#ifndef NACRE_COMPILER_GRAPH_PASSES_H
#define NACRE_COMPILER_GRAPH_PASSES_H

#include "dialects/nn/NnDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <optional>

namespace nacre::graph {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/graph/Passes.h.inc"

struct Options {
  /// The size limit of folded constants, in bytes; splats count as one element.
  int64_t maxConstantBytes = int64_t(1) << 30;
  bool narrowFloats = false; ///< Compute the model's f32 values in f16.
  int64_t mostKeys = 4096;   ///< The maximum number of keys of fused attention.
  bool fuseCodes = true;     ///< Whether attention of codes is fused: no GPU has a kernel for it.
  /// The sign of left operands of 8-bit contractions; nothing keeps the model's.
  std::optional<bool> unsignedLeft;
};

/// Appends the phase to `pm`, which runs on a module.
void buildPipeline(mlir::OpPassManager &pm, const Options &options);

/// Appends passes on functions that rewrite operators without gradients (recurrent layers, quantizations) to operators with gradients.
void buildExpansion(mlir::OpPassManager &pm);

/// Registers the phase as the pipeline `nacre-graph`.
void registerPipeline();

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_PASSES_H
