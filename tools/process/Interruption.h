// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  Ctrl-C while a model runs or is trained, or another program runs.
// Why:   Somebody who ends a long training wants to keep what was trained, and half a step is worth nothing. A run
//        that never ends should say where it was.
// How:   The first Ctrl-C, or SIGTERM, is noted and cancels the run of a session; a training asks between two steps
//        instead. The second one ends the process at once.

#ifndef NACRE_TOOLS_PROCESS_INTERRUPTION_H
#define NACRE_TOOLS_PROCESS_INTERRUPTION_H

#include "tools/Failure.h"

#include <csignal>
#include <sys/types.h>

namespace nacre::tools {

/// Listens for as long as it lives; one at a time.
class Interruption {
public:
  /// Ends a run of a session, too, if `cancel` is given. It returns false if nothing runs yet.
  explicit Interruption(bool (*cancel)(void *session) = nullptr, void *session = nullptr);
  ~Interruption();
  Interruption(const Interruption &) = delete;
  Interruption &operator=(const Interruption &) = delete;

  bool isAsked() const;
  /// A failure if a signal came, for programs that are done otherwise.
  Outcome outcome() const;

private:
  struct sigaction before[2], alarmBefore;
};

/// Lets a signal end this program, too; 0: none. It ends before another is named.
void endOnInterruption(pid_t program);

} // namespace nacre::tools

#endif // NACRE_TOOLS_PROCESS_INTERRUPTION_H
