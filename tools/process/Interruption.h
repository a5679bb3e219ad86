// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles Ctrl-C while a model runs or is trained, or while another program runs. A user who ends a long training wants
// to keep its result, and half a step is worth nothing. A run that never ends should report its position. The first
// Ctrl-C or SIGTERM is recorded, and cancels the run of a session. A training instead checks for it between two steps.
// The second one ends the process at once.

#ifndef NACRE_TOOLS_PROCESS_INTERRUPTION_H
#define NACRE_TOOLS_PROCESS_INTERRUPTION_H

#include "tools/Failure.h"

#include <csignal>
#include <sys/types.h>

namespace nacre::tools {

/// Handles signals during its lifetime. Only one may exist at a time.
class Interruption {
public:
  /// Also ends a run of a session if `cancel` is given. `cancel` returns false if no run is in progress.
  explicit Interruption(bool (*cancel)(void *session) = nullptr, void *session = nullptr);
  ~Interruption();
  Interruption(const Interruption &) = delete;
  Interruption &operator=(const Interruption &) = delete;

  bool isAsked() const;
  /// Returns a failure if a signal came, for programs that are otherwise done.
  Outcome outcome() const;

private:
  struct sigaction before[2], alarmBefore;
};

/// Lets a signal also end this program; 0 for none. The program must end before another one is named.
void endOnInterruption(pid_t program);

} // namespace nacre::tools

#endif // NACRE_TOOLS_PROCESS_INTERRUPTION_H
