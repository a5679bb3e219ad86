// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks labels before the first launch of a run.
// Why: no kernel detects an unknown class. A training step would silently learn from the other examples only.
// How: the model's tables tell which inputs contain classes, and how many classes exist. Models without variables
//      cannot train, so they do not link this file.

#include "runtime/src/session.h"

namespace nacre::runtime {

/// Like session_run(), but first checks the labels. Returns NACRE_BAD_ARGUMENT if a label is neither a class nor
/// the label of ignored examples. The state is then unchanged.
nacre_status run_with_labels(nacre_session *handle) {
  Session &session = *reinterpret_cast<Session *>(handle);
  const nacre_model_table &model = *session.model;
  for (uint32_t i = 0; i < session.view.entry->input_count; ++i) {
    const nacre_tensor &input = session.view.entry->inputs[i];
    if (input.first_count == NACRE_NO_COUNTS)
      continue;
    const int64_t *classes = model.dims + input.first_count;
    const void *labels = session.view.memory.inputs[i].used;
    const bool is_wide = input.element_type == NACRE_I64;
    for (uint64_t n = input.bytes / (is_wide ? 8 : 4); n-- > 0;) {
      const int64_t label = is_wide ? static_cast<const int64_t *>(labels)[n] : static_cast<const int32_t *>(labels)[n];
      if (uint64_t(label) < uint64_t(classes[0]) || label == classes[1])
        continue;
      Reason reason;
      reason << "'" << model.strings + input.name << "' must be from 0 to " << uint64_t(classes[0] - 1)
             << ", but element " << n << " is not";
      return fail(session, reason);
    }
  }
  return session_run(handle);
}

} // namespace nacre::runtime
