// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives access to the caller's allocator, or to libc's as the default.
// Why: sessions and executors each allocate one block, and must reject a misaligned block in the same way.
// How: a block with the wrong alignment is released and reported. Otherwise a kernel would crash later.

#ifndef NACRE_RUNTIME_SRC_ALLOCATOR_H
#define NACRE_RUNTIME_SRC_ALLOCATOR_H

#include "runtime/src/session_plan.h"

namespace nacre::runtime {

nacre_allocator allocator_or_libc(const nacre_allocator *allocator);

/// Allocates one block aligned to NACRE_ALIGNMENT. On failure, returns nullptr and sets the status and the reason.
void *allocate_block(const nacre_allocator &allocator, uint64_t bytes, Reason &reason, nacre_status &status);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_ALLOCATOR_H
