// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the schedule phase, in the order they run. docs/phases/schedule.md
//
// Reads:  plan entries on storages, every launch with its ranges.
// Writes: the same with an offset for every temporary.

#ifndef NACRE_COMPILER_SCHEDULE_PASSES
#define NACRE_COMPILER_SCHEDULE_PASSES

include "mlir/Pass/PassBase.td"

def OrderLaunchesPass : Pass<"nacre-order-launches", "::nacre::plan::EntryOp"> {
  let summary = "Order the launches of an entry that trains so that less memory is alive at once";
  let description = [{
    Launches stand in the order in which training was derived: a maximum's codes, of which the gradient is made, behind all
    layers, sums for biases behind all gradients. What they read stays alive as long. Each is put where what it touches lives
    shortest; the order is kept if the most that is alive at once falls by a sixteenth. Entries that write no state keep their order.

    Requires: launches work on storages (`memref`s).

    Ensures: steps that touch one storage, one of them writing it, are in the order in which they were; other operations come before
    them. No launch that writes the state gets before a loop that may be endless.

    Example: test/compiler/schedule/order-launches.mlir; `@code` reads `%x` and is put before what needs `%x` no more.
  }];
  let options = [
    Option<"isShort", "short", "bool", /*default=*/"false",
           "Keep the order also where the most that is alive at once is the same: what is computed again later lets other steps be the worst">,
  ];
  let statistics = [
    Statistic<"numEntries", "num-entries", "Number of entries in another order">,
  ];
}

def RecomputeValuesPass : Pass<"nacre-recompute-values", "::mlir::ModuleOp"> {
  let summary = "Compute again what was kept for later, until memory is no more than what is allowed";
  let description = [{
    A step of training keeps of each layer what its way back reads. Under a cap, some of it is computed again there, by the same launches:
    maps, normalizations and poolings cost little beside the products around them, and the bits are the same. Operands in panels that
    were made in front of a loop are made in each of its turns. What takes the least time for each byte comes first, where most is
    alive (`compiler/schedule/Recomputation.h`).

    Here, because only here it is known what is alive and for how long, in which bytes, and in which kernels.

    Requires: launches work on storages (`memref`s), with their ranges.

    Ensures: the arena, the inputs and the outputs of each entry have `most-bytes` at most, or as few as were found; a launch that runs
    again is named after its node, with `again`.

    Example: test/compiler/schedule/recompute-values.mlir; a map of what is kept anyway is computed again.
  }];
  let options = [
    Option<"mostBytes", "most-bytes", "int64_t", /*default=*/"0", "What an entry's arena, inputs and outputs may have, in bytes">,
    Option<"alignment", "alignment", "int64_t", /*default=*/"64",
           "Alignment of every storage, in bytes; a power of two, as nacre-plan-arena has it">,
    Option<"target", "target", "std::string", /*default=*/"\"host\"",
           "Operating system: host, linux-x86_64, linux-arm64, android-arm64 or android-x86_64">,
    Option<"cpu", "cpu", "std::string", /*default=*/"\"\"",
           "LLVM's names of the CPUs, separated by commas; empty for the target's default">,
  ];
  let statistics = [
    Statistic<"numAgain", "num-again", "Number of launches that run again">,
    Statistic<"numMoved", "num-moved", "Number of launches that were moved into a loop">,
  ];
}

def PlanArenaPass : Pass<"nacre-plan-arena", "::nacre::plan::EntryOp"> {
  let summary = "Place every temporary storage at a fixed offset of one arena";
  let description = [{
    Two storages may share bytes when no step of the schedule needs both. The peak is therefore known when the model is
    compiled, and the runtime never allocates during inference.

    Steps are numbered as they stand, bodies of loops and branches of conditionals included. What a turn of a loop may read
    of an earlier one, or what something outside the loop touches, stays alive for all its turns.

    Requires: launches work on storages (`memref`s).

    Ensures: every `plan.storage temporary` that a step touches has an `offset`, others are erased; the entry has `arena_bytes`.

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
    its ranges and names a kernel whose arguments it matches; the GPU has no share of a kernel that it has no code for, nor of what a run
    decides how often to launch.

    Example: test/compiler/schedule/verify-schedule-invalid.mlir; refused, with a note that names nacre-plan-arena.
  }];
}

#endif // NACRE_COMPILER_SCHEDULE_PASSES
