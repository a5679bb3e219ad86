// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles Ctrl-C while a model runs or is trained, or while another program runs. A user who ends a long training wants
// to keep its result, and an incomplete step is useless. A run that takes too long should report its position. The
// first Ctrl-C or SIGTERM is recorded, and cancels the run of a session. A training instead checks between two steps
// whether it came. The second one ends the process immediately.

#ifndef NACRE_TOOLS_PROCESS_INTERRUPTION_H
#define NACRE_TOOLS_PROCESS_INTERRUPTION_H

#include "tools/Failure.h"

#include <csignal>
#include <sys/types.h>

namespace nacre::tools {

/// Object that handles signals during its lifetime. Only one object may exist at a time.
class Interruption {
public:
  /// Installs the handlers. If `cancel` is given, a signal also calls it to end a run of a session. `cancel` returns
  /// false if no run is in progress.
  explicit Interruption(bool (*cancel)(void *session) = nullptr, void *session = nullptr);
  ~Interruption();
  Interruption(const Interruption &) = delete;
  Interruption &operator=(const Interruption &) = delete;

  bool isAsked() const;
  /// Returns a failure if a signal came, for programs that have nothing else to report.
  Outcome outcome() const;

private:
  struct sigaction before[2], alarmBefore;
};

/// Makes a signal also end the process `program`; 0 for no process. The process must end before the next call with
/// another process.
void endOnInterruption(pid_t program);

} // namespace nacre::tools

#endif // NACRE_TOOLS_PROCESS_INTERRUPTION_H
