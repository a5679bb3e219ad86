// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of an engine: blocks of the session's allocator that are released together.
// Why: the size that is needed depends on the device. If create fails at any point, one call must release everything.
// How: requests are served from chunks, and single requests are never released. The pool remembers a failure, so that
//      one check covers many requests.

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

/// Sets `reason` to the text for a failed pool. Returns false.
bool refuse_memory(Reason &reason);

/// Base of lists of all types, so that only one function grows lists.
struct AnyList {
  void *data;
  uint32_t count;
  uint32_t capacity;

protected:
  /// Inserts an item of `bytes` bytes before the item with index `at`, unless the pool fails.
  void insert_bytes(MemoryPool &pool, uint32_t at, const void *item, uint32_t bytes);
};

/// List of plain data that grows in a pool. If the pool fails, the list stays unchanged. The caller checks the pool at
/// the end.
template <typename T> struct List : AnyList {
  /// Appends `item`, which may be an element of this list: appending moves no element, and the pool keeps the old
  /// array.
  void add(MemoryPool &pool, const T &item) { insert_bytes(pool, count, &item, sizeof item); }

  void insert(MemoryPool &pool, uint32_t at, const T &item) {
    const T copy = item; // `item` may be an element of this list, which moves.
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
