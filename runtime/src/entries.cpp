// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sessions that have all entries of a model.
// Why: an app that runs several entries in turn should not pay for the arena, scratch and threads of each. Also, it
//      must be able to switch without an allocation.
// How: each entry has a view. `Session::view` contains the current one, and a switch exchanges it. So the other code of
//      sessions and of GPU engines works as for one entry. Each view has its own GPU engine.

#include "runtime/src/block.h"
#include "runtime/src/describe.h"

namespace nacre::runtime {
namespace {

Session &cast(nacre_session *session) { return *reinterpret_cast<Session *>(session); }

uint32_t current_entry(const Session &session) { return uint32_t(session.view.entry - session.model->entries); }

void switch_to(Session &session, uint32_t entry) {
  session.views[current_entry(session)] = session.view;
  session.view = session.views[entry];
  session.view.memory.state = session.state->data;
}

/// Returns the end of the struct and of the array of views, which follows it.
uint64_t end_of_views(const nacre_model_table &model) {
  return aligned(sizeof(Session)) + aligned(model.entry_count * sizeof(EntryView));
}

/// Like plan_session(), but if the options request all entries, the block has room for all of them.
nacre_status plan_entries(const nacre_model *model, uint32_t api_version, const nacre_session_options *options,
                          SessionPlan &plan, Reason &reason) {
  const nacre_status planned = plan_session(model, api_version, options, plan, reason);
  if (planned != NACRE_OK || !plan.options.all_entries)
    return planned;
  const nacre_model_table &table = *plan.model;
  EntryPlan first = plan.view;
  uint64_t end = end_of_views(table);
  plan.memory.input_bytes = plan.memory.output_bytes = 0;
  for (uint32_t i = 0; i < table.entry_count; ++i) {
    plan.view.entry = &table.entries[i];
    if (nacre_status status = check_entry(plan, reason))
      return status;
    place_entry(plan, end);
    if (plan.view.entry == first.entry)
      first = plan.view;
  }
  plan.view = first;
  place_shared(plan, end);
  plan.options.gpu_background = 0; // A thread would read the view that a switch exchanges.
  return NACRE_OK;
}

/// Like plan_entries(), for the create of the session. While create measures the engines of all entries, they use the
/// session's own state instead of the app's.
nacre_status plan_creation(const nacre_model *model, uint32_t api_version, const nacre_session_options *options,
                           SessionPlan &plan, Reason &reason) {
  const nacre_status status = plan_entries(model, api_version, options, plan, reason);
  if (plan.options.all_entries && plan.has_own_state)
    plan.options.state = nullptr;
  return status;
}

/// Initializes the views, and starts the GPU for all of them but the current one, for which it was started at create.
bool start_entries(Session &session, SessionPlan &plan, Reason &reason) {
  const nacre_model_table &table = *plan.model;
  const uint32_t first = current_entry(session);
  char *block = reinterpret_cast<char *>(&session);
  session.views = reinterpret_cast<EntryView *>(block + aligned(sizeof(Session)));
  uint64_t end = end_of_views(table);
  for (uint32_t i = 0; i < table.entry_count; ++i) {
    plan.view.entry = &table.entries[i];
    place_entry(plan, end);
    if (i != first)
      set_up(session.views[i], plan, block, session.state->data);
  }
  for (uint32_t i = 0; session.gpu_engine && i < table.entry_count; ++i) {
    if (i == first)
      continue;
    switch_to(session, i);
    // The reason why an earlier entry does not use the GPU, or not all of its code, must not be lost.
    char told[sizeof session.reason];
    copy_text(told, sizeof told, session.reason);
    if (!session.gpu_engine->start(session, plan, reason))
      return false;
    if (!session.reason[0])
      copy_text(session.reason, sizeof session.reason, told);
  }
  return true;
}

} // namespace

nacre_status memory_of_entries(const nacre_model *model, uint32_t api_version, const nacre_session_options *options,
                               size_t info_size, nacre_memory_info *out_memory) {
  return memory_of_planned(model, api_version, options, info_size, out_memory, plan_entries);
}

nacre_status create_with_entries(const nacre_model *model, uint32_t api_version, const nacre_session_options *options,
                                 nacre_session **out_session) {
  nacre_session *handle;
  if (nacre_status status = create_planned(model, api_version, options, &handle, plan_creation))
    return status;
  Session &session = cast(handle);
  session.views = nullptr;
  SessionPlan plan;
  Reason reason;
  plan_entries(model, api_version, options, plan, reason); // The same plan again, so it succeeds.
  if (plan.options.all_entries) {
    const uint32_t first = current_entry(session);
    if (!start_entries(session, plan, reason)) {
      destroy_with_entries(handle);
      return fail_create(plan.options, reason, NACRE_UNSUPPORTED);
    }
    if (plan.options.state)
      session.state = reinterpret_cast<State *>(plan.options.state);
    switch_to(session, first);
  }
  *out_session = handle;
  return NACRE_OK;
}

void destroy_with_entries(nacre_session *handle) {
  Session &session = cast(handle);
  for (uint32_t i = 0; session.views && session.gpu_engine && i < session.model->entry_count; ++i) {
    switch_to(session, i);
    session.gpu_engine->stop(session);
  }
  session_destroy(handle);
}

nacre_status use_entry(nacre_session *handle, uint32_t entry) {
  Session &session = cast(handle);
  if (nacre_status status = check_index(session, "entry", entry, session.model->entry_count))
    return status;
  if (session.views) {
    switch_to(session, entry);
    return NACRE_OK;
  }
  if (entry == current_entry(session))
    return NACRE_OK;
  Reason reason;
  reason << "the session has only the entry '" << session.model->strings + session.view.entry->name
         << "'; create it with all_entries";
  return fail(session, reason);
}

} // namespace nacre::runtime
