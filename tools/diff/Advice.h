// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Suggests remedies if a node's values differ, depending on the kind of difference.

#ifndef NACRE_TOOLS_DIFF_ADVICE_H
#define NACRE_TOOLS_DIFF_ADVICE_H

#include "tools/diff/Difference.h"

#include <string>
#include <vector>

namespace nacre::diff {

/// Facts about the computation of the `actual` values.
struct Computation {
  bool usedGpu = false;
  bool storesHalves = false; ///< True if the library stores some values as f16.
};

/// Returns lines of advice, the likeliest cause first.
std::vector<std::string> advise(const Difference &difference, const Computation &computation);

} // namespace nacre::diff

#endif // NACRE_TOOLS_DIFF_ADVICE_H
