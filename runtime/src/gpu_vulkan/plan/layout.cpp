// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements layout.h. The first pass marks the storages that the GPU binds. Two more passes assign offsets.

#include "runtime/src/gpu_vulkan/plan/layout.h"

#include "runtime/src/steps.h"

namespace nacre::runtime::gpu {
namespace {

Region &region(Layout &layout, const nacre_operand &operand) {
  switch (operand.space) {
  case NACRE_SPACE_INPUT:
    return layout.inputs[operand.index];
  case NACRE_SPACE_OUTPUT:
    return layout.outputs[operand.index];
  case NACRE_SPACE_STATE:
    return layout.state;
  case NACRE_SPACE_WEIGHT:
    return layout.weights[operand.index];
  default: // The plan refuses all other spaces.
    return layout.arena;
  }
}

/// Gap around a state. The plan merges transfers of adjacent ranges. Transfers of the state must not be merged with
/// others, because the state has two places.
constexpr uint64_t kGuard = kBindingAlignment;

void place(Region &region, uint64_t &end) {
  region.begin = end;
  end += (region.bytes + kBindingAlignment - 1) / kBindingAlignment * kBindingAlignment;
}

} // namespace

bool lay_out(const nacre_model_table &model, const nacre_entry &entry, const Share *shares, bool any_code,
             MemoryPool &pool, Layout &layout) {
  layout.inputs = pool.take_array<Region>(entry.input_count);
  layout.outputs = pool.take_array<Region>(entry.output_count);
  layout.weights = pool.take_array<Region>(model.weight_count);
  if (pool.failed())
    return false;
  layout.state.bytes = model.state_bytes;
  layout.arena.bytes = entry.arena_bytes;
  for (uint32_t i = 0; i < entry.input_count; ++i)
    layout.inputs[i].bytes = entry.inputs[i].bytes;
  for (uint32_t i = 0; i < entry.output_count; ++i)
    layout.outputs[i].bytes = entry.outputs[i].bytes;

  for (uint32_t i = 0; i < entry.step_count; ++i) {
    if (!shares[i].on_gpu())
      continue;
    const nacre_step &step = entry.steps[i];
    const nacre_gpu_variant *variant = any_code ? model.kernels[step.kernel].gpu : shares[i].variant;
    const nacre_gpu_variant *end = variant + (any_code ? model.kernels[step.kernel].gpu_count : 1);
    for (; variant != end; ++variant)
      for (uint32_t k = 0; k < variant->binding_count; ++k)
        if (variant->bindings[k] < step.operand_count)
          region(layout, entry.operands[step.first_operand + variant->bindings[k]]).on_gpu = true;
  }
  if (writes_state(entry))
    layout.next_state = layout.state;

  uint64_t end = 0;
  for (int pass = 0; pass < 2; ++pass) {
    const bool on_gpu = pass == 0;
    auto place_if = [&end, on_gpu](Region &region) {
      if (region.on_gpu == on_gpu)
        place(region, end);
    };
    for (uint32_t i = 0; i < entry.input_count; ++i)
      place_if(layout.inputs[i]);
    for (uint32_t i = 0; i < entry.output_count; ++i)
      place_if(layout.outputs[i]);
    place_if(layout.arena);
    auto place_state = [&end, on_gpu](Region &state) {
      if (state.on_gpu != on_gpu || state.bytes == 0)
        return;
      end += kGuard;
      place(state, end);
    };
    place_state(layout.state);
    place_state(layout.next_state);
    if (on_gpu)
      layout.buffer_bytes = end;
  }
  for (uint32_t i = 0; i < model.weight_count; ++i)
    if (layout.weights[i].on_gpu) {
      layout.weights[i].bytes = model.weights[i].bytes;
      place(layout.weights[i], layout.weight_bytes);
    }
  return true;
}

const Region &region_of(const Layout &layout, const nacre_operand &operand) {
  return region(const_cast<Layout &>(layout), operand);
}

uint64_t begin_of(const Layout &layout, const nacre_operand &operand, int64_t iteration) {
  return region_of(layout, operand).begin + operand.offset + uint64_t(operand.step) * uint64_t(iteration);
}

} // namespace nacre::runtime::gpu
