// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the plan of a run on two engines, against a run of one.
// Why:   a missing barrier, phase or copy gives wrong answers on some devices on some days; here it does on all.
// How:   small programs with known plans; then random programs, whose plans are executed in the worst orders that they
//        allow, on one memory and on two, and must leave the same bytes as the program in its own order.

#include "runtime/src/gpu_vulkan/phases.h"
#include "runtime/src/allocator.h"
#include "runtime/src/steps.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace nacre::test {
namespace {

using namespace runtime;
using namespace runtime::gpu;

constexpr uint64_t kBytes = 64; // of the input, the output, the state and the arena each

/// An entry of one input, one output, state and arena, and what the plan makes of it.
struct Program {
  Program() : pool(allocator_or_libc(nullptr)) {}
  ~Program() { pool.release(); }

  enum Engine { Cpu, Gpu, Both };
  void launch(Engine engine, std::vector<nacre_operand> of) {
    nacre_step step = {};
    step.kind = NACRE_STEP_LAUNCH;
    step.first_operand = uint32_t(operands.size());
    step.operand_count = uint32_t(of.size());
    operands.insert(operands.end(), of.begin(), of.end());
    steps.push_back(step);
    Share share = {&variant, 0, engine == Cpu ? 0 : 1, 0, engine == Gpu ? 0 : 1};
    shares.push_back(share);
  }
  void bracket(nacre_step_kind kind, int64_t trips) {
    nacre_step step = {};
    step.kind = kind;
    step.trip_count = trips;
    steps.push_back(step);
    shares.push_back({});
  }

  /// The index of a branch over the launches that follow it; its target is to be set.
  size_t branch(const nacre_operand &condition) {
    nacre_step step = {};
    step.kind = NACRE_STEP_BRANCH_IF_ZERO;
    step.first_operand = uint32_t(operands.size());
    step.operand_count = 1;
    operands.push_back(condition);
    steps.push_back(step);
    shares.push_back({});
    return steps.size() - 1;
  }

  bool plan(bool unified) {
    entry = {};
    entry.inputs = entry.outputs = &tensor;
    entry.input_count = entry.output_count = 1;
    entry.arena_bytes = kBytes;
    entry.steps = steps.data();
    entry.step_count = uint32_t(steps.size());
    entry.operands = operands.data();
    entry.operand_count = uint32_t(operands.size());
    entry.first_write = writesState ? 0 : entry.step_count;
    model.state_bytes = kBytes;
    // Whatever any launch binds, the GPU may touch; that it binds all of its operands is the worst.
    schedule = {};
    layout = {};
    return lay_out(model, entry, shares.data(), false, pool, layout) &&
           plan_phases(entry, shares.data(), layout, unified, pool, schedule);
  }

