// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/process/Interruption.h"

#include <unistd.h>

namespace nacre::tools {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM};
volatile std::sig_atomic_t asked = 0;
// The function that cancels a run, and its session. They change only while no signal handler is installed.
bool (*cancelRun)(void *session) = nullptr;
void *running = nullptr;

void cancel(int) {
  if (!cancelRun(running))
    alarm(1); // cancels again after a second, because the run may have been about to begin
}

volatile pid_t child = 0;

void note(int) {
  asked = 1;
  if (child)
    kill(child, SIGTERM); // needed for SIGTERM; Ctrl-C in a terminal reaches the child anyway
  if (cancelRun)
    cancel(0);
}

} // namespace

void endOnInterruption(pid_t program) { child = program; }

Interruption::Interruption(bool (*cancelOf)(void *), void *session) {
  asked = 0;
  cancelRun = cancelOf;
  running = session;
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  for (int i = 0; i < 2; ++i) {
    sigaction(kSignals[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN) // a signal that is ignored, for example by nohup, stays ignored
      sigaction(kSignals[i], &action, nullptr);
  }
  action.sa_handler = cancelRun ? cancel : SIG_DFL;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, &alarmBefore);
}

Interruption::~Interruption() {
  alarm(0);
  sigaction(SIGALRM, &alarmBefore, nullptr);
  for (int i = 0; i < 2; ++i)
    sigaction(kSignals[i], &before[i], nullptr);
}

bool Interruption::isAsked() const { return asked != 0; }

Outcome Interruption::outcome() const {
  return asked ? Outcome(Failure{ExitCode::Interrupted, "interrupted after the last run"}) : std::nullopt;
}

} // namespace nacre::tools
