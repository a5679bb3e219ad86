// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the schedule phase, in the order they run. docs/phases/schedule.md
//
// Reads:  plan entries on storages, every launch with its ranges.
// Writes: the same with an offset for every temporary.

#ifndef NACRE_COMPILER_SCHEDULE_PASSES
#define NACRE_COMPILER_SCHEDULE_PASSES

include "mlir/Pass/PassBase.td"

def PlanArenaPass : Pass<"nacre-plan-arena", "::nacre::plan::EntryOp"> {
  let summary = "Place every temporary storage at a fixed offset of one arena";
  let description = [{
    Two storages may share bytes when no step of the schedule needs both. The peak is therefore known when the model is
    compiled, and the runtime never allocates during inference.

    A step is a launch, or a whole `plan.for`: what a loop touches stays alive for all its turns, because a later turn may
    read what an earlier one wrote.

    Requires: launches work on storages (`memref`s).

    Ensures: every `plan.storage temporary` that a launch touches has an `offset`, others are erased; the entry has `arena_bytes`.

    Example: test/compiler/schedule/plan-arena.mlir; `%a` dies before `%c` is born, so they share offset 0.
  }];
  let options = [
    Option<"alignment", "alignment", "int64_t", /*default=*/"64",
           "Alignment of every storage, in bytes; a power of two. GPUs may ask for 256">,
  ];
  let statistics = [
    Statistic<"numStorages", "num-storages", "Number of storages placed">,
    Statistic<"arenaBytes", "arena-bytes", "Arena bytes, over all entries">,
  ];
}

def VerifySchedulePass : Pass<"nacre-verify-schedule", "::mlir::ModuleOp"> {
  let summary = "Check what the schedule phase promises to codegen and package";
  let description = [{
    Requires: nothing.

    Ensures: every temporary has an offset inside its entry's arena, on which no storage alive at the same step lies; every launch has
    its ranges and names a kernel whose arguments it matches; the GPU has no share of a kernel that it has no code for.

    Example: test/compiler/schedule/verify-schedule-invalid.mlir; refused, with a note that names nacre-plan-arena.
  }];
}

#endif // NACRE_COMPILER_SCHEDULE_PASSES
