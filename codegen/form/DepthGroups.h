// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how the steps of a reduction lie in a panel that has several of them side by side for each column.
// Why:   one instruction multiplies 4 or 8 bytes of each column, so they must be one word. Weights are packed, and tiles read, by
//        the same rule.
// How:   the depth consists of runs, whose steps lie one after another in the left operand. A run is divided into groups of
//        `k` steps. If `k` does not divide it, the last group overlaps the one before, and the overlap is zero in the panel: then no
//        word of the left operand reaches beyond its run.

#ifndef NACRE_CODEGEN_FORM_DEPTHGROUPS_H
#define NACRE_CODEGEN_FORM_DEPTHGROUPS_H

#include "dialects/plan/PlanDialect.h"
#include <algorithm>

namespace nacre::codegen {

struct DepthGroups {
  int64_t k = 1, run = 1;

  bool operator==(const DepthGroups &other) const { return k == other.k && run == other.run; }
  bool operator!=(const DepthGroups &other) const { return !(*this == other); }
  /// Of a run.
  int64_t groups() const { return (run + k - 1) / k; }
  /// Steps that a run takes in a panel, for each column.
  int64_t stored() const { return groups() * k; }
  /// Steps by which the last group begins before the group's own place.
  int64_t overlap() const { return run < k ? 0 : stored() - run; }
  /// Steps of a group that are in memory: fewer than `k` in a run that is shorter.
  int64_t valid() const { return std::min(run, k); }
  /// Elements from a run's beginning to that step of the first column, in a panel of `width` columns.
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
