// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a state that runs on the GPU change: where its bytes are, and when they are copied.
// Why:   the state may be all of a network's weights; copying it in each step would take longer than the step.
// How:   a library that counts the bytes of copies.

#include "test/runtime/gpu_vulkan/state/GpuKeptState.h"
#include "runtime/src/session.h"

namespace nacre::test {
namespace {

using GpuKeptStateTest = GpuKeptState;

TEST_F(GpuKeptStateTest, CopiesInAStepOnlyWhatGoesInAndOut) {
  memories_apart_for_tests = true;
  reset();
  start();
  const Bytes first = copiedBy([&] { step(); });
  EXPECT_EQ(first.toGpu, kPortBytes + 2 * (64 + kStateBytes)) << "the state goes there once, to both copies";
  for (int run = 0; run < 5; ++run) {
    const Bytes later = copiedBy([&] { step(); });
    EXPECT_EQ(later.toGpu, kPortBytes);
    EXPECT_EQ(later.toCpu, kPortBytes + 2 * kRowBytes);
    EXPECT_EQ(later.inside, 0u);
  }
  const Bytes read = copiedBy([&] { checkState(); });
  EXPECT_EQ(read.toCpu, kWritten * kRowBytes) << "what no run writes is there";
  EXPECT_EQ(copiedBy([&] { checkState(); }).toCpu, 0u) << "and now all is";
  EXPECT_EQ(copiedBy([&] { step(); }).toGpu, kPortBytes) << "what was read is still on the GPU";
  state = expected;
  state[0] = 7;
  ASSERT_EQ(nacre_state_write(stateOf(), 0, state.data(), kStateBytes), NACRE_OK);
  expected = state;
  EXPECT_EQ(copiedBy([&] { step(); }).toGpu, kPortBytes + 2 * (64 + kStateBytes));
  checkState();
  EXPECT_EQ(sessionReason(), "");
}

TEST_F(GpuKeptStateTest, LeavesTheHostsBytesUntilSomebodyAsks) {
  for (bool apart : {false, true})
    for (int64_t percent : {100, 0}) { // the update on the GPU, or on the CPU of a run that has a GPU
      SCOPED_TRACE(std::to_string(percent) + (apart ? " %, memories apart" : " %"));
      memories_apart_for_tests = apart;
      cut(steps[2], percent);
      start();
      const auto *data = reinterpret_cast<const runtime::Session *>(session)->state->data + 64;
      step();
      EXPECT_TRUE(std::equal(state.begin(), state.end(), reinterpret_cast<const float *>(data)));
      step();
      checkState();
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), reinterpret_cast<const float *>(data)));
      step();
      ASSERT_EQ(nacre_state_reset(stateOf(), NACRE_STATE_ALL), NACRE_OK);
      expected.fill(0);
      step();
      checkState();
      EXPECT_EQ(sessionReason(), "");
      destroy();
    }
}

TEST_F(GpuKeptStateTest, IsCutLikeEverythingElse) {
  for (int64_t percent : {0, 50, 100}) {
    SCOPED_TRACE(percent);
    toy.kernels[0].gpu = &toy.gpuVariants[1];
    toy.kernels[0].gpu_count = 1;
    toy.gpuVariants[1].unit_extent = 4;
    options.gpu_cut = NACRE_GPU_CUT(uint32_t(percent));
    start();
    for (int run = 0; run < 5; ++run)
      step();
    checkState();
    EXPECT_EQ(sessionReason(), "");
    destroy();
  }
}

TEST_F(GpuKeptStateTest, IsSeenByASessionThatOnlyReadsIt) {
  for (bool apart : {false, true}) {
    SCOPED_TRACE(apart ? "memories apart" : "one memory");
    memories_apart_for_tests = apart;
    reset();
    ASSERT_EQ(nacre_state_create(toy.model(), nullptr, &shared), NACRE_OK);
    options.state = shared;
    start();
    nacre_session *trains = session;
    options.entry = "second";
    ASSERT_EQ(create(), NACRE_OK) << reason;
    nacre_session *reads = session;
    options.entry = nullptr;
    for (int iteration = 0; iteration < 4; ++iteration) {
      session = trains;
      const Bytes bytes = copiedBy([&] { step(); });
      EXPECT_EQ(bytes.toGpu, !apart      ? 0
                             : iteration ? kPortBytes
                                         : kPortBytes + 2 * (64 + kStateBytes))
          << "who only reads takes nothing away";
      step();
      session = reads;
      for (int run = 0; run < 2; ++run) {
        const Bytes again = copiedBy([&] { ASSERT_EQ(nacre_session_run(session), NACRE_OK); });
        checkOutputs();
        EXPECT_EQ(again.toGpu, apart && run == 0 ? 64 + kStateBytes : 0);
        EXPECT_EQ(again.toCpu, !apart ? 0 : 2 * kRowBytes + (run == 0 ? kWritten * kRowBytes : 0));
      }
    }
    nacre_session_destroy(trains);
    checkState(shared);
    destroy();
    nacre_state_destroy(shared);
    options.state = shared = nullptr;
  }
}

TEST_F(GpuKeptStateTest, TakesTwoStatesTheArenaAndThePorts) {
  for (bool apart : {false, true}) {
    memories_apart_for_tests = apart;
    reset();
    start();
    step();
    checkState();
    const uint64_t ports = 2 * kPortBytes + 2 * kRowBytes, arena = toy.entries[0].arena_bytes;
    const uint64_t least = 2 * (64 + kStateBytes) + arena + ports;
    EXPECT_GE(peakBytes(), least);
    // Two memories have the ports twice, and a buffer for the state's way between them.
    EXPECT_LE(peakBytes(), least + (apart ? ports + 64 + kStateBytes : 0) + (8 << 10));
    EXPECT_LE(info().gpu_bytes, peakBytes());
    EXPECT_LE(peakBytes(), info().gpu_bytes + 256) << "create stages the weights";
    destroy();
  }
}

} // namespace
} // namespace nacre::test
