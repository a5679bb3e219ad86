// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the tensors that a session keeps from run to run, as apps see them.
// Why:   a sequence ends and another begins, and an app may want to go on where it was.
// How:   the session's block is what counts between runs: an engine with a copy of its own gives it back at a run's end,
//        and is told by a count of writes that it must take it anew.

#include "runtime/src/describe.h"
#include "runtime/src/session.h"

namespace nacre::runtime {
namespace {

Session &session_of(nacre_state *state) { return *reinterpret_cast<State *>(state)->session; }

nacre_status session_state(nacre_session *handle, nacre_state **out_state) {
  *out_state = &reinterpret_cast<Session *>(handle)->state.head;
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
  Session &session = session_of(state);
  const nacre_model_table &model = *session.model;
  return find(session, "state", &model.variables->tensor, sizeof(nacre_variable), model.variable_count, name,
              out_index);
}

nacre_status state_copy(nacre_state *state, uint32_t index, void *data, size_t bytes, uint32_t writes) {
  Session &session = session_of(state);
  const nacre_model_table &model = *session.model;
  if (nacre_status status = check_index(session, "state", index, model.variable_count))
    return status;
  const nacre_variable &variable = model.variables[index];
  if (bytes != variable.tensor.bytes) {
    Reason reason;
    reason << "state must be read and written as a whole, in " << variable.tensor.bytes << " bytes";
    return fail(session, reason);
  }
  char *kept = session.memory.state + variable.offset;
  __builtin_memcpy(writes ? kept : data, writes ? data : kept, bytes);
  session.state_writes += writes;
  return NACRE_OK;
}

nacre_status state_reset(nacre_state *state, uint32_t roles) {
  Session &session = session_of(state);
  start_state(session, roles);
  ++session.state_writes;
  return NACRE_OK;
}

const char *state_reason(const nacre_state *state) { return reinterpret_cast<const State *>(state)->session->reason; }

} // namespace

void start_state(const Session &session, uint32_t roles) {
  const nacre_model_table &model = *session.model;
  for (uint32_t i = 0; i < model.variable_count; ++i) {
    const nacre_variable &variable = model.variables[i];
    char *kept = session.memory.state + variable.offset;
    if ((variable.role & roles) == 0)
      continue;
    if (variable.initial)
      __builtin_memcpy(kept, session.weights + model.weights[variable.initial - 1].offset, variable.tensor.bytes);
    else
      __builtin_memset(kept, 0, variable.tensor.bytes);
  }
}

} // namespace nacre::runtime

const nacre_state_functions nacre_runtime_state_functions = {
    sizeof(nacre_state_functions), nacre::runtime::session_state, nacre::runtime::state_describe,
    nacre::runtime::state_find,    nacre::runtime::state_copy,    nacre::runtime::state_reset,
    nacre::runtime::state_reason,
};
