// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the passes of the schedule phase, and the order in which they run.

#ifndef NACRE_COMPILER_SCHEDULE_PASSES_H
#define NACRE_COMPILER_SCHEDULE_PASSES_H

#include "dialects/plan/PlanDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <optional>

namespace nacre::schedule {

#define GEN_PASS_DECL
#include "compiler/schedule/Passes.h.inc"

struct Options {
  std::string target = "host", cpus; ///< Target and CPUs, in the form that codegen::parseTargets reads.
  int64_t alignment = 64;            ///< Alignment of every storage, in bytes.
  /// Limit of the total size of an entry's arena, inputs and outputs in bytes; `nullopt` for no limit.
  std::optional<int64_t> mostBytes = std::nullopt;
};

/// Appends the phase to `pm`, a pipeline on modules.
void buildPipeline(mlir::OpPassManager &pm, const Options &options);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_PASSES_H
