// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  loops whose iterations a count or a test decides, and branches.
// Why:   what a run executes must be what its bytes say, and a damaged table must never send it elsewhere.
// How:   programs of steps over a few numbers, whose launches write down what they see; then random tables, of which
//        those that are accepted must end, inside the table, whatever they read.

#include "runtime/src/steps.h"
#include "test/runtime/steps/StepProgram.h"

#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace nacre::test {
namespace {

TEST(ControlFlow, ACountDecidesTheIterationsUpToTheBound) {
  StepProgram program;
  program.loop(4, {x(0)}, [&] { program.noteOf(x(1, 1)); });
  program.noteOf(x(15));
  EXPECT_EQ(run(program, {2, 10, 11, 12, 13, 14}), Numbers({10, 11, 0}));
  EXPECT_EQ(run(program, {4, 10, 11, 12, 13, 14}), Numbers({10, 11, 12, 13, 0}));
  EXPECT_EQ(run(program, {5, 10, 11, 12, 13, 14}), Numbers({10, 11, 12, 13, 0})) << "beyond the bound";
  EXPECT_EQ(run(program, {INT64_MAX, 10, 11, 12, 13, 14}), Numbers({10, 11, 12, 13, 0}));
  EXPECT_EQ(run(program, {0, 10}), Numbers({0}));
  EXPECT_EQ(run(program, {-3, 10}), Numbers({0})) << "less than never is never";
  EXPECT_EQ(run(program, {INT64_MIN, 10}), Numbers({0}));
}

TEST(ControlFlow, ATestEndsALoop) {
  StepProgram program;
  program.launch(Copy, {x(15), t(0)});
  program.loopWhile(
      NACRE_ENDLESS, t(1), [&] { program.launch(Less, {t(0), x(0), t(1)}); },
      [&] {
        program.noteOf(t(0));
        program.launch(Increment, {t(0)});
      });
  program.noteOf(x(1));
  EXPECT_EQ(run(program, {3, 77}), Numbers({0, 1, 2, 77}));
  EXPECT_EQ(run(program, {0, 77}), Numbers({77})) << "at its first iteration";
}

TEST(ControlFlow, ABoundEndsALoopThatItsTestDoesNot) {
  StepProgram program;
  int tests = 0;
  program.loopWhile(3, x(0), [&] { program.noteOf(x(1, 1)); }, [&] { ++tests; });
  program.noteOf(x(8));
  EXPECT_EQ(run(program, {1, 10, 11, 12, 13, 0, 0, 0, 88}), Numbers({10, 11, 12, 88}))
      << "not asked for another iteration";
  EXPECT_EQ(run(program, {0, 10, 11, 12, 13, 0, 0, 0, 88}), Numbers({10, 88}));
}

TEST(ControlFlow, OneBranchRuns) {
  StepProgram program;
  program.branch(x(0), [&] { program.noteOf(x(1)); }, [&] { program.noteOf(x(2)); });
  program.noteOf(x(3));
  EXPECT_EQ(run(program, {1, 10, 20, 30}), Numbers({10, 30}));
  EXPECT_EQ(run(program, {0, 10, 20, 30}), Numbers({20, 30}));
  EXPECT_EQ(run(program, {128, 10, 20, 30}), Numbers({10, 30})) << "whatever is not zero";
}

TEST(ControlFlow, ABranchInAWhileInALoopSeesItsOwnIteration) {
  StepProgram program;
  program.loop(2, {}, [&] {
    program.launch(Copy, {x(15), t(0)});
    program.loopWhile(
        8, t(1), [&] { program.launch(Less, {t(0), x(0), t(1)}); },
        [&] {
          program.launch(Increment, {t(0)});
          program.branch(x(1, 1), [&] { program.noteOf(t(0)); }, [&] { program.noteOf(x(9)); });
        });
    program.noteOf(x(4, 1)); // of the outer loop again
  });
  EXPECT_EQ(run(program, {3, 1, 0, 1, 60, 61, 0, 0, 0, 99}), Numbers({1, 99, 3, 60, 1, 99, 3, 61}));
  EXPECT_EQ(run(program, {0, 1, 0, 1, 60, 61}), Numbers({60, 61}));
}

TEST(ControlFlow, LoopsNestAsDeepAsIsPromised) {
  StepProgram program;
  std::function<void(int)> nest = [&](int depth) {
    if (depth == 0)
      program.noteOf(x(1, 1));
    else
      program.loop(2, {x(0)}, [&] { nest(depth - 1); });
  };
  nest(NACRE_MAX_LOOP_DEPTH);
  EXPECT_EQ(run(program, {1, 5}), Numbers({5}));
  EXPECT_EQ(run(program, {2, 5, 6}).size(), size_t(1) << NACRE_MAX_LOOP_DEPTH);
}

TEST(ControlFlow, AProfileCountsWhatRan) {
  StepProgram program;
  program.loop(4, {x(0)},
               [&] { program.branch(x(1, 1), [&] { program.noteOf(x(9)); }, [&] { program.noteOf(x(10)); }); });
  nacre_session *session = nullptr;
  char reason[256] = "";
  program.options.profile = true;
  ASSERT_EQ(program.create(&session, reason), NACRE_OK) << reason;
  void *data = nullptr;
  ASSERT_EQ(nacre_session_input(session, 0, &data), NACRE_OK);
  const int64_t input[kNumbers] = {3, 1, 0, 1, 1};
  std::memcpy(data, input, sizeof input);
  ASSERT_EQ(nacre_session_run(session), NACRE_OK);
  nacre_launch_time time;
  ASSERT_EQ(nacre_session_launch_time(session, 0, &time), NACRE_OK);
  EXPECT_EQ(time.executions, 2u);
  ASSERT_EQ(nacre_session_launch_time(session, 1, &time), NACRE_OK);
  EXPECT_EQ(time.executions, 1u);
  nacre_session_destroy(session);
}

//===--------------------------------------------------------------------===//
// Damaged tables
//===--------------------------------------------------------------------===//

/// Returns whether a program is refused after `damage`.
template <typename Damage> void expectRefusal(Damage damage, const char *what) {
  StepProgram program;
  program.loop(4, {x(0)}, [&] {                                                         // steps 0 ... 7
    program.noteOf(x(1));                                                               // 1
    program.branch(x(1), [&] { program.noteOf(x(2)); }, [&] { program.noteOf(x(3)); }); // 2 ... 5
    program.add(NACRE_STEP_LOOP_TEST, {byteOf(x(1))});                                  // 6
    program.list[6].target = 7;
  });
  program.noteOf(x(1)); // 8
  nacre_session *session = nullptr;
  char reason[256] = "";
  ASSERT_EQ(program.create(&session, reason), NACRE_OK) << reason;
  nacre_session_destroy(session);
  session = nullptr;
  damage(program);
  EXPECT_EQ(program.create(&session, reason), NACRE_UNSUPPORTED) << what;
  EXPECT_NE(std::string(reason).find("tables are damaged"), std::string::npos) << what;
}

TEST(ControlFlow, DamagedTargetsAreRefused) {
  auto target = [](uint32_t step, uint32_t to) {
    return [=](StepProgram &program) { program.list[step].target = to; };
  };
  expectRefusal(target(0, 6), "a count's loop ends elsewhere");
  expectRefusal(target(0, 0), "or nowhere");
  expectRefusal(target(6, 8), "a test leaves for behind the end");
  expectRefusal(target(2, 2), "a branch to itself");
  expectRefusal(target(2, 1), "backwards");
  expectRefusal(target(2, 8), "out of the loop");
  expectRefusal(target(4, 4), "a jump to itself");
  expectRefusal(target(4, 100), "out of the table");
  expectRefusal([](StepProgram &program) { program.list[7].kind = 6; }, "no such step");
  expectRefusal([](StepProgram &program) { program.list[7].kind = NACRE_STEP_LOOP_TEST; }, "a loop that is not closed");
  expectRefusal([](StepProgram &program) { program.list[8].kind = NACRE_STEP_LOOP_TEST; }, "a test outside of a loop");
}

TEST(ControlFlow, BranchesIntoALoopAreRefused) {
  StepProgram program;
  program.branch(x(0), [&] { program.noteOf(x(1)); }, [&] { program.loop(2, {}, [&] { program.noteOf(x(2)); }); });
  nacre_session *session = nullptr;
  char reason[256] = "";
  ASSERT_EQ(program.create(&session, reason), NACRE_OK) << reason;
  nacre_session_destroy(session);
  program.list[0].target = 4; // the loop begins with step 3
  EXPECT_EQ(program.create(&session, reason), NACRE_UNSUPPORTED);
}

TEST(ControlFlow, DamagedOperandsOfDecisionsAreRefused) {
  auto operand = [](uint32_t step, void (*bend)(nacre_operand &)) {
    return [=](StepProgram &program) { bend(program.of[program.list[step].first_operand]); };
  };
  expectRefusal(operand(0, [](nacre_operand &o) { o.bytes = 4; }), "a count of four bytes");
  expectRefusal(operand(2, [](nacre_operand &o) { o.bytes = 8; }), "a condition of eight");
  expectRefusal(operand(0, [](nacre_operand &o) { o.offset = kNumbers * 8 - 4; }), "half a count");
  expectRefusal(operand(6, [](nacre_operand &o) { o.offset = UINT64_MAX; }), "beyond the input");
  expectRefusal(operand(6, [](nacre_operand &o) { o.step = 41; }), "beyond it in the last iteration");
  expectRefusal(operand(6, [](nacre_operand &o) { o.step = -3; }), "before it in the last iteration");
  expectRefusal(operand(6, [](nacre_operand &o) { o.step = INT64_MAX; }), "far beyond");
  expectRefusal(operand(6, [](nacre_operand &o) { o.index = 1; }), "of no input");
  expectRefusal(operand(6, [](nacre_operand &o) { o.space = 9; }), "of nothing");
  expectRefusal([](StepProgram &program) { program.list[6].operand_count = 0; }, "a test of nothing");
  expectRefusal([](StepProgram &program) { program.list[6].first_operand = 1000; }, "an operand that is not there");
}

TEST(ControlFlow, WhateverIsAcceptedEndsInsideItsTable) {
  std::mt19937 random(1);
  auto below = [&random](uint32_t end) { return random() % end; };
  int accepted = 0, decided = 0;
  for (int trial = 0; trial < 60000; ++trial) {
    StepProgram program;
    const uint32_t steps = 1 + below(8);
    for (uint32_t i = 0; i < steps; ++i) {
      const auto kind = static_cast<nacre_step_kind>(below(6));
      if (kind == NACRE_STEP_LAUNCH) {
        program.noteOf(x(below(4)));
        continue;
      }
      std::vector<nacre_operand> reads;
      if (kind == NACRE_STEP_LOOP_BEGIN
              ? below(2)
              : (kind == NACRE_STEP_LOOP_TEST || kind == NACRE_STEP_BRANCH_IF_ZERO) != (below(8) == 0))
        reads.push_back(kind == NACRE_STEP_LOOP_BEGIN ? x(below(20), below(3)) : byteOf(x(below(20), below(3))));
      const bool leads = kind != NACRE_STEP_LOOP_END && (kind != NACRE_STEP_LOOP_BEGIN || !reads.empty());
      program.add(kind, reads, below(4)).target = leads || below(8) == 0 ? below(steps + 2) : 0;
    }
    program.seal();
    nacre_session_options options = nacre_session_options_default();
    nacre_memory_info memory;
    if (nacre_session_memory(program.model(), &options, &memory) != NACRE_OK)
      continue;
    ++accepted;
    const nacre_entry &entry = program.entries[0];
    auto read = [&](const nacre_step &step, int64_t iteration) {
      const nacre_operand &operand = entry.operands[step.first_operand];
      const int64_t begin = int64_t(operand.offset) + operand.step * iteration;
      EXPECT_GE(begin, 0);
      EXPECT_LE(begin + int64_t(operand.bytes), int64_t(kNumbers * 8));
      static int64_t value;
      value = int64_t(below(4)) - 1;
      return reinterpret_cast<const char *>(&value);
    };
    auto launch = [&](uint32_t step, int64_t iteration) {
      ASSERT_LT(step, steps);
      EXPECT_EQ(entry.steps[step].kind, uint32_t(NACRE_STEP_LAUNCH));
      EXPECT_LT(iteration, 4);
    };
    runtime::walk_steps(entry, 0, steps, 3, [](uint32_t) { return true; }, read, launch);
    // In stretches it is the same table, all of it once.
    uint32_t next = 0;
    while (next < steps) {
      const runtime::Stretch stretch = runtime::stretch_at(entry, next);
      ASSERT_GT(stretch.end, next);
      decided += stretch.decided;
      next = stretch.end;
    }
    EXPECT_EQ(next, steps);
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(decided, 1000);
}

} // namespace
} // namespace nacre::test
