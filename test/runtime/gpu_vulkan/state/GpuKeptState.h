// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a session whose runs change a state on the GPU, and the right state after them.
// Why:   tests of copies and tests of losses both need it.
// How:   four of the state's eight rows are updated in place, one of them is read afterwards, and one more that
//        no launch writes.

#ifndef NACRE_TEST_RUNTIME_GPU_VULKAN_STATE_GPUKEPTSTATE_H
#define NACRE_TEST_RUNTIME_GPU_VULKAN_STATE_GPUKEPTSTATE_H

#include "runtime/src/gpu_vulkan/traits.h"
#include "test/runtime/gpu_vulkan/FakeGpuSession.h"

#include <algorithm>
#include <array>
#include <functional>

namespace nacre::test {

using runtime::gpu::memories_apart_for_tests;

constexpr int64_t kStateRows = 8, kWritten = 4;
constexpr uint64_t kRowBytes = kColumns * sizeof(float), kStateBytes = kStateRows * kRowBytes;
constexpr uint64_t kPortBytes = kRows * kRowBytes;

using Rows = std::array<float, kStateRows * kColumns>;

struct GpuKeptState : FakeGpuSession {
  GpuKeptState() {
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
  ~GpuKeptState() override {
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

  /// Runs once and returns the result.
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
  /// Number of bytes that an action copies.
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

} // namespace nacre::test

#endif // NACRE_TEST_RUNTIME_GPU_VULKAN_STATE_GPUKEPTSTATE_H
