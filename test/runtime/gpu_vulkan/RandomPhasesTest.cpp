// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the plan of a run on two engines, against a run of one, for random programs.
// Why:   a missing barrier, phase or copy gives wrong answers on some devices on some days; here it does on all.
// How:   plans are executed in the worst orders that they allow, on one memory and on two, and must leave the same
//        bytes as the program in its own order, whose state is in one place.

#include "runtime/src/steps.h"
#include "test/runtime/gpu_vulkan/PhasesProgram.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace nacre::test {
namespace {

using Memory64 = std::vector<uint64_t>; // a cell for each byte of the layout

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t bits = a * 0x9e3779b97f4a7c15 ^ (b + 0x7f4a7c159e3779b9);
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  return bits ^ bits >> 27;
}

enum Half { Whole, First, Second };

/// Places of the state in a run: in place, or in two copies, of which it reads number `current`.
struct State {
  bool hasCopies;
  uint32_t current;
};

constexpr State kInPlace = {false, 0};

/// Executes a launch: each byte that it writes is a function of its inputs, and of the old byte if it reads and
/// writes. Launches leave every fifth byte as it is, as kernels may; the first two do not, because they fill arena and
/// output. In a cut, each engine writes its half of the bytes.
void execute(const PhasesProgram &program, const Part &part, Half half, State state, Memory64 &memory) {
  const Layout &layout = program.layout;
  if (part.step == kMove) {
    const ByteRange &move = program.schedule.moves[uint32_t(part.iteration)];
    const uint64_t from = placed(layout, layout.state.begin, state.current),
                   to = placed(layout, layout.next_state.begin, state.current);
    std::copy(memory.begin() + long(from + move.begin), memory.begin() + long(from + move.end),
              memory.begin() + long(to + move.begin));
    return;
  }
  const nacre_step &step = program.steps[part.step];
  auto range = [&](const nacre_operand &operand) {
    const bool next =
        state.hasCopies && is_next(part, uint32_t(&operand - &program.operands[step.first_operand]), operand);
    const uint64_t begin =
        placed(layout, begin_of(layout, operand, part.iteration) + (next ? to_next_state(layout) : 0), state.current);
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
      const uint64_t inPlace = at - begin + begin_of(layout, operand, part.iteration);
      if ((inPlace % 5 != 0 || part.step < 2) && (half == Whole || inFirst == (half == First)))
        memory[at] = mix(seed + inPlace, operand.access == NACRE_READ_WRITE ? memory[at] : 0);
    }
  }
}

/// Executes a run on one engine, in whole stretches; with two copies of the state, in the one that is written.
void executeSteps(const PhasesProgram &program, uint32_t first, uint32_t end, State state, Memory64 &memory) {
  char condition = 0;
  auto read = [&](const nacre_step &step, int64_t iteration) {
    const nacre_operand &operand = program.operands[step.first_operand];
    const bool next = state.hasCopies && operand.space == NACRE_SPACE_STATE;
    const uint64_t begin = begin_of(program.layout, operand, iteration) + (next ? to_next_state(program.layout) : 0);
    condition = memory[placed(program.layout, begin, state.current)] % 3 == 0;
    return &condition;
  };
  const bool all[4] = {true, true, true, true};
  walk_steps(
      program.entry, first, end, NACRE_ENDLESS, [](uint32_t) { return true; }, read,
      [&](uint32_t step, int64_t iteration) { execute(program, {step, false, iteration, all}, Whole, state, memory); });
}

/// Executes the plan as badly as it allows: one engine entirely before the other, and launches without a barrier
/// between them in reverse order.
void executePlan(const PhasesProgram &program, uint32_t current, bool gpuFirst, Memory64 &cpu, Memory64 &gpu) {
  const Schedule &schedule = program.schedule;
  const State state = {true, current};
  auto isCut = [&](const Part &part) {
    return part.step != kMove && program.shares[part.step].on_gpu() && program.shares[part.step].on_cpu();
  };
  auto copy = [&](const List<Copy> &copies, uint32_t phase, const Memory64 &from, Memory64 &to) {
    for (const Copy &copy : copies)
      if (copy.phase == phase) {
        const long begin = long(placed(program.layout, copy.begin, current)), bytes = long(copy.end - copy.begin);
        std::copy(from.begin() + begin, from.begin() + begin + bytes, to.begin() + begin);
      }
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
          execute(program, schedule.gpu[i], isCut(schedule.gpu[i]) ? First : Whole, state, gpu);
        first = end;
      }
      copy(schedule.downloads, phase, gpu, cpu);
    };
    if (gpuFirst)
      runBatch();
    for (uint32_t i = cpuBegin; i < schedule.phases[phase].cpu_end; ++i) {
      const Part &part = schedule.cpu[i];
      if (part.step == kMove || program.steps[part.step].kind == NACRE_STEP_LAUNCH)
        execute(program, part, isCut(part) ? Second : Whole, state, cpu);
      else
        executeSteps(program, part.step, stretch_at(program.entry, part.step).end, state, cpu);
    }
    if (!gpuFirst)
      runBatch();
  }
}

void executeInOrder(const PhasesProgram &program, Memory64 &memory) {
  executeSteps(program, 0, uint32_t(program.steps.size()), kInPlace, memory);
}

