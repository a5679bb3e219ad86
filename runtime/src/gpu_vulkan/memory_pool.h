// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  memory for what an engine keeps: blocks of the session's allocator, given back all at once.
// Why:   how much is needed shows only on the device; and whatever create stops at, one call must undo it.
// How:   taken from chunks, never given back singly; a refusal is remembered, so that one check covers many requests.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_MEMORY_POOL_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_MEMORY_POOL_H

#include "runtime/src/session_plan.h"

namespace nacre::runtime::gpu {

class MemoryPool {
public:
  explicit MemoryPool(const nacre_allocator &from) : allocator(from) {}

  /// Zeros, aligned to NACRE_ALIGNMENT; nullptr, once and for all, where the allocator refuses.
  void *take(uint64_t bytes);

  template <typename T> T *take_array(uint64_t count) { return static_cast<T *>(take(count * sizeof(T))); }

  /// Whether the allocator has refused.
  bool failed() const { return has_failed; }

  void release();

private:
  struct alignas(NACRE_ALIGNMENT) Chunk {
    Chunk *before;
    uint64_t bytes;
  };

  bool grow(uint64_t bytes);

  nacre_allocator allocator;
  Chunk *chunks = nullptr;
  char *next = nullptr;
  uint64_t left = 0;
  bool has_failed = false;
};

/// A list of plain data that grows in a pool. Where the pool refuses, it stays as it is: ask the pool at the end.
template <typename T> struct List {
  T *items;
  uint32_t count;
  uint32_t capacity;

  void add(MemoryPool &pool, const T &item) { insert(pool, count, item); }

  void insert(MemoryPool &pool, uint32_t at, const T &item) {
    if (count == capacity) {
      const uint32_t larger = capacity ? 2 * capacity : 16;
      T *moved = pool.take_array<T>(larger);
      if (!moved)
        return;
      if (count)
        __builtin_memcpy(moved, items, count * sizeof(T));
      items = moved;
      capacity = larger;
    }
    const T copy = item; // may be an element of this list
    __builtin_memmove(items + at + 1, items + at, (count - at) * sizeof(T));
    items[at] = copy;
    ++count;
  }

  T &operator[](uint32_t i) { return items[i]; }
  const T &operator[](uint32_t i) const { return items[i]; }
  T *begin() { return items; }
  T *end() { return items + count; }
  const T *begin() const { return items; }
  const T *end() const { return items + count; }
};

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_MEMORY_POOL_H
