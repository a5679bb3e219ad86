// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a small program for two engines, and its plan.
// Why:   tests of single rules and tests of random programs make the same tables.
// How:   steps are added one by one; every launch binds up to four operands, and the GPU binds all of them.

#ifndef NACRE_TEST_RUNTIME_GPU_VULKAN_PHASESPROGRAM_H
#define NACRE_TEST_RUNTIME_GPU_VULKAN_PHASESPROGRAM_H

#include "runtime/src/allocator.h"
#include "runtime/src/gpu_vulkan/plan/phases.h"
#include "runtime/src/slot_functions.h"

#include <vector>

namespace nacre::test {

using namespace runtime;
using namespace runtime::gpu;

constexpr uint64_t kBytes = 64; // of the input, the output, the state and the arena each

/// An entry of one input, one output, state and arena, and its plan.
struct PhasesProgram {
  PhasesProgram() : pool(allocator_or_libc(nullptr)) {}
  ~PhasesProgram() { pool.release(); }

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
           plan_phases_and_state(entry, shares.data(), layout, unified, pool, schedule);
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

inline nacre_operand use(nacre_space space, uint64_t offset, uint64_t bytes, nacre_access access, int64_t step = 0) {
  return {uint32_t(space), 0, offset, step, bytes, uint32_t(access), 0};
}

const nacre_operand kReadX = use(NACRE_SPACE_INPUT, 0, 16, NACRE_READ);
const nacre_operand kReadState = use(NACRE_SPACE_STATE, 0, 16, NACRE_READ);
inline nacre_operand readA(uint64_t at) { return use(NACRE_SPACE_ARENA, at, 16, NACRE_READ); }
inline nacre_operand writeA(uint64_t at) { return use(NACRE_SPACE_ARENA, at, 16, NACRE_WRITE); }

} // namespace nacre::test

#endif // NACRE_TEST_RUNTIME_GPU_VULKAN_PHASESPROGRAM_H
