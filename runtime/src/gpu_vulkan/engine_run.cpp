// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes a run on both engines.
// Why: the engines must meet only between phases, and the GPU must know its next work early.
// How: the CPU walks the phases. If batches can wait for the CPU, all batches are submitted at the beginning, and the
//      CPU signals a word to start each. Otherwise, each batch is submitted when the CPU reaches its phase.

#include "runtime/src/gpu_vulkan/engine.h"
#include "runtime/src/platform.h"
#include "runtime/src/steps.h"

namespace nacre::runtime::gpu {
namespace {

bool bring_inputs(Engine &engine, Reason &reason) {
  const Session &session = *engine.session;
  // The state is copied here and not at create, because runs on the CPU may change it until the GPU is ready. It is
  // copied before the inputs, because the transfer may use their mirror.
  const StateParts *parts = state_parts(session);
  if (parts && !parts->upload(engine, reason))
    return false;
  engine.memory.state = engine.states[engine.current];
  for (uint32_t i = 0; i < session.view.entry->input_count; ++i) {
    const char *from = session.view.memory.inputs[i].used;
    Buffer &input = engine.memory.inputs[i];
    input.used = input.own ? input.own : const_cast<char *>(from); // Kernels only read their inputs.
    if (input.own)
      __builtin_memcpy(input.own, from, engine.layout.inputs[i].bytes);
  }
  for (uint32_t i = 0; i < session.view.entry->output_count; ++i) {
    Buffer &output = engine.memory.outputs[i];
    output.used = output.own ? output.own : session.view.memory.outputs[i].used;
  }
  return true;
}

void take_outputs(Engine &engine) {
  const Session &session = *engine.session;
  for (uint32_t i = 0; i < session.view.entry->output_count; ++i)
    if (engine.memory.outputs[i].own)
      __builtin_memcpy(session.view.memory.outputs[i].used, engine.memory.outputs[i].own,
                       engine.layout.outputs[i].bytes);
}

void run_part(Engine &engine, const Part &part, RunLimits &limits, uint64_t start) {
  const Session &session = *engine.session;
  const nacre_entry &entry = *session.view.entry;
  if (has_two_states(engine.layout))
    return state_parts(session)->run_part(engine, part, limits, start);
  if (entry.steps[part.step].kind != NACRE_STEP_LAUNCH)
    return run_steps(session, engine.memory, engine.launches, part.step, stretch_at(entry, part.step).end, limits,
                     start);
  const uint64_t begin = session.view.times ? now() : 0;
  run_launch(session, engine.memory, entry.steps[part.step], engine.launches[part.step], part.iteration);
  if (session.view.times)
    time_launch(session.view.times[part.step], start, begin);
}

/// Computes the phases. `before` is the number of batches in earlier runs. If a limit ends the run, the CPU skips its
/// remaining parts, but submitted batches finish. So the engine is ready for another run.
bool run_phases(Engine &engine, uint64_t before, RunLimits &limits, uint64_t start, Reason &reason) {
  Device &device = engine.device;
  const List<Phase> &phases = engine.schedule.phases;
  const bool ahead = can_submit_ahead(device);
  const Batch *recorded = recording(engine).batches;
  uint64_t batches = 0; // Number of batches in the phases so far.
  for (uint32_t phase = 0; phase < phases.count; ++phase) {
    const uint64_t earlier = before + batches;
    if (limits.status != NACRE_OK && !ahead)
      break;
    if (recorded && recorded[phase].commands) {
      const Batch &batch = recorded[phase];
      ++batches;
      // With a fence, only one batch at a time can be in progress.
      if (ahead ? batch.waits && !signal(device, engine.words + phase, reason)
                : !wait_for(device, earlier, reason) || !submit(device, batch.commands, reason))
        return false;
    }
    const uint32_t first = phase ? phases[phase - 1].cpu_end : 0;
    if (first != phases[phase].cpu_end && !wait_for(device, engine.sequential ? before + batches : earlier, reason))
      return false;
    for (uint32_t i = first; i < phases[phase].cpu_end; ++i) {
      const Part &part = engine.schedule.cpu[i];
      if (part.step != kMove && !goes_on(*engine.session, limits, part.step))
        break;
      run_part(engine, part, limits, start);
    }
  }
  return wait_for(device, before + batches, reason);
}

bool submit_ahead(Engine &engine, Reason &reason) {
  Submissions &submissions = recording(engine).submissions;
  if (submissions.count == 0 || !can_submit_ahead(engine.device))
    return true;
  uint32_t i = 0;
  const Batch *batches = recording(engine).batches;
  for (uint32_t phase = 0; phase < engine.schedule.phases.count; ++phase)
    if (const Batch &batch = batches[phase]; batch.commands)
      submissions.awaits[i++] = batch.waits ? engine.words + phase : 0;
  return submit(engine.device, submissions, reason);
}

} // namespace

nacre_status run(void *handle, RunLimits &limits, Reason &reason) {
  Engine &engine = *static_cast<Engine *>(handle);
  nacre_launch_time *times = engine.session->view.times;
  const uint64_t start = times ? now() : 0;
  if (times)
    __builtin_memset(times, 0, engine.session->view.entry->step_count * sizeof *times);
  if (!bring_inputs(engine, reason))
    return NACRE_FAILED;
  const uint64_t begun = times ? now() - start : 0;
  const uint64_t before = engine.device.meeting.submitted;
  if (!submit_ahead(engine, reason) || !run_phases(engine, before, limits, start, reason))
    return NACRE_FAILED;
  engine.words += engine.schedule.phases.count;
  // The app may have cancelled the run while the last batch was computed.
  if (limits.status == NACRE_OK && is_run_cancelled(*engine.session)) {
    limits.status = NACRE_CANCELLED;
    limits.stopped_at = engine.session->view.entry->step_count - 1;
  }
  if (limits.status != NACRE_OK)
    return limits.status;
  if (!note_times(engine, begun, reason))
    return NACRE_FAILED;
  take_outputs(engine); // A later transfer of the state may overwrite the outputs.
  // The state changes last, when nothing else in the run can fail.
  if (writes_state(*engine.session->view.entry) && !state_parts(*engine.session)->commit(engine, reason))
    return NACRE_FAILED;
  return NACRE_OK;
}

} // namespace nacre::runtime::gpu
