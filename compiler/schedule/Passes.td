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
    At first, launches have the order in which training was derived: max pooling's codes for the gradient come after all layers,
    sums for biases after all gradients. The values they read stay alive until then. Each launch moves to the position that
    shortens lifetimes most. The new order is used if the peak falls by a sixteenth. Entries that write no state keep their order.

    Requires: launches work on storages (`memref`s).

    If the GPU computes all of an entry that reads or writes a state, launches that it may compute at the same time are then put next to
    one another (`compiler/schedule/SideBySide.h`): the GPU waits less often, and small launches run while large ones do.
    `plan.side_by_side` tells `nacre-plan-arena` that these share no bytes. With `short` memory counts more.

    Ensures: steps that touch one storage, one of them writing it, are in the order in which they were; other operations come before
    them. No launch that writes the state gets before a loop that may be endless.

    Example: test/compiler/schedule/order-launches.mlir; `@code` reads `%x` and moves before launches that do not need `%x`.
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
  let summary = "Recompute values instead of keeping them, until memory is within the limit";
  let description = [{
    A training step keeps values of each layer for the backward pass. With a memory cap, some of them are recomputed there by the
    same launches: maps, normalizations and poolings are cheap compared with products, and give the same bits. Operands packed
    before a loop are packed in each iteration instead. At the peak, the pass first recomputes the value that is cheapest per
    byte (`compiler/schedule/Recomputation.h`).

    The pass is in this phase because lifetimes, sizes and kernels are known only here.

    Requires: launches work on storages (`memref`s), with their ranges.

    Ensures: the arena, the inputs and the outputs of each entry have `most-bytes` at most, or as few as were found; a launch that runs
    again is named after its node, with `again`.

    Example: test/compiler/schedule/recompute-values.mlir; a map of a value that stays alive is recomputed.
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

    Steps are numbered in order, including bodies of loops and branches of conditionals. A value that an iteration may read from
    an earlier one, or that is accessed outside of the loop, stays alive for all iterations.

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
    its ranges and names a kernel whose arguments it matches; the GPU has no share of a kernel that it has no code for, nor of launches
    whose number is decided at run time.

    Example: test/compiler/schedule/verify-schedule-invalid.mlir; refused, with a note that names nacre-plan-arena.
  }];
}

#endif // NACRE_COMPILER_SCHEDULE_PASSES
