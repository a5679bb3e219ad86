// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory for what an engine keeps: blocks of the session's allocator, given back all at once.
// Why: how much is needed shows only on the device; and whatever create stops at, one call must undo it.
// How: taken from chunks, never given back singly; a refusal is remembered, so that one check covers many requests.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_MEMORY_POOL_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_MEMORY_POOL_H

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

/// Says that a pool has failed; false.
bool refuse_memory(Reason &reason);

/// What lists of all types have in common, so that there is one function that lets them grow.
struct AnyList {
  void *data;
  uint32_t count;
  uint32_t capacity;

protected:
  /// Puts an item of `bytes` before number `at`, if the pool has room for it.
  void insert_bytes(MemoryPool &pool, uint32_t at, const void *item, uint32_t bytes);
};

/// A list of plain data that grows in a pool. Where the pool refuses, it stays as it is: ask the pool at the end.
template <typename T> struct List : AnyList {
  /// `item` may be an element of this list: nothing moves at its end, and a pool keeps what a list has grown out of.
  void add(MemoryPool &pool, const T &item) { insert_bytes(pool, count, &item, sizeof item); }

  void insert(MemoryPool &pool, uint32_t at, const T &item) {
    const T copy = item; // may be an element of this list
    insert_bytes(pool, at, &copy, sizeof copy);
  }

  T &operator[](uint32_t i) { return begin()[i]; }
  const T &operator[](uint32_t i) const { return begin()[i]; }
  T *begin() { return static_cast<T *>(data); }
  T *end() { return begin() + count; }
  const T *begin() const { return static_cast<const T *>(data); }
  const T *end() const { return begin() + count; }
};

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_MEMORY_POOL_H
