// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the schedule phase and the order in which they run.

#ifndef NACRE_COMPILER_SCHEDULE_PASSES_H
#define NACRE_COMPILER_SCHEDULE_PASSES_H

#include "dialects/plan/PlanDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <optional>

namespace nacre::schedule {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/schedule/Passes.h.inc"

struct Options {
  std::string target = "host", cpus; ///< As codegen::parseTargets reads them.
  int64_t alignment = 64;            ///< Of every storage, in bytes.
  /// That an entry may have in its arena, inputs and outputs; none: as many as it likes.
  std::optional<int64_t> mostBytes = std::nullopt;
};

/// Appends the phase to `pm`, which runs on a module.
void buildPipeline(mlir::OpPassManager &pm, const Options &options);

} // namespace nacre::schedule

#endif // NACRE_COMPILER_SCHEDULE_PASSES_H
