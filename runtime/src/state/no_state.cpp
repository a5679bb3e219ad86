// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of state.h for a model without state.
// Why: apps and tools call them for every model, but models without state should not link the code of states.
// How: each function reports an error, except for those that never fail.

#include "runtime/src/session.h"

namespace nacre::runtime {
namespace {

constexpr const char *kReason = "the model has no state";

nacre_status describe(const nacre_model *, uint32_t, size_t, nacre_state_info *) { return NACRE_BAD_ARGUMENT; }
nacre_status find(nacre_state *, const char *, uint32_t *) { return NACRE_BAD_ARGUMENT; }
nacre_status copy(nacre_state *, uint32_t, void *, size_t, uint32_t) { return NACRE_BAD_ARGUMENT; }
nacre_status reset(nacre_state *, uint32_t) { return NACRE_OK; }
const char *reason(const nacre_state *) { return kReason; }
nacre_status create(const nacre_model *, uint32_t, const nacre_session_options *options, nacre_state **) {
  if (options && options->reason)
    copy_text(options->reason, options->reason_capacity, kReason);
  return NACRE_BAD_ARGUMENT;
}
void destroy(nacre_state *) {}
nacre_status copy_all(nacre_state *, nacre_state *) { return NACRE_BAD_ARGUMENT; }
nacre_status to_file(nacre_state *, const char *, uint32_t) { return NACRE_BAD_ARGUMENT; }
} // namespace

bool check_no_variables(const nacre_model_table &model, Reason &reason) {
  if (model.variable_count != 0)
    reason << "the model's tables are damaged; compile the model again";
  return model.variable_count == 0;
}

constexpr nacre_state_functions no_states = {sizeof(nacre_state_functions),
                                             session_state,
                                             describe,
                                             find,
                                             copy,
                                             reset,
                                             reason,
                                             create,
                                             destroy,
                                             copy_all,
                                             to_file,
                                             to_file};

} // namespace nacre::runtime
