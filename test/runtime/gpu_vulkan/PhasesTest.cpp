// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the plan of a run on two engines: phases, barriers, copies, and the copies of the state that launches are
//        bound to.
// Why:   a missing one gives wrong answers on some devices on some days.
// How:   small programs with known plans. RandomPhasesTest.cpp executes plans.

#include "test/runtime/gpu_vulkan/PhasesProgram.h"

#include <gtest/gtest.h>

namespace nacre::test {
namespace {

std::vector<bool> barriersOf(const PhasesProgram &program) {
  std::vector<bool> barriers;
  for (const Part &part : program.schedule.gpu)
    barriers.push_back(part.barrier);
  return barriers;
}

TEST(Phases, PutABarrierOnlyWhereADispatchDependsOnAnother) {
  PhasesProgram program;
  program.launch(PhasesProgram::Gpu, {kReadX, kReadState, writeA(0)});
  program.launch(PhasesProgram::Gpu, {kReadX, kReadState, writeA(16)});  // beside the first
  program.launch(PhasesProgram::Gpu, {readA(0), readA(16), writeA(32)}); // after both
  program.launch(PhasesProgram::Gpu, {kReadX, kReadState, writeA(48)});  // needs nothing since then
  program.launch(PhasesProgram::Gpu, {readA(0), readA(16), writeA(32)}); // writes what the third wrote
  ASSERT_TRUE(program.plan(true));
  EXPECT_EQ(program.schedule.phases.count, 1u);
  EXPECT_EQ(barriersOf(program), (std::vector<bool>{false, false, true, false, true}));
  EXPECT_EQ(program.schedule.barriers, 2u);
}

TEST(Phases, RunEnginesSideBySideUntilOneNeedsTheOther) {
  PhasesProgram program;
  program.launch(PhasesProgram::Gpu, {kReadX, kReadState, writeA(0)});
  program.launch(PhasesProgram::Cpu, {kReadX, kReadState, writeA(16)}); // beside it
  program.launch(PhasesProgram::Gpu, {readA(0), kReadX, writeA(32)});   // of the same batch
  program.launch(PhasesProgram::Cpu, {readA(0), kReadX, writeA(48)});   // reads what the GPU wrote
  ASSERT_TRUE(program.plan(true));
  ASSERT_EQ(program.schedule.phases.count, 2u);
  EXPECT_EQ(program.schedule.phases[0].gpu_end, 2u);
  EXPECT_EQ(program.schedule.phases[0].cpu_end, 1u);
}

TEST(Phases, WaitBeforeOverwritingWhatTheOtherReads) {
  PhasesProgram program;
  program.launch(PhasesProgram::Cpu, {readA(0), kReadX, writeA(16)});
  program.launch(PhasesProgram::Gpu, {kReadX, kReadState, writeA(0)});
  ASSERT_TRUE(program.plan(true));
  EXPECT_EQ(program.schedule.phases.count, 2u);
}

TEST(Phases, CopyNoStateBetweenMemories) {
  for (bool writes : {true, false}) {
    PhasesProgram program;
    program.writesState = writes;
    program.launch(PhasesProgram::Gpu, {kReadState, writeA(0)});
    if (writes)
      program.launch(PhasesProgram::Gpu, {readA(0), use(NACRE_SPACE_STATE, 0, 16, NACRE_WRITE)});
    ASSERT_TRUE(program.plan(false));
    EXPECT_EQ(program.schedule.uploads.count, 0u);
    EXPECT_EQ(program.schedule.downloads.count, 0u);
    EXPECT_EQ(program.schedule.cpu_bytes, 0u) << "the CPU needs no memory for what it never touches";
    ASSERT_EQ(program.schedule.written.count, writes ? 1u : 0u);
    if (writes) {
      EXPECT_EQ(program.schedule.written[0].end, 16u);
      EXPECT_FALSE(program.schedule.written[0].on_cpu);
    }
  }
}

TEST(Phases, MirrorAllOfAStateThatTheCpuReadsAPartOf) {
  for (bool writes : {true, false}) {
    PhasesProgram program;
    program.writesState = writes;
    program.launch(PhasesProgram::Gpu, {kReadState, writeA(0)});
    program.launch(PhasesProgram::Cpu, {kReadState, use(NACRE_SPACE_OUTPUT, 0, 16, NACRE_WRITE)});
    if (writes)
      program.launch(PhasesProgram::Gpu, {readA(0), use(NACRE_SPACE_STATE, 0, 16, NACRE_WRITE)});
    ASSERT_TRUE(program.plan(false));
    const Region &last = writes ? program.layout.next_state : program.layout.state;
    EXPECT_EQ(program.schedule.cpu_bytes, last.begin + kBytes) << "the host brings it as a whole";
  }
}

TEST(Phases, BindAnUpdateInPlaceToBothCopies) {
  PhasesProgram program;
  const nacre_operand written = use(NACRE_SPACE_STATE, 0, 16, NACRE_WRITE);
  program.launch(PhasesProgram::Gpu, {kReadState, writeA(0)});
  program.launch(PhasesProgram::Gpu, {kReadX, kReadState, written}); // in place: needs no barrier after the first
  program.launch(PhasesProgram::Gpu, {kReadState, writeA(16)});      // reads what it has written
  program.launch(PhasesProgram::Gpu, {use(NACRE_SPACE_STATE, 16, 16, NACRE_READ), writeA(32)}); // which nobody writes
  ASSERT_TRUE(program.plan(true));
  EXPECT_EQ(program.schedule.moves.count, 0u);
  EXPECT_EQ(barriersOf(program), (std::vector<bool>{false, false, true, false}));
  auto next = [&](uint32_t part, uint32_t operand) {
    const Part &it = program.schedule.gpu[part];
    return is_next(it, operand, program.operands[program.steps[it.step].first_operand + operand]);
  };
  EXPECT_FALSE(next(0, 0));
  EXPECT_FALSE(next(1, 1));
  EXPECT_TRUE(next(1, 2));
  EXPECT_TRUE(next(2, 0));
  EXPECT_FALSE(next(3, 0));
}

TEST(Phases, MoveWhatARunWouldLeaveHalfWritten) {
  PhasesProgram program;
  program.launch(PhasesProgram::Gpu, {kReadX, use(NACRE_SPACE_STATE, 0, 16, NACRE_READ_WRITE)});
  program.launch(PhasesProgram::Gpu, {kReadX, use(NACRE_SPACE_STATE, 16, 16, NACRE_WRITE)});
  program.launch(PhasesProgram::Gpu,
                 {kReadX, use(NACRE_SPACE_STATE, 24, 16, NACRE_WRITE)}); // another step writes a part of it
  ASSERT_TRUE(program.plan(true));
  ASSERT_EQ(program.schedule.moves.count, 2u);
  EXPECT_EQ(program.schedule.moves[0].end, 16u);
  EXPECT_EQ(program.schedule.moves[1].begin, 24u) << "what one step alone writes, it writes whole";
  EXPECT_EQ(program.schedule.moves[1].end, 32u);
  ASSERT_EQ(program.schedule.gpu.count, 5u);
  EXPECT_EQ(program.schedule.gpu[0].step, kMove);
}

TEST(Phases, GiveACutItsOwnPhaseTogether) {
  PhasesProgram program;
  program.launch(PhasesProgram::Gpu, {kReadX, kReadState, writeA(0)});
  program.launch(PhasesProgram::Both,
                 {readA(0), kReadX, writeA(16)}); // the GPU's half could go on, the CPU's must wait
  program.launch(PhasesProgram::Both, {readA(16), kReadX, writeA(32)}); // each reads the other's half
  ASSERT_TRUE(program.plan(true));
  ASSERT_EQ(program.schedule.phases.count, 3u);
  for (uint32_t i = 0; i < 3; ++i)
    EXPECT_EQ(program.schedule.phases[i].gpu_end, i + 1);
}

TEST(Phases, CopyOnlyWhatCrosses) {
  PhasesProgram program;
  program.launch(PhasesProgram::Gpu, {kReadX, kReadState, writeA(0)});
  program.launch(PhasesProgram::Gpu, {readA(0), kReadX, writeA(16)}); // stays on the GPU
  program.launch(PhasesProgram::Cpu, {readA(16), kReadX, use(NACRE_SPACE_OUTPUT, 0, 16, NACRE_WRITE)});
  program.launch(PhasesProgram::Gpu, {use(NACRE_SPACE_OUTPUT, 0, 8, NACRE_READ), readA(0), writeA(32)});
  ASSERT_TRUE(program.plan(false));
  uint64_t up = 0, down = 0;
  for (const Copy &copy : program.schedule.uploads)
    up += copy.end - copy.begin;
  for (const Copy &copy : program.schedule.downloads)
    down += copy.end - copy.begin;
  EXPECT_EQ(up, 16u + 8); // x, and the old output that a launch reads; the GPU has the state already
  EXPECT_EQ(down, 16u);   // the output
}

TEST(Phases, LeaveToTheCpuWhatARunDecides) {
  PhasesProgram program;
  program.launch(PhasesProgram::Gpu, {kReadX, kReadState, writeA(0)});
  program.launch(PhasesProgram::Gpu, {kReadX, kReadState, writeA(32)});
  program.bracket(NACRE_STEP_LOOP_BEGIN, 3); // steps 2 ... 5, one part of the CPU
  const size_t branch = program.branch(use(NACRE_SPACE_ARENA, 32, 1, NACRE_READ));
  program.launch(PhasesProgram::Cpu,
                 {use(NACRE_SPACE_INPUT, 0, 4, NACRE_READ), use(NACRE_SPACE_ARENA, 16, 4, NACRE_WRITE, 4)});
  program.bracket(NACRE_STEP_LOOP_END, 0);
  program.steps[branch].target = 5;
  program.launch(PhasesProgram::Gpu, {readA(16), kReadX, writeA(48)});
  ASSERT_TRUE(program.plan(false));
  const Schedule &schedule = program.schedule;
  ASSERT_EQ(schedule.cpu.count, 1u);
  EXPECT_EQ(schedule.cpu[0].step, 2u);
  ASSERT_EQ(schedule.phases.count, 3u) << "it waits for its condition, and is waited for";
  EXPECT_EQ(schedule.phases[0].gpu_end, 2u);
  EXPECT_EQ(schedule.phases[1].cpu_end, 1u);
  uint64_t up = 0, down = 0;
  for (const Copy &copy : schedule.uploads)
    up += copy.phase == 2 ? copy.end - copy.begin : 0;
  for (const Copy &copy : schedule.downloads)
    down += copy.end - copy.begin;
  EXPECT_EQ(down, 1u);   // the condition; the rows that may be written were never on the GPU
  EXPECT_EQ(up, 3u * 4); // all that any iteration may have written
}

TEST(Phases, RefuseLoopsThatAreTooLong) {
  PhasesProgram program;
  program.bracket(NACRE_STEP_LOOP_BEGIN, int64_t(kMaxExecutions) + 1);
  program.launch(PhasesProgram::Gpu, {kReadX, kReadState, writeA(0)});
  program.bracket(NACRE_STEP_LOOP_END, 0);
  EXPECT_FALSE(program.plan(true));
}

} // namespace
} // namespace nacre::test
