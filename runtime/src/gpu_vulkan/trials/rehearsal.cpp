// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements rehearsal.h. All trials use one command buffer, which is recorded again for each. There is one descriptor
// set for each number of bindings.

#include "runtime/src/gpu_vulkan/trials/rehearsal.h"
#include "runtime/src/gpu_vulkan/recording.h"
#include "runtime/src/gpu_vulkan/trials/agreement.h"

namespace nacre::runtime::gpu {
namespace {

constexpr uint64_t kSixteenBits = NACRE_GPU_NEED(NACRE_GPU_STORAGE_16) | NACRE_GPU_NEED(NACRE_GPU_FLOAT_16) |
                                  NACRE_GPU_NEED(NACRE_GPU_COOPERATIVE_MATRIX);

/// Fills a tensor with values that every model accepts. For example, indices are small enough for any table, and masks
/// are valid.
void fill_from_seed(char *data, const nacre_tensor &tensor) {
  uint64_t random = 1;
  auto next = [&random] { return uint32_t((random = random * 6364136223846793005 + 1442695040888963407) >> 40); };
  auto put = [&](auto make) {
    for (uint64_t at = 0; at + sizeof make(0u) <= tensor.bytes; at += sizeof make(0u)) {
      const auto value = make(next()); // The random number has 24 bits.
      __builtin_memcpy(data + at, &value, sizeof value);
    }
  };
  switch (tensor.element_type) {
  case NACRE_F32:
    return put([](uint32_t bits) { return float(bits) * 0x1p-23f - 1; });
  case NACRE_F64:
    return put([](uint32_t bits) { return double(bits) * 0x1p-23 - 1; });
  case NACRE_F16: // Random fraction, exponent from 2^-8 to 2^-1, and sign.
    return put([](uint32_t bits) { return uint16_t((bits & 0x83ff) | (7 + (bits >> 16 & 7)) << 10); });
  case NACRE_BF16:
    return put([](uint32_t bits) { return uint16_t((bits & 0x807f) | (119 + (bits >> 16 & 7)) << 7); });
  case NACRE_U8: // Pixels and quantized values, which are no indices.
  case NACRE_I8:
    return put([](uint32_t bits) { return uint8_t(bits); });
  case NACRE_U16:
  case NACRE_I16:
    return put([](uint32_t bits) { return uint16_t(bits & 1); });
  case NACRE_I32:
  case NACRE_U32:
    return put([](uint32_t bits) { return bits & 1; });
  case NACRE_I64:
  case NACRE_U64:
    return put([](uint32_t bits) { return uint64_t(bits & 1); });
  default:
    return put([](uint32_t bits) { return uint8_t(bits & 1); });
  }
}

/// Calls `each(operand, address in the session's block, offset in the layout)` for the operands that the GPU may bind.
template <typename Function> void for_each_operand(const Engine &engine, const Part &part, Function each) {
  const Session &session = *engine.session;
  const nacre_step &step = session.view.entry->steps[part.step];
  for (uint32_t i = 0; i < step.operand_count; ++i) {
    const nacre_operand &operand = session.view.entry->operands[step.first_operand + i];
    const Region &region = region_of(engine.layout, operand);
    const uint64_t first = begin_of(engine.layout, operand, part.iteration);
    // An operand that is not inside its storage is skipped here, and refused when it is bound.
    if (operand.space != NACRE_SPACE_WEIGHT && region.on_gpu && first + operand.bytes <= region.begin + region.bytes)
      each(operand, address_of(session, session.view.memory, operand) + operand.step * part.iteration,
           begin_of(engine, part, i));
  }
}

VkDescriptorSet set_for(Rehearsal &rehearsal, uint32_t bindings) {
  Engine &engine = rehearsal.engine;
  VkDescriptorSet &set = rehearsal.sets[bindings];
  if (set)
    return set;
  VkDescriptorSetAllocateInfo request = {};
  request.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  request.descriptorPool = engine.recordings[0].descriptors;
  request.descriptorSetCount = 1;
  request.pSetLayouts = &engine.pipelines.sets[bindings];
  VkDescriptorSet made = {};
  if (succeeded(engine.device.loader.vk.AllocateDescriptorSets(engine.device.handle, &request, &made),
                "vkAllocateDescriptorSets", rehearsal.reason))
    set = made;
  return set;
}

} // namespace

bool open(Rehearsal &rehearsal) {
  Engine &engine = rehearsal.engine;
  const Session &session = *engine.session;
  const nacre_entry &entry = *session.view.entry;
  engine.unified = engine.device.traits.unified;
  if (!lay_out(*session.model, entry, engine.shares, true, engine.pool, engine.layout))
    return refuse_memory(rehearsal.reason);
  // Bindings of all sets: there is one set for each number of bindings.
  constexpr VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kMaxBindings * (kMaxBindings + 1) / 2};
  VkDescriptorPoolCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.maxSets = kMaxBindings + 1;
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  if (!make_storages(engine, engine.layout.buffer_bytes, rehearsal.reason) ||
      !upload_weights(engine, rehearsal.reason) ||
      !succeeded(engine.device.loader.vk.CreateDescriptorPool(engine.device.handle, &info, nullptr,
                                                              &engine.recordings[0].descriptors),
                 "vkCreateDescriptorPool", rehearsal.reason) ||
      !make_commands(engine.device, 1, &rehearsal.commands, rehearsal.reason))
    return false;
  for (uint32_t i = 0; i < entry.input_count; ++i)
    fill_from_seed(session.view.memory.inputs[i].own, entry.inputs[i]);
  // Bytes that no launch writes must be equal for both engines, and must not be large numbers.
  for (uint32_t i = 0; i < entry.output_count; ++i)
    __builtin_memset(session.view.memory.outputs[i].own, 0, entry.outputs[i].bytes);
  __builtin_memset(session.view.memory.arena, 0, entry.arena_bytes);
  return true;
}

