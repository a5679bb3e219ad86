// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements memory_pool.h. A chunk has the size of the request that needs it, but at least 64 KiB.

#include "runtime/src/gpu_vulkan/plan/memory_pool.h"

namespace nacre::runtime::gpu {

void *MemoryPool::take(uint64_t bytes) {
  bytes = aligned(bytes);
  if (bytes > left && !grow(bytes))
    return nullptr;
  char *block = next;
  next += bytes;
  left -= bytes;
  __builtin_memset(block, 0, bytes);
  return block;
}

void MemoryPool::release() {
  const nacre_allocator from = allocator; // Copied, because the pool may be in one of its own chunks.
  for (Chunk *chunk = chunks; chunk;) {
    Chunk *before = chunk->before;
    from.release(from.user, chunk, chunk->bytes);
    chunk = before;
  }
}

bool MemoryPool::grow(uint64_t bytes) {
  constexpr uint64_t least = 64 * 1024;
  const uint64_t size = sizeof(Chunk) + (bytes < least ? least : bytes);
  auto *chunk = has_failed ? nullptr : static_cast<Chunk *>(allocator.allocate(allocator.user, size, NACRE_ALIGNMENT));
  if (!chunk) {
    has_failed = true;
    return false;
  }
  *chunk = {chunks, size};
  chunks = chunk;
  next = reinterpret_cast<char *>(chunk + 1);
  left = size - sizeof(Chunk);
  return true;
}

bool refuse_memory(Reason &reason) {
  reason << "the allocator refused memory for the GPU";
  return false;
}

void AnyList::insert_bytes(MemoryPool &pool, uint32_t at, const void *item, uint32_t bytes) {
  const uint64_t used = uint64_t(count) * bytes, before = uint64_t(at) * bytes;
  if (count == capacity) {
    const uint32_t larger = capacity ? 2 * capacity : 16;
    void *moved = pool.take(uint64_t(larger) * bytes);
    if (!moved)
      return;
    if (used)
      __builtin_memcpy(moved, data, used);
    data = moved;
    capacity = larger;
  }
  char *place = static_cast<char *>(data) + before;
  __builtin_memmove(place + bytes, place, used - before);
  __builtin_memcpy(place, item, bytes);
  ++count;
}

} // namespace nacre::runtime::gpu
