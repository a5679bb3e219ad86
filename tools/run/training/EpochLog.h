// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports the progress of a training: a line for each epoch, a progress line in between, and JSON for programs. The
// line of an epoch is written to the standard output. If the standard error is a terminal, it shows the progress in one
// line, which later lines replace.

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

  /// Opens the file of JSON lines, unless `path` is empty.
  Outcome open(const std::string &path, bool appends);

  /// Reports the test results after `epoch` epochs.
  Outcome test(uint64_t epoch, const Tally &tested);
  void beginEpoch(uint64_t epoch, uint64_t epochs, uint64_t steps);
  /// Shows the progress after `step` steps of the epoch.
  void showProgress(uint64_t step, const Tally &tally);
  /// Reports the end of an epoch, after `step` steps of the whole training. `tested` is nullptr if there is no test.
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
