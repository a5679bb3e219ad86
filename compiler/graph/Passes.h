// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the graph phase, and their order.

#ifndef NACRE_COMPILER_GRAPH_PASSES_H
#define NACRE_COMPILER_GRAPH_PASSES_H

#include "dialects/nn/NnDialect.h"
#include "dialects/plan/FloatStorage.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <optional>

namespace nacre::graph {

#define GEN_PASS_DECL
#include "compiler/graph/Passes.h.inc"

struct Options {
  /// Size limit of folded constants in bytes. A splat counts as one element.
  int64_t maxConstantBytes = int64_t(1) << 30;
  /// True if f32 values are stored as f16 in functions that a GPU may compute.
  bool narrowsForGpu = false;
  /// Storage type of f32 values in functions that only the CPU computes.
  FloatStorage storageOfCpu = FloatStorage::F32;
  /// Sign of the left operands of 8-bit contractions; `nullopt` keeps those of the model.
  std::optional<bool> unsignedLeft;
};

/// Appends the phase to `pm`, which runs on a module.
void buildPipeline(mlir::OpPassManager &pm, const Options &options);

/// Appends passes on functions that rewrite operators without gradients (recurrent layers, quantizations) to operators
/// with gradients.
void buildExpansion(mlir::OpPassManager &pm);

/// Registers the phase as the pipeline `nacre-graph`.
void registerPipeline();

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_PASSES_H
