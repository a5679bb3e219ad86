// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/fuzz/Watch.h"

#include <csignal>
#include <cstring>
#include <initializer_list>

#include <sys/time.h>
#include <unistd.h>

char currentInput[512];

static void say(const char *text) {
  if (write(2, text, std::strlen(text)) < 0)
    _exit(1);
}

/// Only what is allowed in a handler.
static void blameCurrent(int number) {
  say(number == SIGPROF ? "hangs: " : "crashes: ");
  say(currentInput);
  say("\n");
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void watchSignals() {
  for (int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPROF})
    std::signal(number, blameCurrent);
}

static void limitTime(time_t seconds) {
  const itimerval limit = {{}, {seconds, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
}

WithTimeLimit::WithTimeLimit(time_t seconds) { limitTime(seconds); }
WithTimeLimit::~WithTimeLimit() { limitTime(0); }
