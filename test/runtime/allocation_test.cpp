// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  proves that a run makes no allocation, on any thread, nor does the switch to another entry.
// Why:   it is promised in nacre/runtime.h, and an allocation is a lock, a page fault or a failure in an app's hot
//        path.
// How:   this program defines malloc and its kin itself and counts the calls; sanitizers have the same idea, so it is
//        not built with them.

#include "test/runtime/ToyModel.h"

#include <atomic>
#include <cstdio>
#include <cstring>

extern "C" {
void *__libc_malloc(size_t);
void __libc_free(void *);
void *__libc_memalign(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_calloc(size_t, size_t);
}

static std::atomic<long> calls;

extern "C" {
void *malloc(size_t bytes) { return ++calls, __libc_malloc(bytes); }
void free(void *block) { ++calls, __libc_free(block); }
void *calloc(size_t count, size_t bytes) { return ++calls, __libc_calloc(count, bytes); }
void *realloc(void *block, size_t bytes) { return ++calls, __libc_realloc(block, bytes); }
int posix_memalign(void **block, size_t alignment, size_t bytes) {
  ++calls;
  *block = __libc_memalign(alignment, bytes);
  return *block ? 0 : 12;
}
}

/// True if the outputs of the session's entry are right.
static bool isRight(nacre_session *session) {
  void *y = nullptr;
  if (nacre_session_output_named(session, "y", &y) != NACRE_OK)
    return false;
  for (int64_t i = 0; i < nacre::test::kRows * nacre::test::kColumns; ++i)
    if (static_cast<const float *>(y)[i] != nacre::test::toyOutput(i))
      return false;
  return true;
}

/// Fills the inputs of both entries.
static bool fill(nacre_session *session) {
  for (uint32_t entry = 0; entry < 2; ++entry) {
    void *x = nullptr;
    if (nacre_session_use(session, entry) != NACRE_OK || nacre_session_input_named(session, "x", &x) != NACRE_OK)
      return false;
    for (int64_t i = 0; i < nacre::test::kRows * nacre::test::kColumns; ++i)
      static_cast<float *>(x)[i] = nacre::test::toyInput(i);
  }
  return true;
}

int main() {
  nacre::test::ToyModel toy;
  nacre_session_options options = nacre_session_options_default();
  options.threads = 3;
  options.profile = 1;
  options.all_entries = 1;
  nacre_session *session = nullptr;
  const long before = calls;
  if (nacre_session_create(toy.model(), &options, &session) != NACRE_OK || calls == before) {
    std::puts("failed: create made no allocation, so the count cannot be trusted");
    return 1;
  }
  if (!fill(session))
    return 1;
  const long created = calls;
  for (int run = 0; run < 100; ++run)
    if (nacre_session_use(session, run % 2) != NACRE_OK || nacre_session_run(session) != NACRE_OK ||
        !isRight(session)) {
      std::printf("failed: run %d: %s\n", run, nacre_session_reason(session));
      return 1;
    }
  const long inRuns = calls - created;
  nacre_session_destroy(session);
  std::printf("%ld allocations in 100 runs\n", inRuns);
  return inRuns == 0 ? 0 : 1;
}
