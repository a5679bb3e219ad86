// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the batches of a run.
// Why: a run only submits recorded batches; it does nothing else for the GPU.
// How: each dispatch has a descriptor set. Barriers are recorded where the plan has one, and between copies, dispatches
//      and reads.

#include "runtime/src/gpu_vulkan/recording.h"

namespace nacre::runtime::gpu {
namespace {

const nacre_operand &operand_of(const Engine &engine, const Part &part, uint32_t binding) {
  const nacre_entry &entry = *engine.session->view.entry;
  return entry.operands[entry.steps[part.step].first_operand + engine.shares[part.step].variant->bindings[binding]];
}

/// Returns the distance of a shifted operand at offset `begin` from the last earlier offset at which the device can
/// bind a buffer.
uint64_t shift_of(const Engine &engine, uint64_t begin) { return begin % engine.device.traits.capabilities.alignment; }

/// Makes a descriptor set for each part of the GPU that is not a move.
bool make_descriptors(Engine &engine, VkDescriptorPool &pool, VkDescriptorSet *sets, Reason &reason) {
  const VulkanApi &vk = engine.device.loader.vk;
  const List<Part> &parts = engine.schedule.gpu;
  VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0};
  auto *layouts = engine.pool.take_array<VkDescriptorSetLayout>(parts.count);
  if (!layouts)
    return refuse_memory(reason);
  uint32_t count = 0;
  for (const Part &part : parts)
    if (part.step != kMove) {
      const uint32_t bindings = engine.shares[part.step].variant->binding_count;
      layouts[count++] = engine.pipelines.sets[bindings];
      size.descriptorCount += bindings;
    }
  VkDescriptorPoolCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.maxSets = count;
  info.poolSizeCount = size.descriptorCount ? 1 : 0;
  info.pPoolSizes = &size;
  if (!succeeded(vk.CreateDescriptorPool(engine.device.handle, &info, nullptr, &pool), "vkCreateDescriptorPool",
                 reason))
    return false;
  VkDescriptorSetAllocateInfo request = {};
  request.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  request.descriptorPool = pool;
  request.descriptorSetCount = count;
  request.pSetLayouts = layouts;
  return succeeded(vk.AllocateDescriptorSets(engine.device.handle, &request, sets), "vkAllocateDescriptorSets", reason);
}

/// Records one phase, whose parts begin at index `first`. `sets` points to the next unused descriptor set.
bool record_phase(Engine &engine, const Batch &batch, uint32_t phase, uint32_t first, const VkDescriptorSet *&sets,
                  Reason &reason) {
  if (!begin_commands(engine.device, batch.commands, false, reason))
    return false;
  const uint32_t end = engine.schedule.phases[phase].gpu_end;
  const VulkanApi &vk = engine.device.loader.vk;
  Recorder recorder(engine, batch.commands);
  if (engine.queries)
    vk.CmdResetQueryPool(batch.commands, engine.queries, batch.first_query, end - first + 1);
  recorder.begin_batch(batch.waits);
  recorder.upload(phase);
  uint32_t query = batch.first_query;
  recorder.stamp(query);
  for (uint32_t i = first; i < end; ++i) {
    const Part &part = engine.schedule.gpu[i];
    if (part.step == kMove) {
      state_parts(*engine.session)->record_move(engine, batch.commands, part);
    } else {
      if (!write_descriptors(engine, part, *sets, reason))
        return false;
      recorder.dispatch(part, *sets++);
    }
    recorder.stamp(++query);
  }
  recorder.end_batch(phase);
  return succeeded(vk.EndCommandBuffer(batch.commands), "vkEndCommandBuffer", reason);
}

bool make_queries(Engine &engine, Reason &reason) {
  if (!engine.session->view.times || !engine.device.traits.timestamp_bits || engine.queries)
    return true;
  engine.ticks = engine.pool.take_array<uint64_t>(engine.schedule.gpu.count + engine.schedule.phases.count);
  if (!engine.ticks)
    return true;
  VkQueryPoolCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = engine.schedule.gpu.count + engine.recordings[0].submissions.count;
  return succeeded(engine.device.loader.vk.CreateQueryPool(engine.device.handle, &info, nullptr, &engine.queries),
                   "vkCreateQueryPool", reason);
}

} // namespace

uint64_t begin_of(const Engine &engine, const Part &part, uint32_t i) {
  const nacre_entry &entry = *engine.session->view.entry;
  const nacre_operand &operand = entry.operands[entry.steps[part.step].first_operand + i];
  const uint64_t begin = begin_of(engine.layout, operand, part.iteration);
  if (operand.space != NACRE_SPACE_STATE)
    return begin;
  return begin + state_parts(*engine.session)->to_copy(engine.layout, part, i, operand);
}

