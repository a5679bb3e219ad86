// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements allocator.h. The default allocator wraps functions of libc.

#include "runtime/src/allocator.h"
#include "runtime/src/platform.h"

namespace nacre::runtime {
namespace {

void *allocate_from_libc(void *, size_t bytes, size_t alignment) { return allocate_aligned(bytes, alignment); }
void release_to_libc(void *, void *block, size_t) { release_aligned(block); }

} // namespace

nacre_allocator allocator_or_libc(const nacre_allocator *allocator) {
  return allocator ? *allocator : nacre_allocator{allocate_from_libc, release_to_libc, nullptr};
}

void *allocate_block(const nacre_allocator &allocator, uint64_t bytes, Reason &reason, nacre_status &status) {
  void *block = allocator.allocate(allocator.user, bytes, NACRE_ALIGNMENT);
  if (!block) {
    reason << "the allocator refused a block of " << bytes << " bytes";
    status = NACRE_OUT_OF_MEMORY;
    return nullptr;
  }
  if (reinterpret_cast<uintptr_t>(block) % NACRE_ALIGNMENT != 0) {
    allocator.release(allocator.user, block, bytes);
    reason << "the allocator must align blocks to the " << uint64_t(NACRE_ALIGNMENT) << " requested bytes, but did not";
    status = NACRE_BAD_ARGUMENT;
    return nullptr;
  }
  return block;
}

} // namespace nacre::runtime
