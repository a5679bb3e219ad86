// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see engine.h: create and destroy.
// Why:   see there.
// How:   create goes from what needs no device to what needs everything; destroy undoes what is there, whatever create
//        stopped at.

#include "runtime/src/gpu_vulkan/engine.h"
#include "runtime/src/platform.h"

namespace nacre::runtime::gpu {
namespace {

bool choose_shares(Engine &engine, const nacre_session_options &options, Reason &reason) {
  const Session &session = *engine.session;
  const nacre_entry &entry = *session.entry;
  engine.shares = engine.pool.take_array<Share>(entry.step_count);
  if (!engine.shares) {
    reason << "the allocator refused memory for the GPU's shares";
    return false;
  }
  for (uint32_t i = 0; i < entry.step_count; ++i) {
    Reason why;
    engine.shares[i] =
        choose_share(*session.model, entry, entry.steps[i], options.gpu_cut, engine.device.traits.capabilities, why);
    if (session.log && why.c_str()[0])
      session.log(session.log_user, NACRE_LOG_INFO, why.c_str());
  }
  return true;
}

/// With memories apart, the halves of a cut storage would have to be put together again, and only its kernel knows
/// which bytes they are: a run with a cut has its storages where both reach them.
bool has_cut(const Engine &engine) {
  for (uint32_t i = 0; i < engine.session->entry->step_count; ++i)
    if (engine.shares[i].on_gpu() && engine.shares[i].on_cpu())
      return true;
  return false;
}

bool plan(Engine &engine, Reason &reason) {
  const Session &session = *engine.session;
  engine.unified = engine.device.traits.unified || has_cut(engine);
  if (lay_out(*session.model, *session.entry, engine.shares, engine.pool, engine.layout) &&
      plan_phases(*session.entry, engine.shares, engine.layout, engine.unified, engine.pool, engine.schedule))
    return true;
  reason << (engine.pool.failed() ? "the allocator refused memory for the GPU's plan"
                                  : "the model's loops are too long to be recorded for a GPU");
  return false;
}

bool make_storages(Engine &engine, Reason &reason) {
  const uint64_t bytes = engine.layout.buffer_bytes;
  if (bytes == 0)
    return true;
  if (engine.unified)
    return make_buffer(engine.device, bytes, Placing::ReadByTheCpu, engine.storages, reason);
  return make_buffer(engine.device, bytes, Placing::OfTheGpu, engine.storages, reason) &&
         make_buffer(engine.device, bytes, Placing::ReadByTheCpu, engine.mirror, reason);
}

/// The CPU's side: its shares, and where its parts find the storages.
bool prepare_cpu(Engine &engine, uint64_t cpu_features, Reason &reason) {
  const Session &session = *engine.session;
  const nacre_entry &entry = *session.entry;
  engine.launches = engine.pool.take_array<Launch>(entry.step_count);
  engine.memory.inputs = engine.pool.take_array<Buffer>(entry.input_count);
  engine.memory.outputs = engine.pool.take_array<Buffer>(entry.output_count);
  // A run that fails must not have changed the session's state, so it works on another.
  if (!engine.layout.state.on_gpu)
    engine.memory.state = engine.pool.take_array<char>(engine.layout.state.bytes);
  if (engine.pool.failed()) {
    reason << "the allocator refused memory for the CPU's share of a run";
    return false;
  }
  for (uint32_t i = 0; i < entry.step_count; ++i)
    if (engine.shares[i].on_cpu())
      engine.launches[i] =
          prepare_launch(*choose_variant(session.model->kernels[entry.steps[i].kernel], cpu_features),
                         engine.shares[i].cpu_begin, engine.shares[i].cpu_end, session.executor->threads);
  char *seen = seen_by_cpu(engine);
  const Layout &layout = engine.layout;
  for (uint32_t i = 0; i < entry.input_count; ++i)
    if (layout.inputs[i].on_gpu)
      engine.memory.inputs[i].own = seen + layout.inputs[i].begin;
  for (uint32_t i = 0; i < entry.output_count; ++i)
    if (layout.outputs[i].on_gpu)
      engine.memory.outputs[i].own = seen + layout.outputs[i].begin;
  engine.memory.arena = layout.arena.on_gpu ? seen + layout.arena.begin : session.memory.arena;
  if (layout.state.on_gpu)
    engine.memory.state = seen + layout.state.begin;
  __builtin_memcpy(engine.memory.state, session.memory.state, layout.state.bytes);
  return true;
}

void tell(const Engine &engine) {
  const Session &session = *engine.session;
  if (!session.log)
    return;
  Reason text;
  text << engine.device.traits.name << ": " << uint64_t(engine.schedule.gpu.count) << " parts of launches, "
       << uint64_t(engine.submissions.count) << " submissions, " << uint64_t(engine.schedule.barriers) << " barriers, "
       << uint64_t(engine.pipelines.count) << " pipelines, " << engine.device.bytes << " bytes";
  session.log(session.log_user, NACRE_LOG_INFO, text.c_str());
}

bool fill(Engine &engine, const nacre_session_options &options, uint64_t cpu_features, Reason &reason) {
  const Session &session = *engine.session;
  if (!open(engine.device, options.gpu_device, options.gpu == NACRE_GPU_REQUIRED, engine.pool, reason) ||
      !choose_shares(engine, options, reason) || !plan(engine, reason) || !make_storages(engine, reason) ||
      !prepare_cpu(engine, cpu_features, reason))
    return false;
  if (engine.schedule.gpu.count == 0)
    return true;
  return upload_weights(engine, reason) &&
         make_pipelines(engine.device, *session.model, *session.entry, engine.shares, options.cache_folder,
                        session.allocator, engine.pool, engine.pipelines, reason) &&
         record(engine, reason);
}

void destroy(void *handle) {
  Engine &engine = *static_cast<Engine *>(handle);
  Device &device = engine.device;
  const VulkanApi &vk = device.loader.vk;
  // A device whose commands could not all be found has nothing made on it; and one that cannot be brought to an end
  // keeps what it has.
  const bool idle = !device.commands || drain(device);
  if (idle && device.commands) {
    if (engine.queries)
      vk.DestroyQueryPool(device.handle, engine.queries, nullptr);
    if (engine.descriptors)
      vk.DestroyDescriptorPool(device.handle, engine.descriptors, nullptr);
    destroy_pipelines(device, engine.pipelines);
    destroy_buffer(device, engine.storages);
    destroy_buffer(device, engine.mirror);
    destroy_buffer(device, engine.weights);
  }
  if (idle)
    close(device);
  engine.pool.release(); // the engine itself lies in it
}

void *create(const Session &session, const nacre_session_options &options, uint64_t cpu_features, Reason &reason) {
  Pool pool(session.allocator);
  auto *engine = pool.take_array<Engine>(1);
  if (!engine) {
    reason << "the allocator refused memory for the GPU";
    return nullptr;
  }
  engine->pool = pool;
  engine->session = &session;
  engine->sequential = options.gpu_sequential != 0;
  if (fill(*engine, options, cpu_features, reason)) {
    tell(*engine);
    return engine;
  }
  destroy(engine);
  return nullptr;
}

void describe(const void *handle, nacre_session_info &info) {
  const Engine &engine = *static_cast<const Engine *>(handle);
  copy_text(info.device, sizeof info.device, engine.device.traits.name);
  info.gpu_launches = engine.schedule.gpu.count;
  info.cpu_launches = engine.schedule.cpu.count;
  info.submissions = engine.submissions.count;
  info.pipelines = engine.pipelines.count;
  info.barriers = engine.schedule.barriers;
  info.gpu_bytes = engine.device.bytes;
}

} // namespace
} // namespace nacre::runtime::gpu

using namespace nacre::runtime::gpu;

const nacre_gpu_engine nacre_runtime_gpu_vulkan = {create, run, destroy, describe, describe_device};
