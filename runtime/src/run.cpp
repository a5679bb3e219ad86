// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  walks the table of steps once: nacre_session_run.
// Why:   this is all that is left of a model's control flow on the device.
// How:   loops are a stack of counters; a launch resolves its operands to pointers, and hands its units out.

#include "runtime/src/session.h"

namespace nacre::runtime {
namespace {

char *address(const Session &session, const nacre_operand &operand) {
  switch (operand.space) {
  case NACRE_SPACE_INPUT:
    return session.inputs[operand.index].used + operand.offset;
  case NACRE_SPACE_OUTPUT:
    return session.outputs[operand.index].used + operand.offset;
  case NACRE_SPACE_STATE:
    return session.state + operand.offset;
  case NACRE_SPACE_WEIGHT:
    // Kernels read weights only; the table of pointers they get has one type for all.
    return const_cast<char *>(session.weights) + session.model->weights[operand.index].offset + operand.offset;
  default: // the plan has refused every other space
    return session.arena + operand.offset;
  }
}

struct Work {
  nacre_kernel_function function;
  nacre_kernel_args args;
  char *scratch;
  uint64_t scratch_stride;
};

void run_units(void *context, uint32_t thread, int64_t begin, int64_t end) {
  const Work &work = *static_cast<const Work *>(context);
  nacre_kernel_args args = work.args;
  args.scratch = work.scratch + thread * work.scratch_stride;
  work.function(&args, begin, end);
}

void run_launch(const Session &session, uint32_t index, int64_t iteration) {
  const nacre_step &step = session.entry->steps[index];
  const Launch &launch = session.launches[index];
  if (launch.units == 0)
    return;
  for (uint32_t i = 0; i < step.operand_count; ++i) {
    const nacre_operand &operand = session.entry->operands[step.first_operand + i];
    session.pointers[i] = address(session, operand) + operand.step * iteration;
  }
  Work work = {launch.function,
               {session.pointers, nullptr, step.cpu_begin, step.cpu_end, nullptr},
               session.scratch,
               session.scratch_stride};
  if (launch.grain >= launch.units)
    run_units(&work, 0, 0, launch.units);
  else
    session.executor->run(session.executor, run_units, &work, launch.units, launch.grain);
}

void run_launch_timed(const Session &session, uint32_t index, int64_t iteration, uint64_t start) {
  nacre_launch_time &time = session.times[index];
  const uint64_t begin = now();
  run_launch(session, index, iteration);
  time.total += now() - begin;
  if (time.executions++ == 0)
    time.begin = begin - start;
}

} // namespace

nacre_status session_run(nacre_session *handle) {
  Session &session = *reinterpret_cast<Session *>(handle);
  const nacre_entry &entry = *session.entry;
  uint64_t start = 0;
  if (session.times) {
    __builtin_memset(session.times, 0, entry.step_count * sizeof(nacre_launch_time));
    start = now();
  }
  struct {
    uint32_t first;
    int64_t iteration;
  } loops[1 + NACRE_MAX_LOOP_DEPTH] = {}; // the first is the entry itself: one iteration
  uint32_t depth = 0;
  for (uint32_t i = 0; i < entry.step_count; ++i) {
    auto &loop = loops[depth];
    switch (entry.steps[i].kind) {
    case NACRE_STEP_LAUNCH:
      if (session.times)
        run_launch_timed(session, i, loop.iteration, start);
      else
        run_launch(session, i, loop.iteration);
      break;
    case NACRE_STEP_LOOP_BEGIN:
      loops[++depth] = {i, 0};
      break;
    case NACRE_STEP_LOOP_END:
      if (++loop.iteration < entry.steps[loop.first].trip_count)
        i = loop.first;
      else
        --depth;
      break;
    }
  }
  session.has_run = true;
  return NACRE_OK;
}

} // namespace nacre::runtime
