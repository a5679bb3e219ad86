// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates thread pools that sessions share.
// Why: an app with several models should not have several sets of threads.
// How: each pool is in its own block, together with the allocator that releases the block.

#include "runtime/src/allocator.h"
#include "runtime/src/big_cores.h"
#include "runtime/src/session.h"

namespace nacre::runtime {
namespace {

struct SharedPool {
  ThreadPool pool; // Must be first, because the executor's address is also the address of the block.
  nacre_allocator allocator;
};

} // namespace

nacre_status executor_create(uint32_t threads, const nacre_allocator *allocator_or_null,
                             nacre_executor **out_executor) {
  if (threads > kMaxThreads)
    return NACRE_BAD_ARGUMENT;
  if (threads == 0) {
    const uint32_t cores = count_big_cores("", allowed_cpus());
    threads = cores < kMaxThreads ? cores : kMaxThreads;
  }
  const nacre_allocator allocator = allocator_or_libc(allocator_or_null);
  Reason reason; // Not reported, because the caller only receives the status.
  nacre_status status = NACRE_OK;
  auto *shared = static_cast<SharedPool *>(allocate_block(allocator, sizeof(SharedPool), reason, status));
  if (!shared)
    return status;
  shared->allocator = allocator;
  if (!shared->pool.start(threads)) {
    allocator.release(allocator.user, shared, sizeof(SharedPool));
    return NACRE_FAILED;
  }
  *out_executor = &shared->pool.executor;
  return NACRE_OK;
}

void executor_destroy(nacre_executor *executor) {
  auto *shared = reinterpret_cast<SharedPool *>(executor);
  shared->pool.stop();
  const nacre_allocator allocator = shared->allocator;
  allocator.release(allocator.user, shared, sizeof(SharedPool));
}

} // namespace nacre::runtime
