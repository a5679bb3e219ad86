// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Composes the progress line: the phase, its progress, the elapsed time, and the remaining time. It computes a text
// from plain numbers, so that no test has to wait. The remaining time is the average time of finished kernels, times
// the number of kernels that are left. Later phases are short in comparison.

#ifndef NACRE_TOOLS_COMPILE_PROGRESSLINE_H
#define NACRE_TOOLS_COMPILE_PROGRESSLINE_H

#include "compiler/options/CompilerOptions.h"
#include <chrono>

namespace nacre::tools {

class ProgressLine {
public:
  using Time = std::chrono::steady_clock::time_point;

  explicit ProgressLine(Time begin) : begin(begin), phaseBegin(begin) {}

  /// Returns the line at `now`, such as `codegen 12/68, 4 s, about 19 s left`. The elapsed time is shown from two
  /// seconds on. The remaining time is shown after at least two seconds and two kernels.
  std::string describe(Phase phase, unsigned done, unsigned total, Time now);

  /// True if a permanent line must be printed, because the previous one is half a minute old.
  bool isTimeForLine(Time now);

private:
  Time begin, phaseBegin, lineBefore = begin;
  std::optional<Phase> shown;
};

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMPILE_PROGRESSLINE_H
