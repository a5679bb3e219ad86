// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  one launch on the CPU: where its storages are, which units it has, and their execution.
// Why:   the CPU computes whole launches in the session's block, or its share of them in memory that it has in common
//        with another engine; both are the same code.
// How:   what does not change from run to run is prepared at create; a run resolves operands and hands units out.

#ifndef NACRE_RUNTIME_SRC_LAUNCH_H
#define NACRE_RUNTIME_SRC_LAUNCH_H

#include "runtime/include/nacre/model_format.h"

namespace nacre::runtime {

struct Session;

/// An input or output: the session's own bytes, and those in use, which may be the caller's.
struct Buffer {
  char *own;
  char *used;
};

/// Where a run finds the storages, weights apart.
struct Memory {
  Buffer *inputs;
  Buffer *outputs;
  char *state;
  char *arena;
};

/// What create knows of a launch, so that run need not ask again.
struct Launch {
  nacre_kernel_function function;
  int64_t units;
  int64_t parts; // that threads share; one where they would not pay
  int64_t share_begin;
  int64_t share_end;
};

Launch prepare_launch(const nacre_cpu_variant &variant, int64_t share_begin, int64_t share_end, uint32_t threads);

/// Where an operand begins in the first iteration of its loop.
char *address_of(const Session &session, const Memory &memory, const nacre_operand &operand);

/// Computes the launch's share, in iteration `iteration` of the innermost loop around it.
void run_launch(const Session &session, const Memory &memory, const nacre_step &step, const Launch &launch,
                int64_t iteration);

/// As above, with the operands' addresses already in session.pointers.
void run_resolved(const Session &session, const Launch &launch, int64_t iteration);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_LAUNCH_H
