// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what the progress line says: the phase, how much of it is done, since when, and what is left.
// Why:   plain numbers in, a text out, so that no test has to wait.
// How:   kernels that are done say how long one takes; what is left of the phase is that for each of the others. The
//        phases behind are short beside it.

#ifndef NACRE_TOOLS_COMPILE_PROGRESSLINE_H
#define NACRE_TOOLS_COMPILE_PROGRESSLINE_H

#include "compiler/options/CompilerOptions.h"
#include <chrono>

namespace nacre::tools {

class ProgressLine {
public:
  using Time = std::chrono::steady_clock::time_point;

  explicit ProgressLine(Time begin) : begin(begin), phaseBegin(begin) {}

  /// The line at `now`, as `codegen 12/68, 4 s, about 19 s left`. Seconds are told from two on, and what is left once
  /// two seconds and two kernels have shown it.
  std::string describe(Phase phase, unsigned done, unsigned total, Time now);

  /// Whether the time has come for a line that stays: half a minute after the one before.
  bool isTimeForLine(Time now);

private:
  Time begin, phaseBegin, lineBefore = begin;
  std::optional<Phase> shown;
};

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMPILE_PROGRESSLINE_H
