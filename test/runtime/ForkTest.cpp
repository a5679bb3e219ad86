// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  sessions, states and executors in a child process, by fork().
// Why:   a server loads a model and forks; the child has the memory of its parent, but none of its threads.
// How:   children do what they are to do and exit with its outcome; a crash or a child that waits for ever is a
//        failure.

#include "test/runtime/ToyModel.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace nacre::test {
namespace {

/// Runs `body` in a child. Returns the exit code that it gives, or -1 if a signal ends the child.
template <typename Body> int inChild(const Body &body) {
  std::fflush(nullptr); // else a child may write it, too
  const pid_t child = fork();
  if (child == 0) {
    alarm(60); // a child that waits for ever
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class ForkTest : public testing::TestWithParam<uint32_t> {
protected:
  ForkTest() {
    options.threads = GetParam();
    options.allocator = &allocator;
  }
  ~ForkTest() override {
    nacre_session_destroy(session);
    EXPECT_EQ(live, 0);
  }

  void create() {
    ASSERT_EQ(nacre_session_create(toy.model(), &options, &session), NACRE_OK);
    void *data = nullptr;
    ASSERT_EQ(nacre_session_input(session, 0, &data), NACRE_OK);
    for (int64_t i = 0; i < kRows * kColumns; ++i)
      static_cast<float *>(data)[i] = toyInput(i);
  }

  bool runsRight(int runs) {
    void *y = nullptr, *sum = nullptr;
    if (nacre_session_run(session) != NACRE_OK || nacre_session_output(session, 0, &y) != NACRE_OK ||
        nacre_session_output(session, 1, &sum) != NACRE_OK)
      return false;
    bool right = true;
    for (int64_t i = 0; i < kRows * kColumns; ++i)
      right &= static_cast<float *>(y)[i] == toyOutput(i);
    for (int64_t c = 0; c < kColumns; ++c)
      right &= static_cast<float *>(sum)[c] == toySum(c, runs);
    return right;
  }

  /// 0 where all memory is given back.
  int destroy() {
    nacre_session_destroy(session);
    session = nullptr;
    return live == 0 ? 0 : 2;
  }

  ToyModel toy;
  nacre_session *session = nullptr;
  nacre_session_options options = nacre_session_options_default();
  static inline std::atomic<int> live{0};
  const nacre_allocator allocator = {[](void *, size_t bytes, size_t alignment) -> void * {
                                       ++live;
                                       void *block = nullptr;
                                       return posix_memalign(&block, alignment, bytes) == 0 ? block : nullptr;
                                     },
                                     [](void *, void *block, size_t) {
                                       --live;
                                       free(block);
                                     },
                                     nullptr};
};

TEST_P(ForkTest, AChildDestroysTheSession) {
  create();
  EXPECT_EQ(inChild([&] { return destroy(); }), 0);
  ASSERT_TRUE(runsRight(1));
  EXPECT_EQ(inChild([&] { return destroy(); }), 0) << "after a run";
  EXPECT_TRUE(runsRight(2)) << "the parent's threads are as they were";
}

TEST_P(ForkTest, AChildRunsAlone) {
  create();
  ASSERT_TRUE(runsRight(1));
  EXPECT_EQ(inChild([&] {
              for (int run = 2; run < 20; ++run)
                if (!runsRight(run))
                  return 1;
              return destroy();
            }),
            0);
  EXPECT_TRUE(runsRight(2)) << "the child's state is its own";
}

TEST_P(ForkTest, AChildOfAChildDestroysTheSession) {
  create();
  EXPECT_EQ(inChild([&] { return inChild([&] { return runsRight(1) ? destroy() : 1; }) + destroy(); }), 0);
}

TEST_P(ForkTest, SharedThreadsAreLeftToTheParent) {
  ASSERT_EQ(nacre_executor_create(toy.model(), GetParam(), &allocator, &options.executor), NACRE_OK);
  create();
  EXPECT_EQ(inChild([&] {
              const bool right = runsRight(1);
              nacre_session_destroy(session);
              nacre_executor_destroy(toy.model(), options.executor);
              return right && live == 0 ? 0 : 1;
            }),
            0);
  EXPECT_TRUE(runsRight(1));
  nacre_session_destroy(session);
  session = nullptr;
  nacre_executor_destroy(toy.model(), options.executor);
}

TEST_P(ForkTest, AStateIsTheChildsOwnCopy) {
  ASSERT_EQ(nacre_state_create(toy.model(), &options, &options.state), NACRE_OK);
  create();
  ASSERT_TRUE(runsRight(1));
  EXPECT_EQ(inChild([&] {
              float total[kColumns];
              if (nacre_state_read(options.state, 0, total, sizeof total) != NACRE_OK || total[1] != toySum(1, 1))
                return 1;
              nacre_session_destroy(session);
              nacre_state_destroy(options.state);
              return live == 0 ? 0 : 2;
            }),
            0);
  EXPECT_TRUE(runsRight(2));
  nacre_session_destroy(session);
  session = nullptr;
  nacre_state_destroy(options.state);
}

nacre_kernel_function whole; // sum_1, which one thread computes
std::function<int()> during; // what a child does that is forked in it
int outcome = -2;

void forkOnce(const nacre_kernel_args *args, int64_t begin, int64_t end) {
  whole(args, begin, end);
  if (const std::function<int()> body = std::exchange(during, nullptr))
    outcome = inChild(body);
}

TEST_P(ForkTest, ARunThatIsInProgressIsTheParentsAlone) {
  whole = toy.variants[4].function;
  toy.variants[4].function = forkOnce;
  create();
  outcome = -2;
  during = [this] {
    if (nacre_session_run(session) != NACRE_FAILED)
      return 1;
    const std::string reason = nacre_session_reason(session);
    if (reason.find("began before a fork and never ends: create a new session") == std::string::npos)
      return 3;
    return destroy();
  };
  EXPECT_TRUE(runsRight(1));
  EXPECT_EQ(outcome, 0);
  EXPECT_TRUE(runsRight(2));
}

INSTANTIATE_TEST_SUITE_P(Threads, ForkTest, testing::Values(1, 2, 4, 16));

} // namespace
} // namespace nacre::test
