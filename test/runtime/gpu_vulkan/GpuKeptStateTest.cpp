// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a state that runs on the GPU change: where its bytes are, when they are copied, and what is left of them when the device is lost.
// Why:   the state may be all of a network's weights; copying it in each step would take longer than the step.
// How:   four of the state's eight rows are updated in place, one of them is read afterwards, and one that nobody writes; a library
//        that counts the bytes of copies, and loses the device at each call.

#include "runtime/src/gpu_vulkan/traits.h"
#include "runtime/src/session.h"
#include "test/runtime/gpu_vulkan/FakeGpuSession.h"

#include <algorithm>
#include <array>
#include <functional>

namespace nacre::test {
namespace {

using runtime::gpu::memories_apart_for_tests;

constexpr int64_t kStateRows = 8, kWritten = 4;
constexpr uint64_t kRowBytes = kColumns * sizeof(float), kStateBytes = kStateRows * kRowBytes;
constexpr uint64_t kPortBytes = kRows * kRowBytes;

using Rows = std::array<float, kStateRows * kColumns>;

struct GpuKeptStateTest : FakeGpuSession {
  GpuKeptStateTest() {
    options.allocator = nullptr; // states outlive sessions here
    nacre_variable &total = toy.variables[0];
    total.tensor.bytes = total.stored_bytes = total.element_bytes = kStateBytes;
    toy.table.state_bytes = 64 + kStateBytes;
    const nacre_operand row = {NACRE_SPACE_STATE, 0, 64, 0, kRowBytes, NACRE_READ, NACRE_F32};
    std::copy(toy.operands, toy.operands + 4, operands); // x, w, the arena, y
    operands[4] = operands[6] = row;
    operands[4].bytes = operands[6].bytes = kWritten * kRowBytes;
    operands[6].access = NACRE_WRITE;
    operands[5] = toy.operands[1];
    operands[7] = operands[9] = row;
    operands[7].offset += kRowBytes;
    operands[9].offset += 6 * kRowBytes;
    operands[8] = toy.operands[7];
    operands[10] = {NACRE_SPACE_OUTPUT, 2, 0, 0, kRowBytes, NACRE_WRITE, NACRE_F32};
    std::copy(toy.outputs, toy.outputs + 2, outputs);
    outputs[2] = outputs[1];
    std::copy(toy.steps, toy.steps + 2, steps); // y of x
    steps[2] = toy.steps[0];                    // rows 0 ... 3 of the state, times w, plus 1
    steps[2].first_operand = 4;
    steps[2].cut_extent = kWritten;
    cut(steps[2], 100);
    steps[3] = steps[4] = toy.steps[5];
    steps[3].first_operand = 7;
    steps[4].first_operand = 9;
    for (nacre_entry &entry : toy.entries) {
      entry.operands = operands;
      entry.operand_count = 11;
      entry.outputs = outputs;
      entry.output_count = 3;
      entry.steps = steps;
      entry.step_count = 5;
      entry.first_write = 2;
    }
    toy.entries[1].steps = steps + 3; // only reads
    toy.entries[1].step_count = toy.entries[1].first_write = 2;
    for (int64_t i = 0; i < kStateRows * kColumns; ++i)
      state[size_t(i)] = float(i % 11 - 5);
  }
  ~GpuKeptStateTest() override {
    memories_apart_for_tests = false;
    destroy();
    if (shared)
      nacre_state_destroy(shared);
  }

  static void cut(nacre_step &step, int64_t percent) {
    step.gpu_begin = 0;
    step.gpu_end = step.cpu_begin = step.cut_extent * percent / 100;
    step.cpu_end = step.cut_extent;
  }

  nacre_state *stateOf() {
    nacre_state *found = nullptr;
    EXPECT_EQ(nacre_session_state(session, &found), NACRE_OK);
    return found;
  }

  void start() {
    expected = state;
    ASSERT_EQ(create(), NACRE_OK) << reason;
    for (auto *x = static_cast<float *>(input()); int64_t(x - static_cast<float *>(input())) < kRows * kColumns; ++x)
      *x = toyInput(x - static_cast<float *>(input()));
    ASSERT_EQ(nacre_state_write(stateOf(), 0, state.data(), kStateBytes), NACRE_OK);
  }

  void *input() {
    void *x = nullptr;
    EXPECT_EQ(nacre_session_input(session, 0, &x), NACRE_OK);
    return x;
  }

  void update() {
    for (size_t i = 0; i < kWritten * kColumns; ++i)
      expected[i] = expected[i] * toy.scale[i % kColumns] + 1;
  }

  void checkOutputs() {
    for (uint32_t output : {1u, 2u}) {
      void *data = nullptr;
      ASSERT_EQ(nacre_session_output(session, output, &data), NACRE_OK);
      const auto *row = static_cast<const float *>(data);
      ASSERT_TRUE(std::equal(row, row + kColumns, expected.begin() + (output == 1 ? 1 : 6) * kColumns))
          << "output " << output;
    }
  }

  /// One run, and what it gives.
  void step() {
    ASSERT_EQ(nacre_session_run(session), NACRE_OK) << sessionReason();
    update();
    checkOutputs();
  }

  void checkState(nacre_state *of) {
    Rows rows;
    ASSERT_EQ(nacre_state_read(of, 0, rows.data(), kStateBytes), NACRE_OK) << nacre_state_reason(of);
    EXPECT_EQ(rows, expected);
  }
  void checkState() { checkState(stateOf()); }

