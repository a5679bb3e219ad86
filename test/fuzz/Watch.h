// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names the input at which a program crashes, or takes longer than it may.

#ifndef NACRE_TEST_FUZZ_WATCH_H
#define NACRE_TEST_FUZZ_WATCH_H

#include <ctime>

/// The current action, for the handler of signals.
extern char currentInput[512];

/// Makes crashes print the current action from now on.
void watchSignals();

/// A limit of the time of the processor, so that a busy machine is no hang.
class WithTimeLimit {
public:
  explicit WithTimeLimit(time_t seconds);
  WithTimeLimit(const WithTimeLimit &) = delete;
  WithTimeLimit &operator=(const WithTimeLimit &) = delete;
  ~WithTimeLimit();
};

#endif // NACRE_TEST_FUZZ_WATCH_H
