// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  an entry that only reads the state, as inference with trained weights does.
// Why:   the state may be all of a network's weights; copying it in each run would take longer than the run.
// How:   an entry of the launch that copies the state to an output, on one memory and on two.

#include "runtime/src/gpu_vulkan/traits.h"
#include "runtime/src/session.h"
#include "test/runtime/gpu_vulkan/GpuSession.h"

#include <algorithm>

namespace nacre::test {
namespace {

using runtime::gpu::memories_apart_for_tests;

struct GpuStateTest : GpuSession {
  GpuStateTest() {
    toy.entries[1].steps = &toy.steps[5]; // copy_1
    toy.entries[1].step_count = toy.entries[1].first_write = 1;
    options.entry = "second";
  }
  ~GpuStateTest() override { memories_apart_for_tests = false; }

  void write(float first) {
    nacre_state *state = nullptr;
    ASSERT_EQ(nacre_session_state(session, &state), NACRE_OK);
    for (int64_t c = 0; c < kColumns; ++c)
      total[c] = first + static_cast<float>(c);
    ASSERT_EQ(nacre_state_write(state, 0, total, sizeof total), NACRE_OK);
  }

  void runAndCheckState() {
    void *sum = nullptr;
    ASSERT_EQ(nacre_session_output(session, 1, &sum), NACRE_OK);
    auto *sums = static_cast<float *>(sum);
    std::fill(sums, sums + kColumns, -1.0f);
    ASSERT_EQ(nacre_session_run(session), NACRE_OK) << sessionReason();
    EXPECT_TRUE(std::equal(total, total + kColumns, sums));
    EXPECT_EQ(info().gpu_launches, 1u);
  }

  uint64_t writes() { return reinterpret_cast<runtime::Session *>(session)->state->writes; }

  float total[kColumns] = {};
};

TEST_F(GpuStateTest, IsTakenOnceUntilSomebodyWritesIt) {
  for (bool apart : {false, true}) {
    SCOPED_TRACE(apart ? "memories apart" : "one memory");
    memories_apart_for_tests = apart;
    ASSERT_EQ(create(), NACRE_OK) << reason;
    for (float first : {1.0f, 100.0f}) {
      write(first);
      const uint64_t before = writes();
      for (int run = 0; run < 3; ++run)
        runAndCheckState();
      EXPECT_EQ(writes(), before) << "a run that only reads tells no other session to take the state anew";
    }
    destroy();
  }
}

} // namespace
} // namespace nacre::test
