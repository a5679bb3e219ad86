// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes one launch on the CPU: locates its storages and computes its units.
// Why: the CPU computes whole launches in the session's block, or its shares of launches in memory that it has in
//      common with the GPU. Both use this code.
// How: values that do not change from run to run are prepared at create. A run resolves operands and distributes units.

#ifndef NACRE_RUNTIME_SRC_LAUNCH_H
#define NACRE_RUNTIME_SRC_LAUNCH_H

#include "runtime/include/nacre/model_format.h"

namespace nacre::runtime {

struct Session;

/// Buffers of an input or output: the session's own, and the one in use, which may be the caller's.
struct Buffer {
  char *own;
  char *used;
};

/// Storages of a run, except weights.
struct Memory {
  Buffer *inputs;
  Buffer *outputs;
  char *state;
  char *arena;
};

/// Values of a launch that are computed at create.
struct Launch {
  nacre_kernel_function function;
  int64_t units;
  int64_t parts; // Number of parts that threads share; 1 if one thread would be as fast.
  int64_t share_begin;
  int64_t share_end;
};

Launch prepare_launch(const nacre_cpu_variant &variant, int64_t share_begin, int64_t share_end, uint32_t threads);

/// Returns the address of an operand in the first iteration of its loop.
char *address_of(const Session &session, const Memory &memory, const nacre_operand &operand);

/// Computes the launch's share in iteration `iteration` of the innermost loop around it.
void run_launch(const Session &session, const Memory &memory, const nacre_step &step, const Launch &launch,
                int64_t iteration);

/// Like run_launch(), but the operands' addresses are already in `session.pointers`.
void run_resolved(const Session &session, const Launch &launch, int64_t iteration);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_LAUNCH_H