bool write_descriptors(Engine &engine, const Part &part, VkDescriptorSet set, Reason &reason) {
  const nacre_gpu_variant &variant = *engine.shares[part.step].variant;
  VkDescriptorBufferInfo buffers[kMaxBindings];
  VkWriteDescriptorSet writes[kMaxBindings];
  for (uint32_t i = 0; i < variant.binding_count; ++i) {
    const nacre_operand &operand = operand_of(engine, part, i);
    const Region &region = region_of(engine.layout, operand);
    const uint64_t in_plan = begin_of(engine.layout, operand, part.iteration);
    if (in_plan < region.begin || in_plan + operand.bytes > region.begin + region.bytes) {
      const nacre_step &step = engine.session->view.entry->steps[part.step];
      reason << "the model's tables are damaged at '" << engine.session->model->strings + step.name
             << "': an operand is larger than its storage";
      return false;
    }
    const bool is_weight = operand.space == NACRE_SPACE_WEIGHT;
    const uint64_t begin = begin_of(engine, part, variant.bindings[i]);
    const uint64_t shift = is_shifted(variant, i) ? shift_of(engine, begin) : 0;
    const Piece piece = piece_of(variant, i, operand.bytes);
    buffers[i] = {is_weight ? engine.weights.buffer : engine.storages.buffer, begin + piece.begin - shift,
                  piece.bytes + shift};
    writes[i] = {};
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = set;
    writes[i].dstBinding = i;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    writes[i].pBufferInfo = &buffers[i];
  }
  engine.device.loader.vk.UpdateDescriptorSets(engine.device.handle, variant.binding_count, writes, 0, nullptr);
  return true;
}

void Recorder::dispatch(const Part &part, VkDescriptorSet set) {
  const Share &share = engine.shares[part.step];
  const nacre_gpu_variant &variant = *share.variant;
  const VkPipelineLayout layout = engine.pipelines.layouts[variant.binding_count];
  PushConstants constants = {int32_t(share.gpu_begin), int32_t(share.gpu_end), {}};
  uint32_t shifts = 0;
  for (uint32_t i = 0; i < variant.binding_count; ++i)
    if (is_shifted(variant, i))
      constants.shifts[shifts++] = int32_t(shift_of(engine, begin_of(engine, part, variant.bindings[i])));
  const int64_t rows = (share.gpu_end - share.gpu_begin + variant.unit_extent - 1) / variant.unit_extent;
  if (part.barrier)
    barrier(kCompute, VK_ACCESS_SHADER_WRITE_BIT, kCompute, kShader);
  const VkPipeline pipeline = pipeline_of(engine.pipelines, code_of(engine, part.step));
  if (pipeline != bound)
    vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, bound = pipeline);
  vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  vk.CmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, (2 + shifts) * sizeof(int32_t), &constants);
  vk.CmdDispatch(commands, variant.groups, uint32_t(rows), 1);
}

void Recorder::end_batch(uint32_t phase) {
  bool copies = false;
  for (const Copy &download : engine.schedule.downloads)
    copies |= download.phase == phase;
  if (copies) {
    barrier(kCompute, VK_ACCESS_SHADER_WRITE_BIT, kTransfer, VK_ACCESS_TRANSFER_READ_BIT);
    copy(engine.schedule.downloads, phase, engine.storages.buffer, engine.mirror.buffer);
  }
  barrier(copies ? kTransfer : kCompute, copies ? VK_ACCESS_TRANSFER_WRITE_BIT : VK_ACCESS_SHADER_WRITE_BIT,
          VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

bool record(Engine &engine, Recording &recording, Reason &reason) {
  const List<Phase> &phases = engine.schedule.phases;
  recording.batches = engine.pool.take_array<Batch>(phases.count);
  auto *commands = engine.pool.take_array<VkCommandBuffer>(phases.count);
  auto *sets = engine.pool.take_array<VkDescriptorSet>(engine.schedule.gpu.count);
  uint32_t count = 0;
  for (uint32_t i = 0, first = 0; i < phases.count; first = phases[i++].gpu_end)
    count += first != phases[i].gpu_end;
  if (!make_submissions(count, engine.pool, recording.submissions))
    return refuse_memory(reason);
  if (!make_descriptors(engine, recording.descriptors, sets, reason) || !make_queries(engine, reason) ||
      !make_commands(engine.device, count, commands, reason))
    return false;
  const VkDescriptorSet *unused = sets;
  for (uint32_t i = 0, first = 0, made = 0; i < phases.count; first = phases[i++].gpu_end)
    if (first != phases[i].gpu_end) {
      recording.batches[i] = {commands[made], first + made, i > 0 && phases[i - 1].cpu_end > 0};
      recording.submissions.infos[made].pCommandBuffers = &recording.batches[i].commands;
      ++made;
      if (!record_phase(engine, recording.batches[i], i, first, unused, reason))
        return false;
    }
  return true;
}

} // namespace nacre::runtime::gpu
