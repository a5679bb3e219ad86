// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements create() and destroy() of engine.h. create() begins with steps that need no device. destroy() releases
// everything that exists, even if create() failed at some point.

#include "runtime/src/gpu_vulkan/engine.h"
#include "runtime/src/platform.h"
#include "runtime/src/steps.h"

namespace nacre::runtime::gpu {
namespace {

/// Initializes the wishes with the cut that the app's options request. Nothing is barred yet.
bool prepare_choice(Engine &engine, const nacre_session_options &options, Reason &reason) {
  const Session &session = *engine.session;
  const uint32_t steps = session.view.entry->step_count;
  engine.shares = engine.pool.take_array<Share>(steps);
  engine.wishes = engine.pool.take_array<Wish>(steps);
  engine.barred = engine.pool.take_array<uint64_t>(session.model->kernel_count);
  engine.decided = engine.pool.take_array<bool>(steps);
  if (engine.pool.failed())
    return refuse_memory(reason);
  for (uint32_t first = 0; first < steps;) {
    const Stretch stretch = stretch_at(*session.view.entry, first);
    __builtin_memset(engine.decided + first, stretch.decided, stretch.end - first);
    first = stretch.end;
  }
  for (uint32_t i = 0; i < steps; ++i)
    engine.wishes[i].cut = options.gpu_cut;
  return true;
}

/// True if both engines compute a part of a launch. With two memories, both parts of a result would have to be merged,
/// and only the kernel knows their bytes. So a run with a cut launch uses memory that both engines access.
bool has_cut(const Engine &engine) {
  for (uint32_t i = 0; i < engine.session->view.entry->step_count; ++i)
    if (engine.shares[i].on_gpu() && engine.shares[i].on_cpu())
      return true;
  return false;
}

bool plan(Engine &engine, Reason &reason) {
  const Session &session = *engine.session;
  engine.unified = engine.device.traits.unified || has_cut(engine);
  if (lay_out(*session.model, *session.view.entry, engine.shares, false, engine.pool, engine.layout) &&
      session.model->gpu_engine->plan(*session.view.entry, engine.shares, engine.layout, engine.unified, engine.pool,
                                      engine.schedule))
    return true;
  if (engine.pool.failed())
    return refuse_memory(reason);
  reason << "the model's loops are too long to record for a GPU";
  return false;
}

/// Prepares the CPU's shares, and the addresses of the storages that the CPU's parts access.
bool prepare_cpu(Engine &engine, uint64_t cpu_features, Reason &reason) {
  const Session &session = *engine.session;
  const nacre_entry &entry = *session.view.entry;
  engine.launches = engine.pool.take_array<Launch>(entry.step_count);
  engine.memory.inputs = engine.pool.take_array<Buffer>(entry.input_count);
  engine.memory.outputs = engine.pool.take_array<Buffer>(entry.output_count);
  if (engine.pool.failed())
    return refuse_memory(reason);
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
  engine.memory.arena = layout.arena.on_gpu ? seen + layout.arena.begin : session.view.memory.arena;
  const StateParts *parts = state_parts(session);
  return !parts || parts->prepare(engine, reason);
}

void count(Reason &text, uint64_t number, const char *noun) {
  text << number << " " << noun << (number == 1 ? ", " : "s, ");
}

void tell(const Engine &engine) {
  Reason text;
  text << engine.device.traits.name << ": ";
  count(text, engine.schedule.gpu.count - engine.schedule.gpu_moves, "launch part");
  count(text, engine.recordings[0].submissions.count, "submission");
  count(text, engine.schedule.barriers, "barrier");
  count(text, engine.pipelines.count, "pipeline");
  text << engine.device.bytes << " bytes";
  tell(*engine.session, text);
}

/// Adds the time since `since` to `time`, and sets `since` to now.
void note(uint64_t &time, uint64_t &since) {
  const uint64_t at = now();
  time += at - since;
  since = at;
}

bool fill(Engine &engine, const nacre_session_options &options, uint64_t cpu_features, Reason &reason) {
  uint64_t since = now();
  const Session &session = *engine.session;
  if (!open(engine.device, options.gpu_device, options.gpu == NACRE_GPU_REQUIRED, engine.pool, reason) ||
      !prepare_choice(engine, options, reason))
    return false;
  note(engine.open_time, since);
  CacheFile file(options.cache_folder, FileKind::Pipelines, engine.device.traits, session.model->gpu_code_hash);
  if (!open_pipelines(engine.device, session, file, engine.pool, engine.pipelines, reason))
    return false;
  note(engine.pipelines_time, since);
  if ((options.gpu_self_test || options.tune_budget_ms) && !measure(engine, options, cpu_features, reason))
    return false;
  note(engine.measuring_time, since);
  if (!make_code(engine, reason))
    return false;
  save_pipelines(engine.device, session.allocator, file, engine.pipelines);
  note(engine.pipelines_time, since);
  choose_shares(engine, true);
  engine.recording_time = engine.weights_time = 0; // The times of plans that were only measured do not count.
  if (!make_plan(engine, cpu_features, reason))
    return false;
  reason = engine.refused;
  return true;
}

} // namespace

void destroy(void *handle, bool inherited) {
  Engine &engine = *static_cast<Engine *>(handle);
  Device &device = engine.device;
  // If some of the device's commands could not be loaded, no objects were created. If the device does not become idle,
  // its objects must not be destroyed.
  const bool idle = !inherited && (!device.commands || drain(device));
  if (idle && device.commands) {
    drop_plan(engine);
    destroy_pipelines(device, engine.pipelines);
  }
  if (idle)
    close(device);
  engine.pool.release(); // The pool also contains the engine.
}

void *create(const Session &session, const nacre_session_options &options, uint64_t cpu_features, Reason &reason) {
  MemoryPool pool(session.allocator);
  auto *engine = pool.take_array<Engine>(1);
  if (!engine) {
    refuse_memory(reason);
    return nullptr;
  }
  engine->pool = pool;
  engine->refused = {};
  engine->session = &session;
  engine->sequential = options.gpu_sequential != 0;
  if (fill(*engine, options, cpu_features, reason)) {
    tell(*engine);
    return engine;
  }
  destroy(engine, false);
  return nullptr;
}

void describe(const void *handle, nacre_session_info &info) {
  const Engine &engine = *static_cast<const Engine *>(handle);
  copy_text(info.device, sizeof info.device, engine.device.traits.name);
  const Schedule &schedule = engine.schedule;
  info.gpu_launches = schedule.gpu.count - schedule.gpu_moves;
  info.cpu_launches = schedule.cpu.count - (schedule.moves.count - schedule.gpu_moves);
  info.submissions = engine.recordings[0].submissions.count;
  info.pipelines = engine.pipelines.count;
  info.barriers = engine.schedule.barriers;
  info.gpu_bytes = engine.device.bytes;
  info.gpu_open_time = engine.open_time;
  info.gpu_pipelines_time = engine.pipelines_time;
  info.gpu_weights_time = engine.weights_time;
  info.gpu_recording_time = engine.recording_time;
  info.gpu_measuring_time = engine.measuring_time;
}

bool make_code(Engine &engine, Reason &reason) {
  const Session &session = *engine.session;
  const nacre_entry &entry = *session.view.entry;
  for (bool complete = false; !complete;) {
    choose_shares(engine, false);
    List<Code> codes = {};
    bool *seen = engine.pool.take_array<bool>(engine.pipelines.variant_count);
    for (uint32_t i = 0; i < entry.step_count && seen; ++i) {
      if (!engine.shares[i].on_gpu())
        continue;
      const Code code = code_of(engine, i);
      bool &has = seen[engine.pipelines.first[code.kernel] + code.variant];
      if (!has && !pipeline_of(engine.pipelines, code))
        codes.add(engine.pool, code);
      has = true;
    }
    if (engine.pool.failed())
      return refuse_memory(reason);
    complete = codes.count == 0;
    if (!make_pipelines(engine.device, session, codes, engine.pipelines, engine.barred, engine.refused, reason))
      return false;
  }
  return true;
}

bool make_storages(Engine &engine, uint64_t cpu_bytes, Reason &reason) {
  const uint64_t bytes = engine.layout.buffer_bytes;
  if (bytes == 0)
    return true;
  if (engine.unified)
    return make_buffer(engine.device, bytes, Placing::ReadByTheCpu, engine.storages, reason);
  return make_buffer(engine.device, bytes, Placing::OfTheGpu, engine.storages, reason) &&
         make_buffer(engine.device, cpu_bytes ? cpu_bytes : kBindingAlignment, Placing::ReadByTheCpu, engine.mirror,
                     reason);
}

bool make_plan(Engine &engine, uint64_t cpu_features, Reason &reason) {
  uint64_t since = now();
  if (!plan(engine, reason) || !make_storages(engine, engine.schedule.cpu_bytes, reason) ||
      !prepare_cpu(engine, cpu_features, reason))
    return false;
  note(engine.recording_time, since);
  if (engine.schedule.gpu.count == 0)
    return true;
  if (!upload_weights(engine, reason))
    return false;
  note(engine.weights_time, since);
  const StateParts *parts = state_parts(*engine.session);
  if (!record(engine, engine.recordings[0], reason) || (parts && !parts->record_second(engine, reason)))
    return false;
  note(engine.recording_time, since);
  return true;
}

void drop_plan(Engine &engine) {
  Device &device = engine.device;
  const VulkanApi &vk = device.loader.vk;
  if (engine.queries)
    vk.DestroyQueryPool(device.handle, engine.queries, nullptr);
  for (const Recording &recording : engine.recordings)
    if (recording.descriptors)
      vk.DestroyDescriptorPool(device.handle, recording.descriptors, nullptr);
  destroy_buffer(device, engine.storages);
  destroy_buffer(device, engine.mirror);
  destroy_buffer(device, engine.weights);
  destroy_buffer(device, engine.staging);
  static_cast<Planned &>(engine) = {};   // The pool owns the other arrays, so they are not released here.
  engine.known_commits = engine.commits; // The plan was only measured, so its changes of the state are dropped.
}

void choose_shares(Engine &engine, bool tells) {
  const Session &session = *engine.session;
  const nacre_entry &entry = *session.view.entry;
  for (uint32_t i = 0; i < entry.step_count; ++i) {
    Reason why;
    Wish wish = engine.wishes[i];
    if (entry.steps[i].kind == NACRE_STEP_LAUNCH)
      wish.barred = engine.barred[entry.steps[i].kernel];
    engine.shares[i] = engine.decided[i] ? of_cpu(entry.steps[i])
                                         : choose_share(*session.model, entry, entry.steps[i], wish,
                                                        engine.device.traits.capabilities, why);
    if (tells && why.c_str()[0])
      tell(session, why);
  }
}

Code code_of(const Engine &engine, uint32_t step) {
  const uint32_t kernel = engine.session->view.entry->steps[step].kernel;
  return {kernel, uint32_t(engine.shares[step].variant - engine.session->model->kernels[kernel].gpu)};
}

} // namespace nacre::runtime::gpu
