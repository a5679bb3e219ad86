// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports epochs: a line for each, progress in between, and JSON for programs, so that users see early how a long
// training goes. Lines go to the standard output. Progress goes to the standard error if that is a terminal, in one
// line that later lines replace.

#ifndef NACRE_TOOLS_RUN_TRAINING_EPOCHLOG_H
#define NACRE_TOOLS_RUN_TRAINING_EPOCHLOG_H

#include "tools/run/training/Scores.h"

#include <chrono>
#include <cstdio>

namespace nacre::run {

class EpochLog {
public:
  EpochLog() = default;
  EpochLog(const EpochLog &) = delete;
  EpochLog &operator=(const EpochLog &) = delete;
  ~EpochLog();

  /// Opens the file of JSON lines; an empty path means none.
  Outcome open(const std::string &path, bool appends);

  /// Reports the test results after `epoch` epochs.
  Outcome test(uint64_t epoch, const Tally &tested);
  void beginEpoch(uint64_t epoch, uint64_t epochs, uint64_t steps);
  /// Shows the progress after `step` steps of the epoch.
  void showProgress(uint64_t step, const Tally &tally);
  /// Reports an epoch after `step` steps in all; `tested` is nullptr without a test.
  Outcome endEpoch(uint64_t step, const Tally &tally, const Tally *tested, double rate);

private:
  double seconds() const;
  void clearProgress();
  Outcome writeLine(const std::string &json);

  FILE *file = nullptr;
  std::string path;
  uint64_t epoch = 0, epochs = 0, steps = 0;
  std::chrono::steady_clock::time_point begin, shown;
  bool isShown = false;
};

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TRAINING_EPOCHLOG_H
