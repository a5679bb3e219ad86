// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The self-test and the tuning, which create runs once for a model on a device.
// Why: see self_test.cpp and kernel_times.cpp.
// How: 1. the rehearsal, in which the GPU has a share of every launch with GPU code; 2. the times of whole runs, which
//         decide; 3. the files with results.

#include "runtime/src/gpu_vulkan/trials/measuring.h"

namespace nacre::runtime::gpu {
namespace {

// --- 1. The rehearsal

/// Compiles all code that the device supports, so that it can be measured. Stops when half of the budget is spent.
bool make_all_code(Measuring &measuring) {
  Engine &engine = measuring.engine;
  const nacre_model_table &model = *engine.session->model;
  const uint64_t until = now() + measuring.budget / 2;
  auto wish = [&engine](uint32_t variant) {
    for (uint32_t i = 0; i < engine.session->view.entry->step_count; ++i)
      engine.wishes[i].variant = variant;
  };
  uint32_t most = 0;
  for (uint32_t i = 0; i < model.kernel_count; ++i)
    most = model.kernels[i].gpu_count > most ? model.kernels[i].gpu_count : most;
  // Compiles the first usable variant of each kernel (0), then every variant.
  for (uint32_t variant = 0; variant <= most && now() < until; ++variant) {
    wish(variant);
    if (!make_code(engine, measuring.reason))
      return false;
  }
  wish(0);
  return make_code(engine, measuring.reason);
}

/// Tests and measures launches with the largest share of the GPU.
bool rehearse(Measuring &measuring, bool tests, bool times) {
  Engine &engine = measuring.engine;
  for (uint32_t i = 0; i < engine.session->view.entry->step_count; ++i)
    engine.wishes[i].cut = kCutOf[OnGpu]; // The wish may also request a variant.
  if (!(times ? make_all_code(measuring) : make_code(engine, measuring.reason)))
    return false;
  Rehearsal rehearsal = {engine, measuring.reason, {}, {}};
  if (!open(rehearsal) || (tests && !test_all(measuring, rehearsal)) || (times && !time_all(measuring, rehearsal)))
    return false;
  drop_plan(engine);
  return true;
}

// --- 2. Whole runs

constexpr uint32_t kRuns = 5; // Largest number of runs that are measured; the fastest run counts.

/// Returns the time of a run with these wishes. Returns kImpossible and sets the reason if the GPU failed.
uint64_t time_runs(Measuring &measuring, const Wish *wishes) {
  Engine &engine = measuring.engine;
  const Session &session = *engine.session;
  __builtin_memcpy(engine.wishes, wishes, session.view.entry->step_count * sizeof *wishes);
  if (!make_code(engine, measuring.reason) || !make_plan(engine, measuring.cpu_features, measuring.reason))
    return kImpossible;
  const uint64_t time = least_time(kRuns, measuring.budget / 8, [&] {
    RunLimits limits = trial_limits();
    return run(&engine, limits, measuring.reason) != NACRE_FAILED;
  });
  drop_plan(engine);
  return time;
}

/// Sets engine.wishes to the fastest of three placements: as compiled, as decided by the tuning, and everything on the
/// CPU.
bool choose_best(Measuring &measuring, const Wish *compiled, Wish *decided) {
  Engine &engine = measuring.engine;
  const Session &session = *engine.session;
  const uint32_t steps = session.view.entry->step_count;
  const uint64_t as_compiled = time_runs(measuring, compiled);
  const uint64_t as_decided = as_compiled == kImpossible ? kImpossible : time_runs(measuring, decided);
  if (as_decided == kImpossible)
    return false;
  const uint64_t on_cpu = least_time(kRuns, measuring.budget / 8, [&] {
    compute_decided(session, 0, session.view.entry->step_count);
    return true;
  });
  const bool cpu_wins = on_cpu <= as_decided && on_cpu <= as_compiled;
  for (uint32_t i = 0; cpu_wins && i < steps; ++i)
    decided[i] = {kCutOf[OnCpu], 0, 0};
  __builtin_memcpy(engine.wishes, cpu_wins || as_decided < as_compiled ? decided : compiled, steps * sizeof *decided);
  Reason text;
  text << "tuned: a run takes " << as_decided / 1000 << " us as tuned, " << as_compiled / 1000 << " us as compiled, "
       << on_cpu / 1000 << " us on the CPU";
  tell(session, text);
  return true;
}

// --- 3. What is known already

bool read_verdicts(Measuring &measuring, CacheFile &file) {
  Engine &engine = measuring.engine;
  MemoryPool data(engine.session->allocator);
  uint64_t bytes = 0;
  const char *known = file.read(*engine.session, data, bytes);
  if (known && bytes == engine.pipelines.variant_count)
    __builtin_memcpy(measuring.verdicts, known, bytes);
  data.release();
  judge(measuring);
  choose_shares(engine, false);
  bool all = true;
  for (uint32_t i = 0; i < engine.session->view.entry->step_count; ++i)
    if (engine.shares[i].on_gpu()) {
      const Code code = code_of(engine, i);
      measuring.in_use[code.kernel] = true;
      all &= measuring.verdicts[index_of(engine, code)] != Untested;
    }
  return all;
}

/// Form of a wish in a cache file.
struct KeptWish {
  uint8_t cut;
  uint8_t variant;
};

bool read_wishes(Engine &engine, CacheFile &file) {
  const uint32_t steps = engine.session->view.entry->step_count;
  MemoryPool data(engine.session->allocator);
  uint64_t bytes = 0;
  const char *known = file.read(*engine.session, data, bytes);
  const bool serves = known && bytes == steps * sizeof(KeptWish);
  for (uint32_t i = 0; serves && i < steps; ++i) {
    KeptWish kept;
    __builtin_memcpy(&kept, known + i * sizeof kept, sizeof kept);
    engine.wishes[i] = {kept.cut <= NACRE_GPU_CUT(100) ? uint32_t(kept.cut) : 0, kept.variant, 0};
  }
  data.release();
  return serves;
}

void keep_wishes(Engine &engine, CacheFile &file) {
  const uint32_t steps = engine.session->view.entry->step_count;
  auto *kept = engine.pool.take_array<KeptWish>(steps);
  for (uint32_t i = 0; kept && i < steps; ++i)
    kept[i] = {uint8_t(engine.wishes[i].cut), uint8_t(engine.wishes[i].variant)};
  if (kept)
    file.write(kept, steps * sizeof *kept);
}

bool test_and_tune(Engine &engine, const nacre_session_options &options, uint64_t cpu_features, Reason &reason) {
  const Session &session = *engine.session;
  const nacre_entry &entry = *session.view.entry;
  const uint64_t began = now();
  Measuring measuring = {engine, reason, options, cpu_features, {}, {}, {}, {}, {}, {}, {}, {}, {}};
  measuring.budget = options.tune_budget_ms * uint64_t(1000000);
  // Whole runs use the rest of the budget, but each placement has at least one run.
  measuring.deadline = began + measuring.budget / 4 * 3;
  measuring.verdicts = engine.pool.take_array<uint8_t>(engine.pipelines.variant_count);
  measuring.in_use = engine.pool.take_array<bool>(session.model->kernel_count);
  measuring.seen = engine.pool.take_array<bool>(session.model->kernel_count);
  measuring.times = engine.pool.take_array<Times>(session.model->kernel_count);
  auto *compiled = engine.pool.take_array<Wish>(entry.step_count);
  auto *decided = engine.pool.take_array<Wish>(entry.step_count);
  if (engine.pool.failed())
    return refuse_memory(reason);
  uint64_t model = hash(entry.steps, entry.step_count * sizeof *entry.steps, session.model->gpu_code_hash);
  model = hash(entry.operands, entry.operand_count * sizeof *entry.operands, model);
  CacheFile verdicts(options.cache_folder, FileKind::Verdicts, engine.device.traits, model);
  const uint64_t cpu[] = {cpu_features, session.executor->threads};
  CacheFile tuning(options.cache_folder, FileKind::Tuning, engine.device.traits, hash(cpu, sizeof cpu, model));

  __builtin_memcpy(compiled, engine.wishes, entry.step_count * sizeof *compiled);
  const bool times = options.tune_budget_ms && !options.gpu_cut && !read_wishes(engine, tuning);
  measuring.tries_all = times;
  const bool tests = options.gpu_self_test && (!read_verdicts(measuring, verdicts) || times);
  if (!tests && !times)
    return true;
  auto *wishes = times ? compiled : decided; // Wishes with which the rehearsal ends.
  __builtin_memcpy(wishes, engine.wishes, entry.step_count * sizeof *wishes);
  if (!rehearse(measuring, tests, times))
    return false;
  __builtin_memcpy(engine.wishes, wishes, entry.step_count * sizeof *wishes);
  if (tests)
    verdicts.write(measuring.verdicts, engine.pipelines.variant_count);
  if (!times)
    return true;
  if (!decide(measuring, decided))
    return refuse_memory(reason);
  if (!choose_best(measuring, compiled, decided))
    return false;
  keep_wishes(engine, tuning);
  return true;
}

} // namespace

bool wish_for(Measuring &measuring, const Part &part, Placement placement, uint32_t variant) {
  Engine &engine = measuring.engine;
  const Session &session = *engine.session;
  const nacre_step &step = session.view.entry->steps[part.step];
  Reason why;
  const Share share =
      choose_share(*session.model, *session.view.entry, step, {kCutOf[placement], variant, engine.barred[step.kernel]},
                   engine.device.traits.capabilities, why);
  if (!share.on_gpu() || share.on_cpu() != (placement != OnGpu) ||
      share.variant != &session.model->kernels[step.kernel].gpu[variant - 1] ||
      !pipeline_of(engine.pipelines, {step.kernel, variant - 1}))
    return false;
  engine.shares[part.step] = share;
  return true;
}

bool measure(Engine &engine, const nacre_session_options &options, uint64_t cpu_features, Reason &reason) {
  const bool good = test_and_tune(engine, options, cpu_features, reason);
  // The session has not run yet, so its state must be the initial one even if the measurement failed.
  nacre_state_reset(&engine.session->state->head, NACRE_STATE_ALL);
  return good;
}

} // namespace nacre::runtime::gpu