/// A branch over launches of the CPU, perhaps in a loop, in which their operands move.
void addDecision(PhasesProgram &program, std::mt19937 &random) {
  auto below = [&random](unsigned limit) { return unsigned(random() % limit); };
  const nacre_space spaces[] = {NACRE_SPACE_ARENA, NACRE_SPACE_OUTPUT, NACRE_SPACE_STATE};
  auto step = [&] { return int64_t(below(3)) * 4 - 4; };
  const bool loops = below(2);
  if (loops)
    program.bracket(NACRE_STEP_LOOP_BEGIN, 1 + below(3));
  const size_t branch = program.branch(use(spaces[below(3)], 8 + below(40), 1, NACRE_READ, loops ? step() : 0));
  for (unsigned i = 1 + below(2); i > 0; --i)
    program.launch(PhasesProgram::Cpu,
                   {use(NACRE_SPACE_INPUT, 8 + below(32), 4, NACRE_READ, loops ? step() : 0), kReadX,
                    use(spaces[below(3)], 8 + below(32), 1 + below(12), below(2) ? NACRE_WRITE : NACRE_READ_WRITE,
                        loops ? step() : 0)});
  program.steps[branch].target = uint32_t(program.steps.size());
  if (loops)
    program.bracket(NACRE_STEP_LOOP_END, 0);
}

PhasesProgram &randomProgram(PhasesProgram &program, std::mt19937 &random, bool cuts) {
  auto below = [&random](unsigned limit) { return unsigned(random() % limit); };
  for (nacre_space space : {NACRE_SPACE_ARENA, NACRE_SPACE_OUTPUT})
    program.launch(PhasesProgram::Engine(below(cuts ? 3 : 2)),
                   {kReadX, kReadState, use(space, 0, kBytes, NACRE_WRITE)});
  bool writesState = false;
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
    // A launch does not read what it writes through another operand, but for the state, which it may update in place;
    // what two engines update at once is not written before, so that neither sees what the other has done.
    const bool inPlace = below(4) == 0 && (!cuts || !writesState);
    if (inPlace)
      operands[1] = operands[2] = use(NACRE_SPACE_STATE, operands[2].offset, operands[2].bytes, NACRE_WRITE);
    operands[1].access = NACRE_READ;
    for (int k = 0; k < 2; ++k)
      if (operands[k].space == operands[2].space && !inPlace)
        operands[k].space = NACRE_SPACE_INPUT;
    writesState |= operands[2].space == NACRE_SPACE_STATE;
    program.launch(PhasesProgram::Engine(below(cuts ? 3 : 2)), operands);
    if (below(6) == 0) {
      addDecision(program, random);
      writesState = true;
    }
  }
  return program;
}

/// The state as the host would fetch it after runs: what they have written, from the memory that has it.
Memory64 fetched(const PhasesProgram &program, uint32_t current, const Memory64 &cpu, const Memory64 &gpu,
                 Memory64 state) {
  const uint64_t begin = placed(program.layout, program.layout.state.begin, current);
  for (const Written &written : program.schedule.written)
    for (uint64_t at = written.begin; at < written.end; ++at)
      state[at] = (written.on_cpu ? cpu : gpu)[begin + at];
  return state;
}

void checkAgainstOrder(bool unified) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    PhasesProgram program;
    ASSERT_TRUE(randomProgram(program, random, unified).plan(unified));
    const Layout &layout = program.layout;
    const uint64_t cells = 10 * kBindingAlignment; // more than five regions and what keeps them apart
    for (bool gpuFirst : {false, true}) {
      Memory64 expected(cells), cpu(cells), apart(cells, 0xdead);
      for (uint64_t i = 0; i < cells; ++i)
        expected[i] = cpu[i] = mix(seed, i);
      // The host uploads a state to both copies, in both memories.
      Memory64 state(expected.begin() + long(layout.state.begin), expected.begin() + long(layout.state.begin + kBytes));
      for (Memory64 *memory : {&cpu, &apart})
        for (const Region *copy : {&layout.state, &layout.next_state})
          std::copy(state.begin(), state.end(), memory->begin() + long(copy->begin));
      Memory64 &gpu = unified ? cpu : apart;
      uint32_t current = 0;
      for (int run = 0; run < 4; ++run) { // the state goes on from run to run
        const Memory64 before = cpu;
        if (run % 2 != 0) { // a run that is ended, or fails, changes nothing
          cpu[layout.inputs[0].begin] ^= 1;
          executePlan(program, current, gpuFirst, cpu, gpu);
          std::copy_n(before.begin() + long(layout.inputs[0].begin), kBytes,
                      cpu.begin() + long(layout.inputs[0].begin));
        }
        executeInOrder(program, expected);
        executePlan(program, current, gpuFirst, cpu, gpu);
        current = 1 - current;
        state = fetched(program, current, cpu, gpu, state);
        for (uint64_t at = 0; at < kBytes; ++at)
          ASSERT_EQ(state[at], expected[layout.state.begin + at])
              << "seed " << seed << ", run " << run << ", state " << at;
        for (uint64_t at = 0; at < kBytes; ++at)
          ASSERT_EQ(cpu[layout.outputs[0].begin + at], expected[layout.outputs[0].begin + at])
              << "seed " << seed << ", run " << run << ", output " << at;
        for (uint64_t at = program.schedule.cpu_bytes; !unified && at < layout.buffer_bytes; ++at)
          ASSERT_EQ(cpu[at], before[at]) << "seed " << seed << ": the CPU touches what it has no memory for, at " << at;
      }
    }
  }
}

TEST(Phases, GiveTheSameBytesOnOneMemory) { checkAgainstOrder(true); }
TEST(Phases, GiveTheSameBytesOnTwoMemories) { checkAgainstOrder(false); }

} // namespace
} // namespace nacre::test