  bool writesState = true;
  MemoryPool pool;
  nacre_model_table model = {};
  nacre_tensor tensor = {0, NACRE_U8, 0, 0, kBytes, 1, 0, NACRE_NO_BOUNDS, NACRE_NO_COUNTS};
  uint8_t bindings[4] = {0, 1, 2, 3};
  nacre_gpu_variant variant = {nullptr, bindings, 0, 1, 0, 3, 1, 1, 0, 0, 0, 0, 0, 0};
  nacre_entry entry = {};
  std::vector<nacre_step> steps;
  std::vector<nacre_operand> operands;
  std::vector<Share> shares;
  Layout layout = {};
  Schedule schedule = {};
};

nacre_operand use(nacre_space space, uint64_t offset, uint64_t bytes, nacre_access access, int64_t step = 0) {
  return {uint32_t(space), 0, offset, step, bytes, uint32_t(access), 0};
}

const nacre_operand kReadX = use(NACRE_SPACE_INPUT, 0, 16, NACRE_READ);
const nacre_operand kReadState = use(NACRE_SPACE_STATE, 0, 16, NACRE_READ);
nacre_operand readA(uint64_t at) { return use(NACRE_SPACE_ARENA, at, 16, NACRE_READ); }
nacre_operand writeA(uint64_t at) { return use(NACRE_SPACE_ARENA, at, 16, NACRE_WRITE); }

std::vector<bool> barriersOf(const Program &program) {
  std::vector<bool> barriers;
  for (const Part &part : program.schedule.gpu)
    barriers.push_back(part.barrier);
  return barriers;
}

TEST(Phases, PutABarrierOnlyWhereADispatchDependsOnAnother) {
  Program program;
  program.launch(Program::Gpu, {kReadX, kReadState, writeA(0)});
  program.launch(Program::Gpu, {kReadX, kReadState, writeA(16)});  // beside the first
  program.launch(Program::Gpu, {readA(0), readA(16), writeA(32)}); // after both
  program.launch(Program::Gpu, {kReadX, kReadState, writeA(48)});  // needs nothing since then
  program.launch(Program::Gpu, {readA(0), readA(16), writeA(32)}); // writes what the third wrote
  ASSERT_TRUE(program.plan(true));
  EXPECT_EQ(program.schedule.phases.count, 1u);
  EXPECT_EQ(barriersOf(program), (std::vector<bool>{false, false, true, false, true}));
  EXPECT_EQ(program.schedule.barriers, 2u);
}

TEST(Phases, RunEnginesSideBySideUntilOneNeedsTheOther) {
  Program program;
  program.launch(Program::Gpu, {kReadX, kReadState, writeA(0)});
  program.launch(Program::Cpu, {kReadX, kReadState, writeA(16)}); // beside it
  program.launch(Program::Gpu, {readA(0), kReadX, writeA(32)});   // of the same batch
  program.launch(Program::Cpu, {readA(0), kReadX, writeA(48)});   // reads what the GPU wrote
  ASSERT_TRUE(program.plan(true));
  ASSERT_EQ(program.schedule.phases.count, 2u);
  EXPECT_EQ(program.schedule.phases[0].gpu_end, 2u);
  EXPECT_EQ(program.schedule.phases[0].cpu_end, 1u);
}

TEST(Phases, WaitBeforeOverwritingWhatTheOtherReads) {
  Program program;
  program.launch(Program::Cpu, {readA(0), kReadX, writeA(16)});
  program.launch(Program::Gpu, {kReadX, kReadState, writeA(0)});
  ASSERT_TRUE(program.plan(true));
  EXPECT_EQ(program.schedule.phases.count, 2u);
}

TEST(Phases, CopyNoStateThatARunOnlyReads) {
  for (bool writes : {true, false}) {
    Program program;
    program.writesState = writes;
    program.launch(Program::Gpu, {kReadState, writeA(0)});
    ASSERT_TRUE(program.plan(false));
    EXPECT_EQ(program.schedule.uploads.count, writes ? 1u : 0u);
    EXPECT_EQ(program.schedule.downloads.count, 0u);
  }
}

TEST(Phases, GiveACutItsOwnPhaseTogether) {
  Program program;
  program.launch(Program::Gpu, {kReadX, kReadState, writeA(0)});
  program.launch(Program::Both, {readA(0), kReadX, writeA(16)});  // the GPU's half could go on, the CPU's must wait
  program.launch(Program::Both, {readA(16), kReadX, writeA(32)}); // each reads the other's half
  ASSERT_TRUE(program.plan(true));
  ASSERT_EQ(program.schedule.phases.count, 3u);
  for (uint32_t i = 0; i < 3; ++i)
    EXPECT_EQ(program.schedule.phases[i].gpu_end, i + 1);
}

TEST(Phases, CopyOnlyWhatCrosses) {
  Program program;
  program.launch(Program::Gpu, {kReadX, kReadState, writeA(0)});
  program.launch(Program::Gpu, {readA(0), kReadX, writeA(16)}); // stays on the GPU
  program.launch(Program::Cpu, {readA(16), kReadX, use(NACRE_SPACE_OUTPUT, 0, 16, NACRE_WRITE)});
  program.launch(Program::Gpu, {use(NACRE_SPACE_OUTPUT, 0, 8, NACRE_READ), readA(0), writeA(32)});
  ASSERT_TRUE(program.plan(false));
  uint64_t up = 0, down = 0;
  for (const Copy &copy : program.schedule.uploads)
    up += copy.end - copy.begin;
  for (const Copy &copy : program.schedule.downloads)
    down += copy.end - copy.begin;
  EXPECT_EQ(up, 16u + 16 + 8); // x, the state, and what is read of the output
  EXPECT_EQ(down, 16u);        // what the CPU reads
}

TEST(Phases, LeaveToTheCpuWhatARunDecides) {
  Program program;
  program.launch(Program::Gpu, {kReadX, kReadState, writeA(0)});
  program.launch(Program::Gpu, {kReadX, kReadState, writeA(32)});
  program.bracket(NACRE_STEP_LOOP_BEGIN, 3); // steps 2 ... 5, one part of the CPU
  const size_t branch = program.branch(use(NACRE_SPACE_ARENA, 32, 1, NACRE_READ));
  program.launch(Program::Cpu,
                 {use(NACRE_SPACE_INPUT, 0, 4, NACRE_READ), use(NACRE_SPACE_ARENA, 16, 4, NACRE_WRITE, 4)});
  program.bracket(NACRE_STEP_LOOP_END, 0);
  program.steps[branch].target = 5;
  program.launch(Program::Gpu, {readA(16), kReadX, writeA(48)});
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
  EXPECT_EQ(up, 3u * 4); // all that any turn may have written
}

TEST(Phases, RefuseLoopsThatAreTooLong) {
  Program program;
  program.bracket(NACRE_STEP_LOOP_BEGIN, int64_t(kMaxExecutions) + 1);
  program.launch(Program::Gpu, {kReadX, kReadState, writeA(0)});
  program.bracket(NACRE_STEP_LOOP_END, 0);
  EXPECT_FALSE(program.plan(true));
}

// --- Random programs

using Memory64 = std::vector<uint64_t>; // a cell for each byte of the layout

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t bits = a * 0x9e3779b97f4a7c15 ^ (b + 0x7f4a7c159e3779b9);
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  return bits ^ bits >> 27;
}

