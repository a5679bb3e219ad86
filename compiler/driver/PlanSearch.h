// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which plans of a model are tried, until one keeps within the memory that it may have.
//
// Only a scheduled plan tells its memory, and only its compiled kernels tell their scratch memory. So the driver makes
// a plan for each choice that next() returns, and records the result. The search knows no IR.
//
// A model that is trained may take its batch in smaller parts. Parts become smaller until the plan fits and nothing is
// computed again, or until the predicted time gets longer. The fastest plan that fits is the best one. If its kernels
// then need more scratch memory than is left, the search starts again with that known.

#ifndef NACRE_COMPILER_DRIVER_PLANSEARCH_H
#define NACRE_COMPILER_DRIVER_PLANSEARCH_H

#include <cstdint>
#include <limits>
#include <map>
#include <optional>

namespace nacre {

/// The settings of one plan.
struct Choice {
  int64_t part = 0;         ///< Examples that a training step takes at once; 0: the whole batch.
  bool scalesLoss = false;  ///< True if steps scale the loss, because the GPU may compute gradients in f16.
  bool isCpuOnly = false;   ///< True if no engine but the CPU may have kernels, whatever the options allow.
  int64_t scratchBytes = 0; ///< Scratch memory of a thread in this plan's kernels; 0 until they were compiled once.
};

/// The result of a choice.
struct Trial {
  int64_t weightBytes = 0;  ///< Weights that count as memory of the model.
  int64_t sessionBytes = 0; ///< A session of one thread, without scratch memory.
  double nanoseconds = 0;   ///< Predicted time of the entries that are run.
  bool usesGpu = false;     ///< True if the GPU has a share of some launch.
  bool runsAgain = false;   ///< True if some values are computed again to save memory.

  int64_t bytes() const { return weightBytes + sessionBytes; }
};

class PlanSearch {
public:
  struct Settings {
    std::optional<int64_t> mostBytes; ///< Limit of weights, a session and its scratch memory.
    int64_t part = 0;                 ///< Part of the batch to begin with; 0: the whole batch.
    bool scalesLoss = false;          ///< True if steps scale the loss, as long as the GPU has a share of them.
    bool compilesKernels = true; ///< True if kernels are compiled for the best plan, so that scratch memory is known.
  };
  explicit PlanSearch(const Settings &settings) : settings(settings) {
    now.part = settings.part;
    now.scalesLoss = settings.scalesLoss;
  }

  /// Returns true if a second choice may follow the first one: the model must be kept for it.
  bool mayTryAgain() const { return settings.mostBytes || settings.scalesLoss; }

  /// Lets the search divide a batch of this size.
  void allowParts(int64_t batch) { dividedBatch = batch; }

  /// Returns the choice to try next, or nothing if the search is over: the best plan is final, or nothing fits.
  std::optional<Choice> next() const { return isOver ? std::nullopt : std::optional(now); }

  /// Records the result of next(). Returns true if its plan is the best so far and replaces the one that was kept.
  bool record(const Trial &trial);
  /// Returns true if next() may fail without an error, because another plan fits.
  bool mayFail() const { return best && !isBestSettled; }
  /// Records that next() failed, which it may: the best plan so far is the result.
  void recordFailure() { settle(); }

  /// Returns true if the plan that was kept is the result, unless its kernels need more scratch memory than is known.
  bool isSettled() const { return isBestSettled; }
  /// Returns the most bytes of scratch memory that kernels of the settled plan may need.
  int64_t getMostScratch() const;
  /// Records the scratch memory of the settled plan's kernels. Returns false if it does not fit: plans are tried again.
  bool recordScratch(int64_t bytes);

  /// Returns the choice of the settled plan.
  const Choice &getBest() const { return best->choice; }
  /// Returns the trial that needs the least memory if no plan fits, or null.
  const Trial *getMissing() const { return lacksMemory ? &least->trial : nullptr; }
  /// Returns the bytes of that trial with its scratch memory.
  int64_t getMissingBytes() const { return bytesOf(*least); }

private:
  struct Tried {
    Choice choice;
    Trial trial;
  };

  static int64_t bytesOf(const Tried &tried) { return tried.trial.bytes() + tried.choice.scratchBytes; }
  bool fits(const Tried &tried) const { return !settings.mostBytes || bytesOf(tried) <= *settings.mostBytes; }
  void settle();
  void tryPart(int64_t part);
  /// Returns the next smaller part of the batch; 0 after the smallest one.
  int64_t getSmallerPart() const;
  /// Ends a search in which nothing fits, and returns true if the plan of `tried` is to be kept.
  bool endWithoutFit(const Tried &tried);

  const Settings settings;
  int64_t dividedBatch = 1;
  std::map<int64_t, int64_t> scratch; ///< Bytes of compiled kernels, by part.
  Choice now;
  std::optional<Tried> best, least;
  bool isBestSettled = false, isOver = false, lacksMemory = false;
  bool isForScratch = false; ///< True if `now` is tried to learn the scratch memory of the least plan.
};

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_PLANSEARCH_H