  struct Bytes {
    uint64_t toGpu, toCpu, inside;
  };
  Bytes copied() {
    Bytes bytes;
    copies(&bytes.toGpu, &bytes.toCpu, &bytes.inside);
    return bytes;
  }
  /// What an action copies.
  Bytes copiedBy(const std::function<void()> &action) {
    const Bytes before = copied();
    action();
    const Bytes after = copied();
    return {after.toGpu - before.toGpu, after.toCpu - before.toCpu, after.inside - before.inside};
  }

  nacre_operand operands[11];
  nacre_step steps[5];
  nacre_tensor outputs[3];
  Rows state, expected;
  nacre_state *shared = nullptr;
};

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

TEST_F(GpuKeptStateTest, IsBeforeOrAfterAStepInWhichTheDeviceIsLost) {
  constexpr int kBefore = 3, kAfter = 10;
  for (bool apart : {false, true})
    for (int64_t percent : {100, 50}) { // x to y cut, or on the GPU
      memories_apart_for_tests = apart;
      cut(steps[0], percent);
      reset();
      defyPolls();
      start();
      for (int run = 0; run < kBefore; ++run)
        step();
      loseDevice(0);
      step();
      const int calls = allCalls();
      destroy();
      ASSERT_GT(calls, 2);
      for (int call = 1; call <= calls; ++call) {
        SCOPED_TRACE("call " + std::to_string(call) + " of " + std::to_string(calls) + " in a step" +
                     (apart ? ", memories apart" : "") + (percent == 50 ? ", cut" : ""));
        reset();
        defyPolls();
        start();
        for (int run = 0; run < kBefore; ++run)
          step();
        loseDevice(call);
        // A cut has its storages in the host's memory.
        const bool keeps = !apart || percent == 50;
        int ahead = kBefore;
        for (int run = 0; run <= kAfter; ++run) {
          ASSERT_EQ(nacre_session_run(session), NACRE_OK);
          const bool onGpu = info().device[0] != 0;
          if (!onGpu && ahead != 0 && !keeps) {
            expected = state; // the host knows no later one
            const std::string runs = std::to_string(ahead) + (ahead == 1 ? " later run" : " later runs");
            EXPECT_NE(
                sessionReason().find("the state is that after run 0 on the GPU: what " + runs + " made of it is lost"),
                std::string::npos)
                << sessionReason();
          }
          ahead = onGpu ? ahead + 1 : 0;
          update();
          checkOutputs();
          ASSERT_LE(run == 0 ? 0 : ahead, 0) << "lost in one run, known in the next at the latest";
        }
        EXPECT_NE(sessionReason().find("device"), std::string::npos) << sessionReason();
        EXPECT_TRUE(hasFailed());
        checkState();
        destroy();
        if (HasFatalFailure())
          return;
      }
    }
}

TEST_F(GpuKeptStateTest, IsKnownToTheHostAfter64Runs) {
  memories_apart_for_tests = true;
  reset();
  start();
  Rows known = state;
  for (int run = 1; run <= 150; ++run) {
    const uint64_t toCpu = copiedBy([&] { step(); }).toCpu;
    EXPECT_EQ(toCpu, kPortBytes + 2 * kRowBytes + (run % 64 == 0 ? kWritten * kRowBytes : 0)) << "run " << run;
    if (run % 64 == 0)
      known = expected;
  }
  loseDevice(1);
  ASSERT_EQ(nacre_session_run(session), NACRE_OK);
  EXPECT_NE(sessionReason().find("that after run 128 on the GPU: what 22 later runs made of it is lost"),
            std::string::npos)
      << sessionReason();
  expected = known;
  update();
  checkOutputs();
  checkState();
}

TEST_F(GpuKeptStateTest, TellsOnceThatAReadFoundItLost) {
  memories_apart_for_tests = true;
  reset();
  start();
  step();
  checkState();
  const Rows known = expected;
  step();
  loseDevice(1);
  Rows rows;
  EXPECT_EQ(nacre_state_read(stateOf(), 0, rows.data(), kStateBytes), NACRE_FAILED);
  EXPECT_NE(std::string(nacre_state_reason(stateOf()))
                .find("that after run 1 on the GPU: what 1 later run made of it is lost"),
            std::string::npos)
      << nacre_state_reason(stateOf());
  expected = known;
  checkState();
  step(); // on the CPU
  EXPECT_STREQ(info().device, "");
  checkState();
}

TEST_F(GpuKeptStateTest, ComesHomeBeforeItsSessionIsDestroyed) {
  for (bool apart : {false, true})
    for (bool loses : {false, true}) {
      SCOPED_TRACE(std::string(apart ? "memories apart" : "one memory") + (loses ? ", lost" : ""));
      memories_apart_for_tests = apart;
      reset();
      ASSERT_EQ(nacre_state_create(toy.model(), nullptr, &shared), NACRE_OK);
      options.state = shared;
      start();
      step();
      step();
      if (loses)
        loseDevice(1);
      destroy();
      if (loses && apart) {
        Rows rows;
        EXPECT_EQ(nacre_state_read(shared, 0, rows.data(), kStateBytes), NACRE_FAILED);
        EXPECT_NE(std::string(nacre_state_reason(shared)).find("2 later runs"), std::string::npos)
            << nacre_state_reason(shared);
        expected = state;
      }
      checkState(shared);
      nacre_state_destroy(shared);
      options.state = shared = nullptr;
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
    for (int turn = 0; turn < 4; ++turn) {
      session = trains;
      const Bytes bytes = copiedBy([&] { step(); });
      EXPECT_EQ(bytes.toGpu, !apart ? 0
                             : turn ? kPortBytes
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
