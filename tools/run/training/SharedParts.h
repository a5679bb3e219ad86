// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state and the threads that the sessions of a training share. One session trains the state and another tests it,
// and both use the same threads alternately. The shared parts are created before the sessions and destroyed after them.

#ifndef NACRE_TOOLS_RUN_TRAINING_SHAREDPARTS_H
#define NACRE_TOOLS_RUN_TRAINING_SHAREDPARTS_H

#include "tools/run/session/ModelSession.h"

#include <cstdio>

namespace nacre::run {

class SharedParts {
public:
  SharedParts() = default;
  SharedParts(const SharedParts &) = delete;
  SharedParts &operator=(const SharedParts &) = delete;
  ~SharedParts() {
    if (!model)
      return;
    nacre_state_destroy(parts.state);
    nacre_executor_destroy(model, parts.executor);
  }

  Outcome create(const nacre_model *compiled, const Options &options) {
    model = compiled;
    if (Outcome failure = weights.open(model, options))
      return failure;
    char reason[256] = "";
    nacre_session_options settings = nacre_session_options_default();
    weights.addTo(settings);
    settings.reason = reason;
    settings.reason_capacity = sizeof reason;
    nacre_status status = nacre_state_create(model, &settings, &parts.state);
    if (status == NACRE_OK) {
      std::snprintf(reason, sizeof reason, "threads could not be started");
      status = nacre_executor_create(model, options.threads, nullptr, &parts.executor);
    }
    if (status != NACRE_OK)
      return statusFailure(reason, status);
    return std::nullopt;
  }

  Shared parts;

private:
  const nacre_model *model = nullptr;
  WeightsFile weights;
};

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TRAINING_SHAREDPARTS_H
