// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the tensors of a state, as apps see them; and the table of all that states can do.
// Why:   a sequence ends and another begins, and an app may want to go on where it was.
// How:   the state's block is what counts between runs: an engine with a copy of its own gives it back at a run's end,
//        and is told by a count of writes that it must take it anew. Each call is an action on a state that is its own.

#include "runtime/src/state/state.h"
#include "runtime/src/allocator.h"
#include "runtime/src/describe.h"
#include "runtime/src/session.h"
#include "runtime/src/state/stored.h"

namespace nacre::runtime {
namespace {

__attribute__((noinline)) nacre_status call(nacre_state *handle, StateAction *action, const StateCall &call) {
  State &state = *reinterpret_cast<State *>(handle);
  if (!take(state)) {
    const char *why = "a state must be in one run or call at a time; wait for the one that has it, or take a copy";
    __atomic_store_n(&state.reason, why, __ATOMIC_RELEASE);
    return NACRE_BAD_ARGUMENT;
  }
  Reason reason;
  const nacre_status status = action(state, call, reason);
  if (status != NACRE_OK) {
    copy_text(state.text, sizeof state.text, reason.c_str());
    const char *text = state.text;
    __atomic_store_n(&state.reason, text, __ATOMIC_RELEASE);
    if (state.log)
      state.log(state.log_user, NACRE_LOG_ERROR, state.text);
  }
  give_back(state);
  return status;
}

// --- 1. Actions
// ------------------------------------------------------------------------------------------------------

nacre_status find(State &state, const StateCall &call, Reason &reason) {
  const nacre_model_table &model = *state.model;
  for (uint32_t i = 0; i < model.variable_count; ++i)
    if (equal(model.strings + model.variables[i].tensor.name, call.text)) {
      *call.out_index = i;
      return NACRE_OK;
    }
  reason << "the model must have state '" << call.text << "', but has none of that name";
  return NACRE_BAD_ARGUMENT;
}

nacre_status copy(State &state, const StateCall &call, Reason &reason) {
  const nacre_model_table &model = *state.model;
  if (call.number >= model.variable_count) {
    reason << "state must be below " << uint64_t(model.variable_count) << ", but is " << uint64_t(call.number);
    return NACRE_BAD_ARGUMENT;
  }
  const nacre_variable &variable = model.variables[call.number];
  if (call.bytes != variable.tensor.bytes) {
    reason << "state must be read and written as a whole, in " << variable.tensor.bytes << " bytes";
    return NACRE_BAD_ARGUMENT;
  }
  copy_stored(model, variable, state.data + variable.offset, static_cast<char *>(call.data), call.writes != 0);
  state.writes += call.writes;
  return NACRE_OK;
}

nacre_status reset(State &state, const StateCall &call, Reason &) {
  const nacre_model_table &model = *state.model;
  for (uint32_t i = 0; i < model.variable_count; ++i) {
    const nacre_variable &variable = model.variables[i];
    char *kept = state.data + variable.offset;
    const uint64_t bytes = stored_bytes(model, variable);
    if ((variable.role & call.number) == 0)
      continue;
    if (variable.initial)
      __builtin_memcpy(kept, state.weights + model.weights[variable.initial - 1].offset, bytes);
    else
      __builtin_memset(kept, 0, bytes);
  }
  ++state.writes;
  return NACRE_OK;
}

nacre_status copy_from(State &state, const StateCall &call, Reason &reason) {
  State &from = *static_cast<State *>(call.data);
  if (from.model != state.model || !take(from)) {
    reason << "a state must be copied from one of the same model that no run or call has";
    return NACRE_BAD_ARGUMENT;
  }
  __builtin_memcpy(state.data, from.data, state.model->state_bytes);
  ++state.writes;
  give_back(from);
  return NACRE_OK;
}

// --- 2. Calls
// --------------------------------------------------------------------------------------------------------

nacre_status state_of_session(nacre_session *handle, nacre_state **out_state) {
  *out_state = &reinterpret_cast<Session *>(handle)->state->head;
  return NACRE_OK;
}

nacre_status state_describe(const nacre_model *handle, uint32_t index, size_t info_size, nacre_state_info *out_info) {
  const auto &model = *reinterpret_cast<const nacre_model_table *>(handle);
  if (index >= model.variable_count)
    return NACRE_BAD_ARGUMENT;
  const nacre_tensor &tensor = model.variables[index].tensor;
  copy_out(out_info, info_size,
           nacre_state_info{model.strings + tensor.name, static_cast<nacre_element_type>(tensor.element_type),
                            tensor.rank, model.dims + tensor.first_dim, tensor.bytes,
                            static_cast<nacre_state_role>(model.variables[index].role)});
  return NACRE_OK;
}

nacre_status state_find(nacre_state *state, const char *name, uint32_t *out_index) {
  return call(state, find, {name, 0, 0, nullptr, 0, out_index});
}

nacre_status state_copy(nacre_state *state, uint32_t index, void *data, size_t bytes, uint32_t writes) {
  return call(state, copy, {nullptr, index, writes, data, bytes, nullptr});
}

nacre_status state_reset(nacre_state *state, uint32_t roles) {
  return call(state, reset, {nullptr, roles, 0, nullptr, 0, nullptr});
}

nacre_status state_copy_all(nacre_state *from, nacre_state *to) {
  return from == to ? NACRE_OK : call(to, copy_from, {nullptr, 0, 0, from, 0, nullptr});
}

nacre_status state_save(nacre_state *state, const char *path, uint32_t roles) {
  return call(state, save, {path, roles, 0, nullptr, 0, nullptr});
}

nacre_status state_load(nacre_state *state, const char *path, uint32_t roles) {
  return call(state, load, {path, roles, 0, nullptr, 0, nullptr});
}

const char *state_reason(const nacre_state *handle) {
  return __atomic_load_n(&reinterpret_cast<const State *>(handle)->reason, __ATOMIC_ACQUIRE);
}

bool check_variables(const nacre_model_table &model, Reason &reason) {
  for (uint32_t i = 0; i < model.variable_count; ++i) {
    const nacre_variable &variable = model.variables[i];
    const uint64_t bytes = stored_bytes(model, variable);
    const bool fits = bytes <= model.state_bytes && variable.offset <= model.state_bytes - bytes;
    const bool starts = variable.initial == 0 ||
                        (variable.initial <= model.weight_count && model.weights[variable.initial - 1].bytes >= bytes);
    if (fits && starts)
      continue;
    reason << "the model's tables are damaged at state '" << model.strings + variable.tensor.name
           << "'; compile the model again";
    return false;
  }
  return true;
}

nacre_status state_create(const nacre_model *model, uint32_t api_version, const nacre_session_options *options,
                          nacre_state **out_state) {
  SessionPlan plan;
  Reason reason;
  nacre_status status = plan_session(model, api_version, options, plan, reason);
  const nacre_allocator allocator = allocator_or_libc(plan.options.allocator);
  const uint64_t head_bytes = aligned(sizeof(State)), block_bytes = head_bytes + plan.model->state_bytes;
  char *block =
      status == NACRE_OK ? static_cast<char *>(allocate_block(allocator, block_bytes, reason, status)) : nullptr;
  if (!block)
    return fail_create(plan.options, reason, status);
  __builtin_memset(block, 0, block_bytes);
  State &state = *reinterpret_cast<State *>(block);
  set_up(state, plan, allocator, block + head_bytes);
  state.block_bytes = block_bytes;
  *out_state = &state.head;
  return state_reset(&state.head, NACRE_STATE_ALL);
}

void state_destroy(nacre_state *handle) {
  State &state = *reinterpret_cast<State *>(handle);
  if (state.block_bytes) // a session's own goes with it
    state.allocator.release(state.allocator.user, &state, state.block_bytes);
}

} // namespace

constexpr StateTable stateful = {{sizeof(nacre_state_functions), state_of_session, state_describe, state_find,
                                  state_copy, state_reset, state_reason, state_create, state_destroy, state_copy_all,
                                  state_save, state_load},
                                 check_variables};

} // namespace nacre::runtime