enum Half { Whole, First, Second };

/// What a launch does: each byte that it writes is a function of what it reads, and of what was there if it reads and
/// writes. Every fifth byte is left alone, as kernels may, but not by the first two, which fill arena and output. Of a
/// cut, each engine does its half of the bytes.
void execute(const Program &program, const Part &part, Half half, Memory64 &memory) {
  const nacre_step &step = program.steps[part.step];
  auto range = [&](const nacre_operand &operand) {
    const uint64_t begin = begin_of(program.layout, operand, part.iteration);
    return std::pair(begin, begin + operand.bytes);
  };
  uint64_t seed = mix(part.step, uint64_t(part.iteration));
  std::vector<std::pair<uint64_t, uint64_t>> writes;
  for (uint32_t i = 0; i < step.operand_count; ++i) {
    const nacre_operand &operand = program.operands[step.first_operand + i];
    const auto [begin, end] = range(operand);
    for (uint64_t at = begin; operand.access == NACRE_READ && at < end; ++at)
      seed = mix(seed, memory[at]);
  }
  for (uint32_t i = 0; i < step.operand_count; ++i) {
    const nacre_operand &operand = program.operands[step.first_operand + i];
    const auto [begin, end] = range(operand);
    for (uint64_t at = begin; operand.access != NACRE_READ && at < end; ++at) {
      const bool inFirst = at < (begin + end) / 2;
      if ((at % 5 != 0 || part.step < 2) && (half == Whole || inFirst == (half == First)))
        memory[at] = mix(seed + at, operand.access == NACRE_READ_WRITE ? memory[at] : 0);
    }
  }
}

/// What a run on one engine makes of whole stretches.
void executeSteps(const Program &program, uint32_t first, uint32_t end, Memory64 &memory) {
  char condition = 0;
  auto read = [&](const nacre_step &step, int64_t iteration) {
    condition = memory[begin_of(program.layout, program.operands[step.first_operand], iteration)] % 3 == 0;
    return &condition;
  };
  walk_steps(
      program.entry, first, end, NACRE_ENDLESS, [](uint32_t) { return true; }, read,
      [&](uint32_t step, int64_t iteration) { execute(program, {step, false, iteration}, Whole, memory); });
}

/// Executes the plan as badly as it allows: one engine entirely before the other, and what no barrier parts backwards.
void executePlan(const Program &program, bool unified, bool gpuFirst, Memory64 &cpu) {
  Memory64 apart(cpu.size(), 0xdead);
  Memory64 &gpu = unified ? cpu : apart;
  const Schedule &schedule = program.schedule;
  auto isCut = [&](const Part &part) {
    return program.shares[part.step].on_gpu() && program.shares[part.step].on_cpu();
  };
  auto copy = [&](const List<Copy> &copies, uint32_t phase, const Memory64 &from, Memory64 &to) {
    for (const Copy &copy : copies)
      if (copy.phase == phase)
        std::copy(from.begin() + long(copy.begin), from.begin() + long(copy.end), to.begin() + long(copy.begin));
  };
  for (uint32_t phase = 0; phase < schedule.phases.count; ++phase) {
    const uint32_t gpuBegin = phase ? schedule.phases[phase - 1].gpu_end : 0;
    const uint32_t cpuBegin = phase ? schedule.phases[phase - 1].cpu_end : 0;
    auto runBatch = [&] {
      copy(schedule.uploads, phase, cpu, gpu);
      for (uint32_t first = gpuBegin; first < schedule.phases[phase].gpu_end;) {
        uint32_t end = first + 1;
        while (end < schedule.phases[phase].gpu_end && !schedule.gpu[end].barrier)
          ++end;
        for (uint32_t i = end; i-- > first;)
          execute(program, schedule.gpu[i], isCut(schedule.gpu[i]) ? First : Whole, gpu);
        first = end;
      }
      copy(schedule.downloads, phase, gpu, cpu);
    };
    if (gpuFirst)
      runBatch();
    for (uint32_t i = cpuBegin; i < schedule.phases[phase].cpu_end; ++i) {
      const Part &part = schedule.cpu[i];
      if (program.steps[part.step].kind == NACRE_STEP_LAUNCH)
        execute(program, part, isCut(part) ? Second : Whole, cpu);
      else
        executeSteps(program, part.step, stretch_at(program.entry, part.step).end, cpu);
    }
    if (!gpuFirst)
      runBatch();
  }
}

