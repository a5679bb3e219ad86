// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what is said of epochs: a line each, progress on the way, and JSON for programs.
// Why:   training takes long, and whether it goes well is seen early.
// How:   lines go to standard output; progress to standard error, where that is a terminal, in one line that lines replace.

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

  /// The file of JSON lines; empty: none.
  Outcome open(const std::string &path, bool appends);

  /// What the model is worth after so many epochs.
  Outcome test(uint64_t epoch, const Tally &tested);
  void beginEpoch(uint64_t epoch, uint64_t epochs, uint64_t steps);
  /// After so many steps of the epoch.
  void showProgress(uint64_t step, const Tally &tally);
  /// After so many steps in all; `tested` is nullptr where nothing was.
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
