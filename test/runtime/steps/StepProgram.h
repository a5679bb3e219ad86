// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  models by hand that are programs of steps: loops, tests, branches and launches over a few numbers.
// Why:   only the steps decide what a run executes, and when it may be ended.
// How:   the toy model's tables with steps of our own; the launches write down what they see.

#ifndef NACRE_TEST_RUNTIME_STEPS_STEPPROGRAM_H
#define NACRE_TEST_RUNTIME_STEPS_STEPPROGRAM_H

#include "test/runtime/ToyModel.h"

#include <cstring>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace nacre::test {

using Numbers = std::vector<int64_t>;

constexpr uint64_t kNumbers = 16; // of the input, and of the arena
constexpr uint64_t kWords = 512;  // of the output: how many were noted, and what

inline int64_t *numbers(const nacre_kernel_args *args, int i) { return static_cast<int64_t *>(args->buffers[i]); }

inline void note(const nacre_kernel_args *args, int64_t, int64_t) {
  int64_t *log = numbers(args, 1);
  if (log[0] + 1 < int64_t(kWords))
    log[++log[0]] = *numbers(args, 0);
}
inline void copy(const nacre_kernel_args *args, int64_t, int64_t) { *numbers(args, 1) = *numbers(args, 0); }
inline void increment(const nacre_kernel_args *args, int64_t, int64_t) { ++*numbers(args, 0); }
inline void less(const nacre_kernel_args *args, int64_t, int64_t) {
  *static_cast<char *>(args->buffers[2]) = *numbers(args, 0) < *numbers(args, 1);
}

enum Kernel : uint32_t { Note, Copy, Increment, Less };

inline nacre_operand number(nacre_space space, uint64_t index, int64_t step = 0) {
  return {uint32_t(space), 0, index * 8, step * 8, 8, NACRE_READ_WRITE, NACRE_I64};
}
inline nacre_operand x(uint64_t index, int64_t step = 0) { return number(NACRE_SPACE_INPUT, index, step); }
inline nacre_operand t(uint64_t index) { return number(NACRE_SPACE_ARENA, index); }
inline nacre_operand byteOf(nacre_operand operand) {
  operand.bytes = 1;
  operand.element_type = NACRE_U8;
  return operand;
}

/// The toy model's tables with steps of our own.
struct StepProgram : ToyModel {
  StepProgram() {
    const nacre_kernel_function functions[] = {note, copy, increment, less};
    for (int i = 0; i < 4; ++i) {
      code[i] = {functions[i], 0, 1, 1, 0, 10, 0};
      kernels[i].cpu = &code[i];
      kernels[i].cpu_count = 1;
    }
    inputs[0].bytes = kNumbers * 8;
    outputs[0].bytes = kWords * 8;
    table.entry_count = 1;
    options.threads = 1;
  }

  nacre_step &add(nacre_step_kind kind, std::vector<nacre_operand> reads, int64_t trips = 0) {
    nacre_step step = {};
    step.kind = kind;
    step.first_operand = reads.empty() ? 0 : uint32_t(of.size());
    step.operand_count = uint32_t(reads.size());
    step.trip_count = trips;
    of.insert(of.end(), reads.begin(), reads.end());
    list.push_back(step);
    return list.back();
  }
  void launch(Kernel kernel, std::vector<nacre_operand> with) {
    nacre_step &step = add(NACRE_STEP_LAUNCH, std::move(with));
    step.kernel = kernel;
    step.cut_extent = step.cpu_end = step.grain = 1;
  }
  void noteOf(nacre_operand value) { launch(Note, {value, number(NACRE_SPACE_OUTPUT, 0)}); }

  template <typename Body> void loop(int64_t trips, std::vector<nacre_operand> count, Body body) {
    const size_t begin = list.size();
    add(NACRE_STEP_LOOP_BEGIN, std::move(count), trips);
    body();
    if (list[begin].operand_count)
      list[begin].target = uint32_t(list.size());
    add(NACRE_STEP_LOOP_END, {});
  }
  template <typename Test, typename Body> void loopWhile(int64_t bound, nacre_operand go, Test test, Body body) {
    loop(bound, {}, [&] {
      test();
      const size_t at = list.size();
      add(NACRE_STEP_LOOP_TEST, {byteOf(go)});
      body();
      list[at].target = uint32_t(list.size());
    });
  }
  template <typename Then, typename Else> void branch(nacre_operand condition, Then then, Else otherwise) {
    const size_t decision = list.size();
    add(NACRE_STEP_BRANCH_IF_ZERO, {byteOf(condition)});
    then();
    const size_t jump = list.size();
    add(NACRE_STEP_JUMP, {});
    list[decision].target = uint32_t(list.size());
    otherwise();
    list[jump].target = uint32_t(list.size());
  }

  void seal() {
    entries[0].steps = list.data();
    entries[0].step_count = uint32_t(list.size());
    entries[0].operands = of.data();
    entries[0].operand_count = uint32_t(of.size());
    entries[0].first_write = uint32_t(list.size());
  }

  nacre_status create(nacre_session **session, char (&reason)[256]) {
    seal();
    options.reason = reason;
    options.reason_capacity = sizeof reason;
    return nacre_session_create(model(), &options, session);
  }

  nacre_session_options options = nacre_session_options_default();
  nacre_cpu_variant code[4];
  std::vector<nacre_step> list;
  std::vector<nacre_operand> of;
};

/// Returns the notes that the launches of a run take for this input.
inline Numbers run(StepProgram &program, Numbers input) {
  nacre_session *session = nullptr;
  char reason[256] = "";
  EXPECT_EQ(program.create(&session, reason), NACRE_OK) << reason;
  if (!session)
    return {-1};
  input.resize(kNumbers);
  void *data = nullptr, *log = nullptr;
  EXPECT_EQ(nacre_session_input(session, 0, &data), NACRE_OK);
  EXPECT_EQ(nacre_session_output(session, 0, &log), NACRE_OK);
  std::memcpy(data, input.data(), kNumbers * 8);
  std::memset(log, 0, kWords * 8);
  EXPECT_EQ(nacre_session_run(session), NACRE_OK);
  Numbers noted(static_cast<int64_t *>(log) + 1, static_cast<int64_t *>(log) + 1 + *static_cast<int64_t *>(log));
  nacre_session_destroy(session);
  return noted;
}

} // namespace nacre::test

#endif // NACRE_TEST_RUNTIME_STEPS_STEPPROGRAM_H
