// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the calls of state.h that read and write a state's tensors, and the table of all functions.
// Why: apps reset the state between two sequences, or restore a saved state to continue an earlier sequence.
// How: a GPU that changed the state keeps the data until a call needs it. Each call, except calls that only read names,
//      copies the data back first. A count of writes tells engines when to copy the state again. Each call takes the
//      state, performs an action on it, and gives it back.

#include "runtime/src/state.h"
#include "runtime/src/allocator.h"
#include "runtime/src/describe.h"
#include "runtime/src/platform.h"
#include "runtime/src/session.h"
#include "runtime/src/state/stored.h"

namespace nacre::runtime {
namespace {

StateAction find;

/// Takes the state, performs the action, and gives the state back. Reports an error if a run or another call uses the
/// state.
__attribute__((noinline)) nacre_status act(nacre_state *handle, Word first, Word second, Word third, Word fourth,
                                           StateAction *action) {
  State &state = *reinterpret_cast<State *>(handle);
  if (!take(state)) {
    const char *why = "the state is in use by a run or another call; wait, or copy it";
    __atomic_store_n(&state.reason, why, __ATOMIC_RELEASE);
    return NACRE_BAD_ARGUMENT;
  }
  Reason reason;
  const bool is_here = action == find || bring_home(state, reason);
  const nacre_status status = is_here ? action(state, {{first, second, third, fourth}}, reason) : NACRE_FAILED;
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

/// Implements a call of nacre/state.h: performs `action` with the arguments of the call.
template <StateAction *action, typename A> nacre_status call_by(nacre_state *state, A a) {
  return act(state, a, {}, {}, {}, action);
}
template <StateAction *action, typename A, typename B> nacre_status call_by(nacre_state *state, A a, B b) {
  return act(state, a, b, {}, {}, action);
}
template <StateAction *action, typename A, typename B, typename C, typename D>
nacre_status call_by(nacre_state *state, A a, B b, C c, D d) {
  return act(state, a, b, c, d, action);
}

// --- 1. Actions
// ------------------------------------------------------------------------------------------------------

nacre_status find(State &state, const StateCall &call, Reason &reason) {
  const nacre_model_table &model = *state.model;
  const char *name = call.words[0].text();
  for (uint32_t i = 0; i < model.variable_count; ++i)
    if (equal(model.strings + model.variables[i].tensor.name, name)) {
      *static_cast<uint32_t *>(call.words[1].data) = i;
      return NACRE_OK;
    }
  reason << "the model must have state '" << name << "', but does not";
  return NACRE_BAD_ARGUMENT;
}

/// Copies the elements of a variable to or from the app's memory.
nacre_status copy(State &state, const StateCall &call, Reason &reason) {
  const nacre_model_table &model = *state.model;
  const auto index = uint32_t(call.words[0].number), writes = uint32_t(call.words[3].number);
  if (index >= model.variable_count) {
    reason << "state must be below " << uint64_t(model.variable_count) << ", but is " << uint64_t(index);
    return NACRE_BAD_ARGUMENT;
  }
  const nacre_variable &variable = model.variables[index];
  if (call.words[2].number != variable.tensor.bytes) {
    reason << "state must be read and written as a whole, in " << variable.tensor.bytes << " bytes";
    return NACRE_BAD_ARGUMENT;
  }
  copy_stored(model, variable, state.data + variable.offset, static_cast<char *>(call.words[1].data), writes != 0);
  state.writes += writes;
  return NACRE_OK;
}

nacre_status reset(State &state, const StateCall &call, Reason &) {
  const nacre_model_table &model = *state.model;
  for (uint32_t i = 0; i < model.variable_count; ++i) {
    const nacre_variable &variable = model.variables[i];
    char *kept = state.data + variable.offset;
    const uint64_t bytes = variable.stored_bytes;
    if ((variable.role & uint32_t(call.words[0].number)) == 0)
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
  State &from = *static_cast<State *>(call.words[0].data);
  if (from.model != state.model || !take(from)) {
    reason << "a state must be copied from an idle one of the same model";
    return NACRE_BAD_ARGUMENT;
  }
  const bool is_here = bring_home(from, reason);
  if (is_here) {
    __builtin_memcpy(state.data, from.data, state.model->state_bytes);
    ++state.writes;
  }
  give_back(from);
  return is_here ? NACRE_OK : NACRE_FAILED;
}

// --- 2. Calls
// --------------------------------------------------------------------------------------------------------

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

nacre_status state_copy_all(nacre_state *from, nacre_state *to) {
  return from == to ? NACRE_OK : call_by<copy_from>(to, from);
}

const char *state_reason(const nacre_state *handle) {
  return __atomic_load_n(&reinterpret_cast<const State *>(handle)->reason, __ATOMIC_ACQUIRE);
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
  return call_by<reset>(&state.head, NACRE_STATE_ALL);
}

void state_destroy(nacre_state *handle) {
  State &state = *reinterpret_cast<State *>(handle);
  if (state.block_bytes) // A session's own state is part of the session's block, so it is not released here.
    state.allocator.release(state.allocator.user, &state, state.block_bytes);
}

} // namespace

nacre_status refuse_file(long error, const char *what, Reason &reason) {
  reason << "the file cannot be " << what << ": ";
  if (const char *text = file_error_text(error))
    reason << text;
  else
    reason << "system error " << uint64_t(-error);
  return NACRE_FAILED;
}

bool check_variables(const nacre_model_table &model, Reason &reason) {
  for (uint32_t i = 0; i < model.variable_count; ++i) {
    const nacre_variable &variable = model.variables[i];
    const uint64_t bytes = variable.stored_bytes;
    const bool fits = bytes <= model.state_bytes && variable.offset <= model.state_bytes - bytes;
    const bool starts = variable.initial == 0 ||
                        (variable.initial <= model.weight_count && model.weights[variable.initial - 1].bytes >= bytes);
    if (fits && starts && are_loops_right(model, variable))
      continue;
    reason << "the model's tables are damaged at state '" << model.strings + variable.tensor.name
           << "'; compile the model again";
    return false;
  }
  return true;
}

constexpr nacre_state_functions states = {sizeof(nacre_state_functions),
                                          session_state,
                                          state_describe,
                                          call_by<find>,
                                          call_by<copy>,
                                          call_by<reset>,
                                          state_reason,
                                          state_create,
                                          state_destroy,
                                          state_copy_all,
                                          call_by<save>,
                                          call_by<load>};

} // namespace nacre::runtime
