// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the self-test and the tuning, which create makes once for a model on a device.
// Why:   drivers break kernels, and no profile knows a device as well as the device.
// How:   1. the self-test: each kernel's GPU code against its CPU code; 2. the times of each kernel on either engine
// and
//        cut between them; 3. whole runs, which have the last word; 4. the files. What a kernel is tried on are
//        launches of a rehearsal, in which the GPU has a share of all that it has code for.

#include "runtime/src/gpu_vulkan/rehearsal.h"
#include "runtime/src/gpu_vulkan/tuning.h"
#include "runtime/src/platform.h"
#include "runtime/src/steps.h"

namespace nacre::runtime::gpu {
namespace {

constexpr Placement kCuts[] = {Cut25, Cut50, Cut75};

enum Verdict : uint8_t { Untested, Right, Wrong };

/// Of a kernel.
struct Times {
  bool known;
  uint32_t variant; // 1 + the GPU's fastest
  uint64_t of[kPlacements];
};

/// What the tests and times are kept in while they are made.
struct Measuring {
  Engine &engine;
  Reason &reason;
  const nacre_session_options &options;
  uint64_t cpu_features;
  uint8_t *verdicts; // of all code
  bool *in_use;      // of the kernels: the app's GPU shares
  bool tries_all;    // whatever is in use
  bool *seen;        // of the kernels, in a walk
  Times *times;      // of the kernels
  uint64_t deadline;
  uint64_t meeting;   // what it takes to submit nothing and to wait for it
  double nanoseconds; // that a byte takes from memory to memory; 0 where there is one
};

uint32_t index_of(const Engine &engine, const Code &code) { return engine.pipelines.first[code.kernel] + code.variant; }

void compute_on_cpu(const Session &session, const Part &part) {
  run_launch(session, session.memory, session.entry->steps[part.step], session.launches[part.step], part.iteration);
}

/// Computes the entry on the CPU. `each(part, first)` computes a launch; `first`: of a kernel that the GPU has code
/// for.
template <typename Function> bool walk(Measuring &measuring, Function each) {
  Engine &engine = measuring.engine;
  const Session &session = *engine.session;
  __builtin_memset(measuring.seen, 0, session.model->kernel_count);
  __builtin_memset(session.memory.state, 0, session.model->state_bytes);
  bool good = true;
  walk_launches(*session.entry, [&](uint32_t step, int64_t iteration) {
    bool &seen = measuring.seen[session.entry->steps[step].kernel];
    const bool first = !seen && engine.shares[step].on_gpu();
    seen |= first;
    good = good && each(Part{step, false, iteration}, first);
  });
  return good;
}

/// Sets the step's share for a trial. False where it does not come out as asked.
bool wish_for(Measuring &measuring, const Part &part, Placement placement, uint32_t variant) {
  Engine &engine = measuring.engine;
  const Session &session = *engine.session;
  const nacre_step &step = session.entry->steps[part.step];
  Reason why;
  const Share share =
      choose_share(*session.model, *session.entry, step, {kCutOf[placement], variant, engine.barred[step.kernel]},
                   engine.device.traits.capabilities, why);
  if (!share.on_gpu() || share.on_cpu() != (placement != OnGpu) ||
      share.variant != &session.model->kernels[step.kernel].gpu[variant - 1] ||
      !pipeline_of(engine.pipelines, {step.kernel, variant - 1}))
    return false;
  engine.shares[part.step] = share;
  return true;
}

// --- 1. The self-test

/// Makes the share that is to be tested next of a part's kernel. False where all is.
bool choose_test(Measuring &measuring, const Part &part) {
  Engine &engine = measuring.engine;
  const Code code = code_of(engine, part.step);
  if (!measuring.tries_all)
    return measuring.in_use[code.kernel] && measuring.verdicts[index_of(engine, code)] == Untested;
  for (uint32_t i = 0; i < engine.session->model->kernels[code.kernel].gpu_count && i < kMaxVariants; ++i)
    if (measuring.verdicts[index_of(engine, {code.kernel, i})] == Untested && wish_for(measuring, part, OnGpu, i + 1))
      return true;
  return false;
}

/// Tests one piece of code of each kernel; `more`: there was one.
bool test(Measuring &measuring, Rehearsal &rehearsal, bool &more) {
  Engine &engine = measuring.engine;
  const Session &session = *engine.session;
  more = false;
  return walk(measuring, [&](const Part &part, bool first) {
    const bool tests = first && choose_test(measuring, part);
    if (tests) {
      bring(rehearsal, part);
      if (!record(rehearsal, part, 1, true) || !begin(rehearsal) || !end(rehearsal))
        return false;
    }
    compute_on_cpu(session, part);
    if (tests)
      measuring.verdicts[index_of(engine, code_of(engine, part.step))] = agrees(rehearsal, part) ? Right : Wrong;
    more |= tests;
    return true;
  });
}

/// What is wrong is barred.
void judge(Measuring &measuring) {
  Engine &engine = measuring.engine;
  const nacre_model_table &model = *engine.session->model;
  for (uint32_t kernel = 0; kernel < model.kernel_count; ++kernel)
    for (uint32_t i = 0; i < model.kernels[kernel].gpu_count && i < kMaxVariants; ++i) {
      if (measuring.verdicts[index_of(engine, {kernel, i})] != Wrong || (engine.barred[kernel] >> i & 1))
        continue;
      engine.barred[kernel] |= uint64_t(1) << i;
      Reason why;
      why << "kernel '" << model.strings + model.kernels[kernel].name << "', code " << uint64_t(i)
          << " of it, is not used, because its result is not the CPU's";
      tell(*engine.session, why);
      engine.refused = why;
    }
}

/// Until all code that would be used is right: what takes the place of wrong code is tested in its turn.
bool test_all(Measuring &measuring, Rehearsal &rehearsal) {
  for (bool more = true; more;) {
    if (!test(measuring, rehearsal, more))
      return false;
    judge(measuring);
    if (!make_code(measuring.engine, measuring.reason))
      return false;
  }
  return true;
}

// --- 2. Times

/// The least time that `action` takes in `turns`; kImpossible if it failed.
template <typename Action> uint64_t least_time(uint32_t turns, Action action) {
  uint64_t least = kImpossible;
  for (uint32_t i = 0; i < turns; ++i) {
    const uint64_t since = now();
    if (!action())
      return kImpossible;
    const uint64_t time = now() - since;
    least = time < least ? time : least;
  }
  return least;
}

uint64_t time_batch(Rehearsal &rehearsal, uint32_t turns) {
  return least_time(turns, [&] { return begin(rehearsal) && end(rehearsal); });
}

/// Of the GPU's share, among others of the GPU: without the meeting.
uint64_t time_on_gpu(const Measuring &measuring, Rehearsal &rehearsal, const Part &part) {
  constexpr uint32_t more = 8;
  if (!record(rehearsal, part, 1, false))
    return kImpossible;
  const uint64_t one = time_batch(rehearsal, 3);
  if (one == kImpossible || one > 16 * measuring.meeting)
    return one == kImpossible ? one : one - measuring.meeting;
  if (!record(rehearsal, part, 1 + more, false))
    return kImpossible;
  const uint64_t all = time_batch(rehearsal, 2);
  return all == kImpossible ? all : all > one ? (all - one) / more : 0;
}

uint64_t time_cut(const Measuring &measuring, Rehearsal &rehearsal, const Part &part) {
  const Session &session = *measuring.engine.session;
  const nacre_step &step = session.entry->steps[part.step];
  const Share &share = measuring.engine.shares[part.step];
  const Launch launch = prepare_launch(*choose_variant(session.model->kernels[step.kernel], measuring.cpu_features),
                                       share.cpu_begin, share.cpu_end, session.executor->threads);
  if (!record(rehearsal, part, 1, false))
    return kImpossible;
  return least_time(3, [&] {
    if (!begin(rehearsal))
      return false;
    run_launch(session, session.memory, step, launch, part.iteration);
    return end(rehearsal);
  });
}

bool time_kernel(Measuring &measuring, Rehearsal &rehearsal, const Part &part) {
  Engine &engine = measuring.engine;
  const Session &session = *engine.session;
  const uint32_t kernel = session.entry->steps[part.step].kernel;
  Times &times = measuring.times[kernel];
  for (uint64_t &time : times.of)
    time = kImpossible;
  bring(rehearsal, part);
  if (!engine.unified && !(record(rehearsal, part, 0, true) && begin(rehearsal) && end(rehearsal)))
    return false;
  times.of[OnCpu] = least_time(3, [&] { return compute_on_cpu(session, part), true; });
  for (uint32_t variant = 1; variant <= session.model->kernels[kernel].gpu_count && variant <= kMaxVariants;
       ++variant) {
    if (!wish_for(measuring, part, OnGpu, variant))
      continue;
    const uint64_t time = time_on_gpu(measuring, rehearsal, part);
    if (time == kImpossible)
      return false;
    if (time < times.of[OnGpu]) {
      times.of[OnGpu] = time;
      times.variant = variant;
    }
  }
  // No cut is faster than both engines together and their meeting.
  const double cpu = double(times.of[OnCpu]), gpu = double(times.of[OnGpu]);
  const bool can_win = cpu * gpu / (cpu + gpu + 1) + double(measuring.meeting) < (cpu < gpu ? cpu : gpu);
  for (const Placement cut : kCuts) {
    if (!engine.unified || !times.variant || !can_win || !wish_for(measuring, part, cut, times.variant))
      continue;
    times.of[cut] = time_cut(measuring, rehearsal, part);
    if (times.of[cut] == kImpossible)
      return false;
  }
  times.known = true;
  return true;
}

/// What engines take to meet, and bytes to cross.
bool time_meeting(Measuring &measuring, Rehearsal &rehearsal) {
  Engine &engine = measuring.engine;
  constexpr uint64_t most = 4 << 20;
  engine.schedule.uploads.count = engine.schedule.downloads.count = 0;
  if (!record(rehearsal, {}, 0, false) || (measuring.meeting = time_batch(rehearsal, 8)) == kImpossible)
    return false;
  if (engine.unified)
    return true;
  const uint64_t bytes = engine.layout.buffer_bytes < most ? engine.layout.buffer_bytes : most;
  engine.schedule.uploads.add(engine.pool, {0, 0, bytes});
  engine.schedule.downloads.add(engine.pool, {0, 0, bytes});
  uint64_t both = 0;
  if (!record(rehearsal, {}, 0, true) || (both = time_batch(rehearsal, 3)) == kImpossible)
    return false;
  measuring.nanoseconds = both > measuring.meeting ? double(both - measuring.meeting) / double(2 * bytes) : 0;
  return true;
}

/// Times kernels until the budget is spent, the first of the entry first.
bool time_all(Measuring &measuring, Rehearsal &rehearsal) {
  const Session &session = *measuring.engine.session;
  return time_meeting(measuring, rehearsal) && walk(measuring, [&](const Part &part, bool first) {
           if (first && now() < measuring.deadline && !time_kernel(measuring, rehearsal, part))
             return false;
           compute_on_cpu(session, part);
           return true;
         });
}

Costs costs_of(const Measuring &measuring, const nacre_step &step, uint64_t executions) {
  const Session &session = *measuring.engine.session;
  const Times &times = measuring.times[step.kernel];
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < step.operand_count; ++i) {
    const nacre_operand &operand = session.entry->operands[step.first_operand + i];
    bytes += operand.space != NACRE_SPACE_WEIGHT ? operand.bytes : 0;
  }
  const uint64_t copies = uint64_t(double(bytes) * measuring.nanoseconds);
  Costs costs = {{}, (measuring.meeting + copies) * executions, copies * executions};
  for (uint32_t p = 0; p < kPlacements; ++p)
    costs.of[p] = times.of[p] == kImpossible ? kImpossible : times.of[p] * executions;
  if (times.known)
    return costs;
  // What was not measured stays as it is, and what the GPU has no part in costs whatever it costs.
  for (uint64_t &cost : costs.of)
    cost = kImpossible;
  costs.of[measuring.seen[step.kernel] ? AsCompiled : OnCpu] = 0;
  return costs;
}

/// Wishes by the times. False if the pool failed.
bool decide(Measuring &measuring, Wish *wishes) {
  Engine &engine = measuring.engine;
  const nacre_entry &entry = *engine.session->entry;
  auto *executions = engine.pool.take_array<uint64_t>(entry.step_count);
  auto *costs = engine.pool.take_array<Costs>(entry.step_count);
  auto *placements = engine.pool.take_array<Placement>(entry.step_count);
  if (engine.pool.failed())
    return false;
  walk_launches(entry, [executions](uint32_t step, int64_t) { ++executions[step]; });
  for (uint32_t i = 0; i < entry.step_count; ++i)
    if (entry.steps[i].kind == NACRE_STEP_LAUNCH)
      costs[i] = costs_of(measuring, entry.steps[i], executions[i]);
  if (place(costs, entry.step_count, engine.pool, placements) == kImpossible)
    return false;
  for (uint32_t i = 0; i < entry.step_count; ++i)
    if (entry.steps[i].kind == NACRE_STEP_LAUNCH)
      wishes[i] = {kCutOf[placements[i]],
                   placements[i] == AsCompiled ? 0u : measuring.times[entry.steps[i].kernel].variant, 0};
  return true;
}

// --- 3. Whole runs

constexpr uint32_t kRuns = 3; // the least of them counts

/// kImpossible if the GPU failed, with the reason.
uint64_t time_runs(Measuring &measuring, const Wish *wishes) {
  Engine &engine = measuring.engine;
  const Session &session = *engine.session;
  __builtin_memcpy(engine.wishes, wishes, session.entry->step_count * sizeof *wishes);
  if (!make_code(engine, measuring.reason) || !make_plan(engine, measuring.cpu_features, measuring.reason))
    return kImpossible;
  const uint64_t time = least_time(kRuns, [&] { return run(&engine, measuring.reason); });
  drop_plan(engine);
  return time;
}

/// Leaves in engine.wishes the best of: as compiled, as decided, all on the CPU.
bool choose_best(Measuring &measuring, const Wish *compiled, Wish *decided) {
  Engine &engine = measuring.engine;
  const Session &session = *engine.session;
  const uint32_t steps = session.entry->step_count;
  const uint64_t as_compiled = time_runs(measuring, compiled);
  const uint64_t as_decided = as_compiled == kImpossible ? kImpossible : time_runs(measuring, decided);
  if (as_decided == kImpossible)
    return false;
  const uint64_t on_cpu = least_time(kRuns, [&] {
    walk_launches(*session.entry,
                  [&](uint32_t step, int64_t iteration) { compute_on_cpu(session, {step, false, iteration}); });
    return true;
  });
  const bool cpu_wins = on_cpu <= as_decided && on_cpu <= as_compiled;
  for (uint32_t i = 0; cpu_wins && i < steps; ++i)
    decided[i] = {kCutOf[OnCpu], 0, 0};
  __builtin_memcpy(engine.wishes, cpu_wins || as_decided < as_compiled ? decided : compiled, steps * sizeof *decided);
  Reason text;
  text << "tuned: a run takes " << as_decided / 1000 << " us by what kernels took, " << as_compiled / 1000
       << " us as compiled, " << on_cpu / 1000 << " us on the CPU alone";
  tell(session, text);
  return true;
}

// --- 4. What is known already

bool read_verdicts(Measuring &measuring, CacheFile &file) {
  Engine &engine = measuring.engine;
  Pool data(engine.session->allocator);
  uint64_t bytes = 0;
  const char *known = file.read(*engine.session, data, bytes);
  if (known && bytes == engine.pipelines.variant_count)
    __builtin_memcpy(measuring.verdicts, known, bytes);
  data.release();
  judge(measuring);
  choose_shares(engine, false);
  bool all = true;
  for (uint32_t i = 0; i < engine.session->entry->step_count; ++i)
    if (engine.shares[i].on_gpu()) {
      const Code code = code_of(engine, i);
      measuring.in_use[code.kernel] = true;
      all &= measuring.verdicts[index_of(engine, code)] != Untested;
    }
  return all;
}

/// What a file keeps of a wish.
struct KeptWish {
  uint8_t cut;
  uint8_t variant;
};

bool read_wishes(Engine &engine, CacheFile &file) {
  const uint32_t steps = engine.session->entry->step_count;
  Pool data(engine.session->allocator);
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
  const uint32_t steps = engine.session->entry->step_count;
  auto *kept = engine.pool.take_array<KeptWish>(steps);
  for (uint32_t i = 0; kept && i < steps; ++i)
    kept[i] = {uint8_t(engine.wishes[i].cut), uint8_t(engine.wishes[i].variant)};
  if (kept)
    file.write(kept, steps * sizeof *kept);
}

/// Compiles all code that the device can run, so that it can be timed.
bool make_all_code(Measuring &measuring) {
  Engine &engine = measuring.engine;
  const nacre_entry &entry = *engine.session->entry;
  uint32_t most = 0;
  for (uint32_t i = 0; i < engine.session->model->kernel_count; ++i)
    most = engine.session->model->kernels[i].gpu_count > most ? engine.session->model->kernels[i].gpu_count : most;
  for (uint32_t variant = most; variant-- > 0;) { // the first that serves is left in the shares
    for (uint32_t i = 0; i < entry.step_count; ++i)
      engine.wishes[i].variant = variant;
    if (!make_code(engine, measuring.reason))
      return false;
  }
  return true;
}

/// Tests and times launches with the GPU's share of all at its largest.
bool rehearse(Measuring &measuring, bool tests, bool times) {
  Engine &engine = measuring.engine;
  for (uint32_t i = 0; i < engine.session->entry->step_count; ++i)
    engine.wishes[i] = {kCutOf[OnGpu], 0, 0};
  if (!(times ? make_all_code(measuring) : make_code(engine, measuring.reason)))
    return false;
  Rehearsal rehearsal = {engine, measuring.reason, {}, {}};
  if (!open(rehearsal) || (tests && !test_all(measuring, rehearsal)) || (times && !time_all(measuring, rehearsal)))
    return false;
  drop_plan(engine);
  return true;
}

bool test_and_tune(Engine &engine, const nacre_session_options &options, uint64_t cpu_features, uint64_t code,
                   Reason &reason) {
  const Session &session = *engine.session;
  const nacre_entry &entry = *session.entry;
  const uint64_t began = now();
  Measuring measuring = {engine, reason, options, cpu_features, {}, {}, {}, {}, {}, {}, {}, {}};
  measuring.deadline = began + options.gpu_tune_ms * uint64_t(1000000);
  measuring.verdicts = engine.pool.take_array<uint8_t>(engine.pipelines.variant_count);
  measuring.in_use = engine.pool.take_array<bool>(session.model->kernel_count);
  measuring.seen = engine.pool.take_array<bool>(session.model->kernel_count);
  measuring.times = engine.pool.take_array<Times>(session.model->kernel_count);
  auto *compiled = engine.pool.take_array<Wish>(entry.step_count);
  auto *decided = engine.pool.take_array<Wish>(entry.step_count);
  if (engine.pool.failed()) {
    reason << "the allocator refused memory for measuring the GPU";
    return false;
  }
  uint64_t model = hash(entry.steps, entry.step_count * sizeof *entry.steps, code);
  model = hash(entry.operands, entry.operand_count * sizeof *entry.operands, model);
  CacheFile verdicts(options.cache_folder, FileKind::Verdicts, engine.device.traits, model);
  const uint64_t cpu[] = {cpu_features, session.executor->threads};
  CacheFile tuning(options.cache_folder, FileKind::Tuning, engine.device.traits, hash(cpu, sizeof cpu, model));

  __builtin_memcpy(compiled, engine.wishes, entry.step_count * sizeof *compiled);
  const bool times = options.gpu_tune_ms && !options.gpu_cut && !read_wishes(engine, tuning);
  measuring.tries_all = times;
  const bool tests = options.gpu_self_test && (!read_verdicts(measuring, verdicts) || times);
  if (!tests && !times)
    return true;
  auto *wishes = times ? compiled : decided; // of the rehearsal's end
  __builtin_memcpy(wishes, engine.wishes, entry.step_count * sizeof *wishes);
  if (!rehearse(measuring, tests, times))
    return false;
  __builtin_memcpy(engine.wishes, wishes, entry.step_count * sizeof *wishes);
  if (tests)
    verdicts.write(measuring.verdicts, engine.pipelines.variant_count);
  if (!times)
    return true;
  if (!decide(measuring, decided)) {
    reason << "the allocator refused memory for measuring the GPU";
    return false;
  }
  if (!choose_best(measuring, compiled, decided))
    return false;
  keep_wishes(engine, tuning);
  return true;
}

} // namespace

bool measure(Engine &engine, const nacre_session_options &options, uint64_t cpu_features, uint64_t code,
             Reason &reason) {
  const bool good = test_and_tune(engine, options, cpu_features, code, reason);
  // Whatever it came to, the session has not run yet.
  __builtin_memset(engine.session->memory.state, 0, engine.session->model->state_bytes);
  return good;
}

} // namespace nacre::runtime::gpu
