// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  threads that run sessions of one state, on the GPU and on the CPU, destroy them, save the state, copy it and
//        load files.
// Why:   the newest data of a state may be with a session that another thread destroys at the same time.
// How:   a run adds 1 to all elements of some rows, so that every state is that after a number of runs, and a whole
//        one.

#include "test/runtime/gpu_vulkan/state/GpuKeptState.h"

#include <atomic>
#include <cstdio>
#include <string>
#include <thread>

namespace nacre::test {
namespace {

struct GpuStateThreadsTest : GpuKeptState {
  static constexpr int kTurns = 5, kSaves = 6; // a disk may need 50 ms for a save

  GpuStateThreadsTest() {
    std::fill(std::begin(toy.scale), std::end(toy.scale), 1.0f);
    options.log = nullptr;
    options.reason = nullptr;
    EXPECT_EQ(nacre_state_create(toy.model(), nullptr, &shared), NACRE_OK);
  }
  ~GpuStateThreadsTest() override { std::remove(path.c_str()); }

  /// The number of runs that lead to this state; fails if it is not that after whole runs.
  static float runsOf(nacre_state *state) {
    Rows rows;
    const nacre_status status = nacre_state_read(state, 0, rows.data(), kStateBytes);
    EXPECT_EQ(status, NACRE_OK) << nacre_state_reason(state);
    for (size_t i = 0; i < rows.size(); ++i)
      if (rows[i] != (i < kWritten * kColumns ? rows[0] : 0)) {
        ADD_FAILURE() << "element " << i << " is " << rows[i] << ", but the first one is " << rows[0];
        break;
      }
    return rows[0];
  }

  /// Calls until no other thread has the state. Counts the calls that were refused.
  template <typename Call> nacre_status insist(Call call) {
    nacre_status status;
    while ((status = call()) == NACRE_BAD_ARGUMENT) {
      ++refused;
      std::this_thread::yield();
    }
    return status;
  }

  void train(nacre_gpu_choice use) {
    nacre_session_options own = options;
    own.state = shared;
    own.gpu = use;
    for (int turn = 0; turn < kTurns; ++turn) {
      nacre_session *trainer = nullptr;
      ASSERT_EQ(nacre_session_create(toy.model(), &own, &trainer), NACRE_OK);
      nacre_session_info info;
      ASSERT_EQ(nacre_session_describe(trainer, &info), NACRE_OK);
      ASSERT_EQ(info.device[0] == 0, use == NACRE_GPU_NEVER);
      for (int run = 0; run < 1 + turn % 5; ++run) {
        ASSERT_EQ(insist([&] { return nacre_session_run(trainer); }), NACRE_OK) << nacre_session_reason(trainer);
        ++done;
      }
      nacre_session_destroy(trainer); // which may have the newest data
    }
  }

  void keep() {
    nacre_state *copy = nullptr;
    ASSERT_EQ(nacre_state_create(toy.model(), nullptr, &copy), NACRE_OK);
    float seen = 0;
    for (int saves = 0; trainers > 0;) {
      if (saves++ < kSaves) {
        ASSERT_EQ(insist([&] { return nacre_state_save(shared, path.c_str(), NACRE_STATE_ALL); }), NACRE_OK)
            << nacre_state_reason(shared);
        ASSERT_EQ(nacre_state_load(copy, path.c_str(), NACRE_STATE_ALL), NACRE_OK) << nacre_state_reason(copy);
      } else {
        ASSERT_EQ(insist([&] { return nacre_state_copy(shared, copy); }), NACRE_OK) << nacre_state_reason(copy);
      }
      const float now = runsOf(copy);
      ASSERT_LE(seen, now);
      seen = now;
    }
    nacre_state_destroy(copy);
  }

  std::atomic<int> done{0}, trainers{0}, refused{0};
  std::string path = testing::TempDir() + "nacre-state-threads.safetensors";
};

TEST_F(GpuStateThreadsTest, FindWholeStates) {
  for (bool apart : {false, true}) {
    SCOPED_TRACE(apart ? "memories apart" : "unified memory");
    memories_apart_for_tests = apart;
    ASSERT_EQ(nacre_state_reset(shared, NACRE_STATE_ALL), NACRE_OK);
    done = 0;
    trainers = 3;
    std::thread keeper([&] { keep(); });
    std::vector<std::thread> threads;
    for (nacre_gpu_choice use : {NACRE_GPU_IF_USEFUL, NACRE_GPU_IF_USEFUL, NACRE_GPU_NEVER})
      threads.emplace_back([this, use] {
        train(use);
        --trainers;
      });
    for (std::thread &thread : threads)
      thread.join();
    keeper.join();
    EXPECT_EQ(runsOf(shared), float(done));
  }
  EXPECT_GT(refused, 0);
}

} // namespace
} // namespace nacre::test
