// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares sizes that a run has decided with the largest ones (nacre-compile --bound).
// Why: memory is planned for the largest size. Kernels compute with at most that, so the outputs of larger sizes would
//      lack elements without a sign.
// How: hidden outputs hold the sizes as the model computes them, and the model's tables hold the limits. Models without
//      limits do not link this file. Labels are not checked, because no entry of a training has limits.

#include "runtime/src/describe.h"
#include "runtime/src/session.h"

namespace nacre::runtime {

/// Like session_run(), but returns NACRE_BAD_ARGUMENT if a size is larger than its limit.
nacre_status run_within_limits(nacre_session *handle) {
  if (nacre_status status = session_run(handle))
    return status;
  Session &session = *reinterpret_cast<Session *>(handle);
  const nacre_entry &entry = *session.view.entry;
  for (uint32_t i = output_count(entry); i < entry.output_count; ++i) {
    const nacre_tensor &output = entry.outputs[i];
    if (output.first_bound == NACRE_NO_BOUNDS)
      continue;
    const int64_t most = session.model->dims[output.first_bound];
    int64_t size;
    __builtin_memcpy(&size, session.view.memory.outputs[i].own, sizeof size);
    if (size <= most)
      continue;
    session.view.has_run = false;
    Reason reason;
    reason << "'" << session.model->strings + output.name << "' must be at most " << uint64_t(most)
           << ", its bound in this model, but is " << uint64_t(size);
    return fail(session, reason);
  }
  return NACRE_OK;
}

} // namespace nacre::runtime