void executeInOrder(const Program &program, Memory64 &memory) {
  executeSteps(program, 0, uint32_t(program.steps.size()), memory);
}

/// A branch over launches of the CPU, perhaps in a loop, in which their operands move.
void addDecision(Program &program, std::mt19937 &random) {
  auto below = [&random](unsigned limit) { return unsigned(random() % limit); };
  const nacre_space spaces[] = {NACRE_SPACE_ARENA, NACRE_SPACE_OUTPUT, NACRE_SPACE_STATE};
  auto step = [&] { return int64_t(below(3)) * 4 - 4; };
  const bool loops = below(2);
  if (loops)
    program.bracket(NACRE_STEP_LOOP_BEGIN, 1 + below(3));
  const size_t branch = program.branch(use(spaces[below(3)], 8 + below(40), 1, NACRE_READ, loops ? step() : 0));
  for (unsigned i = 1 + below(2); i > 0; --i)
    program.launch(Program::Cpu, {use(NACRE_SPACE_INPUT, 8 + below(32), 4, NACRE_READ, loops ? step() : 0), kReadX,
                                  use(spaces[below(3)], 8 + below(32), 1 + below(12),
                                      below(2) ? NACRE_WRITE : NACRE_READ_WRITE, loops ? step() : 0)});
  program.steps[branch].target = uint32_t(program.steps.size());
  if (loops)
    program.bracket(NACRE_STEP_LOOP_END, 0);
}

Program &randomProgram(Program &program, std::mt19937 &random, bool cuts) {
  auto below = [&random](unsigned limit) { return unsigned(random() % limit); };
  for (nacre_space space : {NACRE_SPACE_ARENA, NACRE_SPACE_OUTPUT})
    program.launch(Program::Engine(below(cuts ? 3 : 2)), {kReadX, kReadState, use(space, 0, kBytes, NACRE_WRITE)});
  for (unsigned i = 2 + below(14); i > 0; --i) {
    std::vector<nacre_operand> operands;
    for (int k = 0; k < 3; ++k) {
      const nacre_space spaces[] = {NACRE_SPACE_ARENA, NACRE_SPACE_INPUT, NACRE_SPACE_OUTPUT, NACRE_SPACE_STATE};
      nacre_space space = spaces[below(6) < 3 ? 0 : below(4)];
      const uint64_t begin = below(4) * 16 + below(2) * 4;
      const nacre_access accesses[] = {NACRE_READ, k == 2 ? NACRE_WRITE : NACRE_READ, NACRE_READ_WRITE};
      const nacre_access access = k == 2 ? accesses[1 + below(2)] : NACRE_READ;
      if (access != NACRE_READ && space == NACRE_SPACE_INPUT)
        space = NACRE_SPACE_OUTPUT;
      operands.push_back(use(space, begin, 4 + below(9), access));
    }
    // A launch does not read what it writes through another operand.
    for (int k = 0; k < 2; ++k)
      if (operands[k].space == operands[2].space)
        operands[k].space = NACRE_SPACE_INPUT;
    program.launch(Program::Engine(below(cuts ? 3 : 2)), operands);
    if (below(6) == 0)
      addDecision(program, random);
  }
  return program;
}

void checkAgainstOrder(bool unified) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    Program program;
    ASSERT_TRUE(randomProgram(program, random, unified).plan(unified));
    const uint64_t cells = 4 * 256; // regions are 256 bytes apart
    for (bool gpuFirst : {false, true}) {
      Memory64 expected(cells), memory(cells);
      for (uint64_t i = 0; i < cells; ++i)
        expected[i] = memory[i] = mix(seed, i);
      for (int run = 0; run < 3; ++run) { // the state goes on from run to run
        executeInOrder(program, expected);
        executePlan(program, unified, gpuFirst, memory);
        for (const Region *region : {&program.layout.state, &program.layout.outputs[0]})
          for (uint64_t at = region->begin; at < region->begin + region->bytes; ++at)
            ASSERT_EQ(memory[at], expected[at]) << "seed " << seed << ", run " << run << ", byte " << at;
      }
    }
  }
}

TEST(Phases, GiveTheSameBytesOnOneMemory) { checkAgainstOrder(true); }
TEST(Phases, GiveTheSameBytesOnTwoMemories) { checkAgainstOrder(false); }

} // namespace
} // namespace nacre::test
