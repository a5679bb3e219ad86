// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  loss and accuracy over many runs.
// Why:   what a person watches while a network is trained.
// How:   where a label is a class, the output that has a number for each class says which one the network takes: the
//        largest. A label that is no class is not counted.

#ifndef NACRE_TOOLS_RUN_TRAINING_SCORES_H
#define NACRE_TOOLS_RUN_TRAINING_SCORES_H

#include "tools/run/session/ModelSession.h"

#include <cmath>

namespace nacre::run {

/// Of many runs.
struct Tally {
  double lossSum = 0;
  uint64_t runs = 0, right = 0, counted = 0;
  double normSum = 0, largestNorm = 0; // of gradients, before they are clipped
  uint64_t norms = 0;
  uint64_t skipped = 0; // steps, whose runs do not count
  bool maySkip = false;

  double loss() const { return runs ? lossSum / static_cast<double>(runs) : 0; }
  double norm() const { return norms ? normSum / static_cast<double>(norms) : 0; }
  double accuracy() const { return counted ? static_cast<double>(right) / static_cast<double>(counted) : 0; }
};

/// Returns whether a loss is so far above the first one that training cannot recover. It may stay finite for many epochs.
inline bool hasExploded(double first, double loss) { return std::fabs(loss) > 1000 * std::fmax(std::fabs(first), 1); }

class Scores {
public:
  /// Looks for what can be counted in this session, which must outlive it.
  void watch(const ModelSession &session);
  /// The input that names classes, or nullptr, and how many there are.
  const Port *label() const { return classes; }
  int64_t classCount() const { return output->tensor.dims[axis]; }

  double latestLoss() const;
  /// Whether steps are skipped if gradients overflow; then the number of those so far, as of the session's latest run.
  bool maySkip() const { return skippedPort; }
  uint64_t skippedSteps() const;
  /// Adds the loss of the session's latest run, the norm of its gradients, and the classes of the first `examples` of its `batch`.
  void addTo(Tally &tally, uint32_t examples, uint32_t batch) const;

private:
  const Port *lossPort = nullptr, *normPort = nullptr, *classes = nullptr, *output = nullptr, *skippedPort = nullptr;
  size_t axis = 0; // of the classes
};

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TRAINING_SCORES_H
