// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of an engine: blocks of the session's allocator that are released together.
// Why: only the device shows how much is needed. Wherever create stops, one call must release everything.
// How: memory comes from chunks and is never released singly. A failure is remembered, so that one check covers many
//      requests.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_MEMORY_POOL_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PLAN_MEMORY_POOL_H

#include "runtime/src/session_plan.h"

namespace nacre::runtime::gpu {

class MemoryPool {
public:
  explicit MemoryPool(const nacre_allocator &from) : allocator(from) {}

  /// Returns zeroed memory, aligned to NACRE_ALIGNMENT; nullptr if the allocator fails. After a failure, all later
  /// calls fail, too.
  void *take(uint64_t bytes);

  template <typename T> T *take_array(uint64_t count) { return static_cast<T *>(take(count * sizeof(T))); }

  /// True if the allocator has failed.
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

/// Sets the reason for a failed pool. Returns false.
bool refuse_memory(Reason &reason);

/// Common part of lists of all types, so that there is only one function that grows them.
struct AnyList {
  void *data;
  uint32_t count;
  uint32_t capacity;

protected:
  /// Inserts an item of `bytes` bytes before number `at`, if the pool has room.
  void insert_bytes(MemoryPool &pool, uint32_t at, const void *item, uint32_t bytes);
};

/// List of plain data that grows in a pool. If the pool fails, the list stays as it is; the caller checks the pool at
/// the end.
template <typename T> struct List : AnyList {
  /// Appends `item`, which may be an element of this list: appending moves no element, and the pool keeps the old
  /// array.
  void add(MemoryPool &pool, const T &item) { insert_bytes(pool, count, &item, sizeof item); }

  void insert(MemoryPool &pool, uint32_t at, const T &item) {
    const T copy = item; // It may be an element of this list.
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
