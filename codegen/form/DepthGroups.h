// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the layout of reduction steps in a panel that has several steps side by side for each column.
// Why:   one instruction multiplies 4 or 8 bytes of each column, so these bytes must be one word. The code that packs
//        weights and the code that reads tiles share this layout.
// How:   the depth consists of runs, whose steps are contiguous in the left operand. A run is divided into groups of
//        `k` steps. If `k` does not divide the run, the last group overlaps the previous one, and the panel has zeros
//        in the overlap. So no word of the left operand reaches beyond its run.

#ifndef NACRE_CODEGEN_FORM_DEPTHGROUPS_H
#define NACRE_CODEGEN_FORM_DEPTHGROUPS_H

#include "dialects/plan/PlanDialect.h"
#include <algorithm>

namespace nacre::codegen {

struct DepthGroups {
  int64_t k = 1, run = 1;

  bool operator==(const DepthGroups &other) const { return k == other.k && run == other.run; }
  bool operator!=(const DepthGroups &other) const { return !(*this == other); }
  /// Returns the number of groups of a run.
  int64_t groups() const { return (run + k - 1) / k; }
  /// Returns the number of steps that a run takes in a panel, for each column.
  int64_t stored() const { return groups() * k; }
  /// Returns the number of steps that the last group shares with the previous one, so that it ends with the run.
  int64_t overlap() const { return run < k ? 0 : stored() - run; }
  /// Returns the number of steps of a group that are in memory. It is below `k` if the run is shorter.
  int64_t valid() const { return std::min(run, k); }
  /// Returns the distance in elements from the beginning of a run to `step` of the first column, in a panel of `width`
  /// columns.
  int64_t positionOf(int64_t step, int64_t width) const {
    const int64_t group = step / k, within = step % k;
    return group * width * k + within + (group + 1 == groups() ? overlap() : 0);
  }
};

inline DepthGroups groupsOf(plan::EncodingAttr encoding) {
  return encoding.getK() == 1 ? DepthGroups() : DepthGroups{encoding.getK(), encoding.getRun()};
}

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_DEPTHGROUPS_H