void bring(Rehearsal &rehearsal, const Part &part) {
  Engine &engine = rehearsal.engine;
  engine.schedule.uploads.count = engine.schedule.downloads.count = 0;
  for_each_operand(engine, part, [&engine](const nacre_operand &operand, const char *from, uint64_t to) {
    __builtin_memcpy(seen_by_cpu(engine) + to, from, operand.bytes);
    if (engine.unified)
      return;
    for (const Copy &copy : engine.schedule.uploads)
      if (copy.begin == to && copy.end == to + operand.bytes)
        return; // Another operand already copies these bytes.
    engine.schedule.uploads.add(engine.pool, {0, to, to + operand.bytes});
    if (operand.access != NACRE_READ)
      engine.schedule.downloads.add(engine.pool, {0, to, to + operand.bytes});
  });
}

bool record(Rehearsal &rehearsal, const Part &part, uint32_t times, bool copies) {
  Engine &engine = rehearsal.engine;
  const VulkanApi &vk = engine.device.loader.vk;
  VkDescriptorSet set = {};
  if (engine.pool.failed())
    return refuse_memory(rehearsal.reason); // If the pool failed, some copies may be missing.
  if (times != 0) {
    set = set_for(rehearsal, engine.shares[part.step].variant->binding_count);
    if (!set || !write_descriptors(engine, part, set, rehearsal.reason))
      return false;
  }
  if (!begin_commands(engine.device, rehearsal.commands, false, rehearsal.reason))
    return false;
  Recorder recorder(engine, rehearsal.commands);
  const uint32_t phase = copies ? 0 : UINT32_MAX; // Copies are listed for phase 0. No copy has the phase UINT32_MAX.
  recorder.begin_batch(true);
  recorder.upload(phase);
  for (uint32_t i = 0; i < times; ++i)
    recorder.dispatch({part.step, i != 0, part.iteration, nullptr}, set);
  recorder.end_batch(phase);
  return succeeded(vk.EndCommandBuffer(rehearsal.commands), "vkEndCommandBuffer", rehearsal.reason);
}

bool begin(Rehearsal &rehearsal) { return submit(rehearsal.engine.device, rehearsal.commands, rehearsal.reason); }

bool end(Rehearsal &rehearsal) {
  Device &device = rehearsal.engine.device;
  return wait_for(device, device.meeting.submitted, rehearsal.reason);
}

bool agrees(const Rehearsal &rehearsal, const Part &part) {
  const Engine &engine = rehearsal.engine;
  const double tolerance = engine.shares[part.step].variant->needs & kSixteenBits ? kTolerance16 : kTolerance;
  bool same = true;
  for_each_operand(engine, part, [&](const nacre_operand &operand, const char *expected, uint64_t at) {
    if (operand.access != NACRE_READ)
      same = same && agree(seen_by_cpu(engine) + at, expected, operand.bytes, operand.element_type, tolerance);
  });
  return same;
}

} // namespace nacre::runtime::gpu
