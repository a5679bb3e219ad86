// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The caller's allocator, or libc's in its stead.
// Why: sessions and executors each take one block; both must refuse a bad one alike.
// How: a block that is not aligned as asked is given back: better refused here than a crash in a kernel.

#ifndef NACRE_RUNTIME_SRC_ALLOCATOR_H
#define NACRE_RUNTIME_SRC_ALLOCATOR_H

#include "runtime/src/session_plan.h"

namespace nacre::runtime {

nacre_allocator allocator_or_libc(const nacre_allocator *allocator);

/// Allocates one block aligned to NACRE_ALIGNMENT. On failure, returns nullptr and sets the status and the reason.
void *allocate_block(const nacre_allocator &allocator, uint64_t bytes, Reason &reason, nacre_status &status);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_ALLOCATOR_H
