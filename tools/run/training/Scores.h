// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loss and accuracy over many runs, which users watch during training. If the label is a class, the network's choice is
// the class with the largest value in the output that has a value for each class. Labels that are not valid classes are
// not counted.

#ifndef NACRE_TOOLS_RUN_TRAINING_SCORES_H
#define NACRE_TOOLS_RUN_TRAINING_SCORES_H

#include "tools/run/session/ModelSession.h"

#include <cmath>

namespace nacre::run {

class Examples;

/// Sums over many runs.
struct Tally {
  double lossSum = 0;
  uint64_t runs = 0, right = 0, counted = 0;
  double normSum = 0, largestNorm = 0; // norms of the gradients, before clipping
  uint64_t norms = 0;
  uint64_t skipped = 0; // number of skipped steps, whose runs do not count
  bool maySkip = false;

  double loss() const { return runs ? lossSum / static_cast<double>(runs) : 0; }
  double norm() const { return norms ? normSum / static_cast<double>(norms) : 0; }
  double accuracy() const { return counted ? static_cast<double>(right) / static_cast<double>(counted) : 0; }
};

/// True if `loss` is so far above the first loss that training cannot recover. The loss may stay finite for many
/// epochs.
inline bool hasExploded(double first, double loss) { return std::fabs(loss) > 1000 * std::fmax(std::fabs(first), 1); }

class Scores {
public:
  /// Finds the tensors to watch in this session, which must outlive this object.
  void watch(const ModelSession &session);
  /// Return the input that contains classes, or nullptr, and the number of classes.
  const Port *label() const { return classes; }
  int64_t classCount() const { return output->tensor.dims[axis]; }

  /// Prints a warning if labels are not valid classes. A run fails for invalid classes, except for the class that the
  /// loss ignores.
  void warnOfClasses(const Examples &from) const;

  double latestLoss() const;
  /// True if the model skips steps whose gradients overflow. skippedSteps() returns their number after the session's
  /// latest run.
  bool maySkip() const { return skippedPort; }
  uint64_t skippedSteps() const;
  /// Adds the loss of the session's latest run, and the norm of its gradients. Also counts correct classes of the first
  /// `examples` examples of the batch, which has `batch` examples.
  void addTo(Tally &tally, uint32_t examples, uint32_t batch) const;

private:
  const Port *lossPort = nullptr, *normPort = nullptr, *classes = nullptr, *output = nullptr, *skippedPort = nullptr;
  size_t axis = 0; // the axis of classes
};

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TRAINING_SCORES_H
