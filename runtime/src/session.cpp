// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates and destroys sessions, and gives access to their buffers.
// Why: everything that may allocate or fail happens here, so that a run does neither.
// How: create makes the plan, allocates one block, sets its pointers, then starts the threads. If a step fails, the
//      earlier steps are undone.

#include "runtime/src/session.h"
#include "runtime/src/allocator.h"
#include "runtime/src/describe.h"

namespace nacre::runtime {
namespace {

Session &cast(nacre_session *session) { return *reinterpret_cast<Session *>(session); }

void set_buffers(Buffer *buffers, const nacre_tensor *tensors, uint32_t count, char *data) {
  for (uint32_t i = 0; i < count; ++i) {
    buffers[i] = {data, data};
    data += aligned(tensors[i].bytes);
  }
}

void set_up(Session &session, char *block, const SessionPlan &plan, const nacre_allocator &allocator) {
  session.head.functions = plan.model->head.functions;
  set_up(session.own_state, plan, allocator, block + plan.state);
  session.state = plan.has_own_state ? &session.own_state : reinterpret_cast<State *>(plan.options.state);
  session.model = plan.model;
  session.weights = plan.weights;
  session.executor = plan.options.executor;
  session.process = process_number();
  session.max_iterations = plan.options.max_iterations;
  session.phase = RunPhase::Idle;
  session.owns_pool = false;
  session.gpu_engine = plan.model->gpu_engine;
  session.start = {};
  session.pointers = reinterpret_cast<void **>(block + plan.pointers);
  session.scratch = block + plan.scratch;
  session.scratch_stride = plan.scratch_stride;
  session.allocator = allocator;
  session.block_bytes = plan.memory.block_bytes;
  session.log = plan.options.log;
  session.log_user = plan.options.log_user;
  session.reason[0] = 0;
  set_up(session.view, plan, block, session.state->data);
  if (plan.has_own_state)
    nacre_state_reset(&session.own_state.head, NACRE_STATE_ALL);
}

nacre_status find(Session &session, const char *what, const nacre_tensor *tensors, uint32_t count, const char *name,
                  uint32_t *out_index) {
  for (uint32_t i = 0; i < count; ++i)
    if (equal(session.model->strings + tensors[i].name, name)) {
      *out_index = i;
      return NACRE_OK;
    }
  Reason reason;
  reason << "the model must have " << what << " '" << name << "', but does not";
  return fail(session, reason);
}

nacre_status bind(Session &session, const char *what, Buffer *buffers, uint32_t count, uint32_t index, char *data) {
  if (nacre_status status = check_index(session, what, index, count))
    return status;
  if (reinterpret_cast<uintptr_t>(data) % NACRE_ALIGNMENT != 0) {
    Reason reason;
    reason << "a bound buffer must be aligned to " << uint64_t(NACRE_ALIGNMENT) << " bytes, but that of " << what << " "
           << uint64_t(index) << " is not; align it, or copy";
    return fail(session, reason);
  }
  buffers[index].used = data ? data : buffers[index].own;
  session.view.has_new_buffers = true;
  return NACRE_OK;
}

} // namespace

void set_up(EntryView &view, const SessionPlan &plan, char *block, char *state) {
  const nacre_entry &entry = *plan.view.entry;
  auto *launches = reinterpret_cast<Launch *>(block + plan.view.launches);
  view.entry = &entry;
  view.memory = {reinterpret_cast<Buffer *>(block + plan.view.inputs),
                 reinterpret_cast<Buffer *>(block + plan.view.outputs), state, block + plan.arena};
  view.launches = launches;
  view.times = plan.options.profile ? reinterpret_cast<nacre_launch_time *>(block + plan.view.times) : nullptr;
  view.gpu = nullptr;
  view.has_run = false;
  view.has_new_buffers = false;
  set_buffers(view.memory.inputs, entry.inputs, entry.input_count, block + plan.view.input_data);
  set_buffers(view.memory.outputs, entry.outputs, entry.output_count, block + plan.view.output_data);
  for (uint32_t i = 0; i < entry.step_count; ++i)
    if (entry.steps[i].kind == NACRE_STEP_LAUNCH)
      launches[i] = prepare_launch(*choose_variant(plan.model->kernels[entry.steps[i].kernel], plan.features), 0,
                                   entry.steps[i].cut_extent, plan.memory.threads);
}

nacre_status check_index(Session &session, const char *what, uint32_t index, uint32_t count) {
  if (index < count)
    return NACRE_OK;
  Reason reason;
  reason << what << " must be below " << uint64_t(count) << ", but is " << uint64_t(index);
  return fail(session, reason);
}

nacre_status fail(Session &session, const Reason &reason, nacre_status status) {
  copy_text(session.reason, sizeof session.reason, reason.c_str());
  if (session.log)
    session.log(session.log_user, NACRE_LOG_ERROR, session.reason);
  return status;
}

nacre_status fail_create(const nacre_session_options &options, const Reason &reason, nacre_status status) {
  if (options.reason)
    copy_text(options.reason, options.reason_capacity, reason.c_str());
  if (options.log)
    options.log(options.log_user, NACRE_LOG_ERROR, reason.c_str());
  return status;
}

void set_up(State &state, const SessionPlan &plan, const nacre_allocator &allocator, char *data) {
  state.head.functions = plan.model->head.functions->state;
  state.model = plan.model;
  state.weights = plan.weights;
  state.data = data;
  // The state is not in use, and its data is in the CPU's memory.
  __builtin_memset(&state.writes, 0, sizeof state.writes + sizeof state.busy + sizeof state.away);
  state.reason = "";
  state.allocator = allocator;
  state.block_bytes = 0;
  state.log = plan.options.log;
  state.log_user = plan.options.log_user;
}

nacre_status memory_of_planned(const nacre_model *model, uint32_t api_version, const nacre_session_options *options,
                               size_t info_size, nacre_memory_info *out_memory, SessionPlanner *planner) {
  SessionPlan plan;
  Reason reason;
  if (nacre_status status = planner(model, api_version, options, plan, reason))
    return fail_create(plan.options, reason, status);
  copy_out(out_memory, info_size, plan.memory);
  return NACRE_OK;
}

nacre_status session_memory(const nacre_model *model, uint32_t api_version, const nacre_session_options *options,
                            size_t info_size, nacre_memory_info *out_memory) {
  return memory_of_planned(model, api_version, options, info_size, out_memory, plan_session);
}

nacre_status create_planned(const nacre_model *model, uint32_t api_version, const nacre_session_options *options,
                            nacre_session **out_session, SessionPlanner *planner) {
  SessionPlan plan;
  Reason reason;
  nacre_status status = planner(model, api_version, options, plan, reason);
  if (status != NACRE_OK)
    return fail_create(plan.options, reason, status);

  const nacre_allocator allocator = allocator_or_libc(plan.options.allocator);
  void *block = allocate_block(allocator, plan.memory.block_bytes, reason, status);
  if (!block)
    return fail_create(plan.options, reason, status);
  Session &session = *static_cast<Session *>(block);
  set_up(session, static_cast<char *>(block), plan, allocator);

  if (!session.executor) {
    if (!session.pool.start(plan.memory.threads)) {
      allocator.release(allocator.user, block, plan.memory.block_bytes);
      reason << "the system refused to start " << uint64_t(plan.memory.threads - 1)
             << (plan.memory.threads == 2 ? " thread" : " threads");
      return fail_create(plan.options, reason, NACRE_FAILED);
    }
    session.owns_pool = true;
    session.executor = &session.pool.executor;
  }
  if (session.gpu_engine && !session.gpu_engine->start(session, plan, reason)) {
    session_destroy(&session.head);
    return fail_create(plan.options, reason, NACRE_UNSUPPORTED);
  }
  if (plan.has_own_state && plan.options.state) { // While create measured the engines, the session used its own state
                                                  // instead of the app's.
    session.state = reinterpret_cast<State *>(plan.options.state);
    session.view.memory.state = session.state->data;
  }
  if (session.log) {
    Reason message;
    message << plan.model->strings + plan.model->name << ": " << uint64_t(plan.memory.threads)
            << (plan.memory.threads == 1 ? " thread, " : " threads, ") << plan.memory.block_bytes << " bytes";
    session.log(session.log_user, NACRE_LOG_INFO, message.c_str());
  }
  *out_session = &session.head;
  return NACRE_OK;
}

nacre_status session_create(const nacre_model *model, uint32_t api_version, const nacre_session_options *options,
                            nacre_session **out_session) {
  return create_planned(model, api_version, options, out_session, plan_session);
}

void session_destroy(nacre_session *handle) {
  Session &session = cast(handle);
  if (session.gpu_engine)
    session.gpu_engine->stop(session);
  if (session.owns_pool)
    session.pool.stop();
  const nacre_allocator allocator = session.allocator;
  allocator.release(allocator.user, &session, session.block_bytes);
}

nacre_status session_state(nacre_session *handle, nacre_state **out_state) {
  *out_state = &cast(handle).state->head;
  return NACRE_OK;
}

nacre_status session_input(nacre_session *handle, uint32_t index, void **out_data) {
  Session &session = cast(handle);
  if (nacre_status status = check_index(session, "input", index, session.view.entry->input_count))
    return status;
  *out_data = session.view.memory.inputs[index].used;
  return NACRE_OK;
}

nacre_status session_output(nacre_session *handle, uint32_t index, void **out_data) {
  Session &session = cast(handle);
  if (nacre_status status = check_index(session, "output", index, output_count(*session.view.entry)))
    return status;
  *out_data = session.view.memory.outputs[index].used;
  return NACRE_OK;
}

nacre_status session_output_dims(nacre_session *handle, uint32_t index, int64_t *out_dims) {
  Session &session = cast(handle);
  if (nacre_status status = check_index(session, "output", index, output_count(*session.view.entry)))
    return status;
  const nacre_tensor &output = session.view.entry->outputs[index];
  const int64_t *dims = session.model->dims + output.first_dim;
  if (output.first_count != NACRE_NO_COUNTS && !session.view.has_run) {
    Reason reason;
    reason << "the size of output " << uint64_t(index) << " is known only after a run";
    return fail(session, reason);
  }
  for (uint32_t axis = 0; axis < output.rank; ++axis) {
    const int64_t count = count_of_axis(*session.model, output, axis);
    int64_t size = dims[axis];
    if (count >= 0)
      __builtin_memcpy(&size, session.view.memory.outputs[count].own, sizeof size);
    out_dims[axis] = size < 0 ? 0 : size < dims[axis] ? size : dims[axis];
  }
  return NACRE_OK;
}

nacre_status session_find_input(nacre_session *handle, const char *name, uint32_t *out_index) {
  Session &session = cast(handle);
  return find(session, "an input", session.view.entry->inputs, session.view.entry->input_count, name, out_index);
}

nacre_status session_find_output(nacre_session *handle, const char *name, uint32_t *out_index) {
  Session &session = cast(handle);
  return find(session, "an output", session.view.entry->outputs, output_count(*session.view.entry), name, out_index);
}

nacre_status session_bind_input(nacre_session *handle, uint32_t index, const void *data) {
  Session &session = cast(handle);
  // Kernels only read their inputs, but their table of pointers has one type for all operands.
  return bind(session, "input", session.view.memory.inputs, session.view.entry->input_count, index,
              const_cast<char *>(static_cast<const char *>(data)));
}

nacre_status session_bind_output(nacre_session *handle, uint32_t index, void *data) {
  Session &session = cast(handle);
  return bind(session, "output", session.view.memory.outputs, output_count(*session.view.entry), index,
              static_cast<char *>(data));
}

nacre_status session_launch_time(nacre_session *handle, uint32_t index, size_t time_size, nacre_launch_time *out_time) {
  Session &session = cast(handle);
  const nacre_step *step = find_launch(*session.view.entry, index);
  if (!step || !session.view.times || !session.view.has_run) {
    Reason reason;
    reason << "launch times need a session with `profile`, a run, and a launch of the entry; launch " << uint64_t(index)
           << (!step                 ? " does not exist"
               : !session.view.times ? " was not timed"
                                     : " has not run");
    return fail(session, reason);
  }
  copy_out(out_time, time_size, session.view.times[step - session.view.entry->steps]);
  return NACRE_OK;
}

nacre_status session_describe(nacre_session *handle, size_t info_size, nacre_session_info *out_info) {
  Session &session = cast(handle);
  nacre_session_info info = {};
  info.threads = session.executor->threads;
  if (session.gpu_engine)
    session.gpu_engine->describe(session, info);
  copy_out(out_info, info_size, info);
  return NACRE_OK;
}

const char *session_reason(const nacre_session *session) { return reinterpret_cast<const Session *>(session)->reason; }

} // namespace nacre::runtime
