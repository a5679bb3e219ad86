/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Threads that sessions share: the runtime's, or an app's own pool. nacre/runtime.h includes this.
 *
 * Memory, errors and units are as in nacre/runtime.h.
 */
#ifndef NACRE_EXECUTOR_H
#define NACRE_EXECUTOR_H

#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Computes a part of a launch, the units [begin, end), on thread number `thread` of the executor. */
typedef void (*nacre_task)(void *context, uint32_t thread, int64_t begin, int64_t end);

/**
 * Threads that sessions share. nacre_executor_create creates one; an app with its own thread pool can fill the struct
 * itself.
 *
 * `run` splits [0, units) into parts of `grain` units and calls the task once for each part, from at most `threads`
 * threads, numbered from 0. No two threads use the same number at a time. It returns when all parts are done. Several
 * sessions may call it at once.
 */
struct nacre_executor {
  uint32_t struct_size; /**< sizeof(nacre_executor) */
  uint32_t threads;     /**< At least 1: the calling thread counts. */
  /** Must not be NULL. */
  void (*run)(struct nacre_executor *executor, nacre_task task, void *context, int64_t units, int64_t grain);
};

/**
 * Starts threads that sessions of any model can share; `threads` as in the options. While a launch of one session uses
 * them, launches of another use only its calling thread. The model's .so must stay loaded until the executor is destroyed.
 * NACRE_OUT_OF_MEMORY, NACRE_FAILED: as for nacre_session_create.
 */
static inline nacre_status nacre_executor_create(const nacre_model *model, uint32_t threads,
                                                 const nacre_allocator *allocator, nacre_executor **out_executor) {
  return out_executor ? model->functions->executor_create(threads, allocator, out_executor) : NACRE_BAD_ARGUMENT;
}

/**
 * Joins the threads of an executor, which nacre_executor_create returned for the same model. No session may use it any
 * more. NULL is allowed.
 */
static inline void nacre_executor_destroy(const nacre_model *model, nacre_executor *executor) {
  if (executor)
    model->functions->executor_destroy(executor);
}

#ifdef __cplusplus
}
#endif

#endif /* NACRE_EXECUTOR_H */
