// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sessions of the toy model, with an allocator that counts.

#ifndef NACRE_TEST_RUNTIME_SESSION_TOYSESSION_H
#define NACRE_TEST_RUNTIME_SESSION_TOYSESSION_H

#include "test/runtime/ToyModel.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace nacre::test {

/// Counts what it gives, and refuses or gives badly aligned blocks if a test wants it.
struct CountingAllocator {
  nacre_allocator allocator = {allocate, release, this};
  size_t allocations = 0, live = 0, lastBytes = 0;
  bool refuses = false;
  size_t misalignment = 0;

  static void *allocate(void *user, size_t bytes, size_t alignment) {
    auto *self = static_cast<CountingAllocator *>(user);
    if (self->refuses)
      return nullptr;
    ++self->allocations;
    self->live += bytes;
    self->lastBytes = bytes;
    void *block = nullptr;
    return posix_memalign(&block, alignment, bytes + alignment) == 0 ? static_cast<char *>(block) + self->misalignment
                                                                     : nullptr;
  }
  static void release(void *user, void *block, size_t bytes) {
    auto *self = static_cast<CountingAllocator *>(user);
    self->live -= bytes;
    free(static_cast<char *>(block) - self->misalignment);
  }
};

/// A session of the toy model, which tests may bend before they create it.
class ToySession : public testing::Test {
protected:
  ~ToySession() override {
    nacre_session_destroy(session);
    EXPECT_EQ(memory.live, 0u);
  }

  nacre_status create(uint32_t threads) {
    options.threads = threads;
    options.allocator = &memory.allocator;
    options.reason = reason;
    options.reason_capacity = sizeof reason;
    return nacre_session_create(toy.model(), &options, &session);
  }

  float *input() { return locate(nacre_session_input_named, "x"); }
  float *output() { return locate(nacre_session_output_named, "y"); }
  float *sum() { return locate(nacre_session_output_named, "sum"); }

  float *locate(nacre_status (*find)(nacre_session *, const char *, void **), const char *name) {
    void *data = nullptr;
    EXPECT_EQ(find(session, name, &data), NACRE_OK);
    return static_cast<float *>(data);
  }

  void fill(float *x) {
    for (int64_t i = 0; i < kRows * kColumns; ++i)
      x[i] = toyInput(i);
  }

  void expectOutput(const float *y) {
    for (int64_t i = 0; i < kRows * kColumns; ++i)
      ASSERT_EQ(y[i], toyOutput(i)) << i;
  }

  ToyModel toy;
  CountingAllocator memory;
  nacre_session_options options = nacre_session_options_default();
  char reason[256] = "";
  nacre_session *session = nullptr;
};

} // namespace nacre::test

#endif // NACRE_TEST_RUNTIME_SESSION_TOYSESSION_H
