// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What to try where a node's numbers part, of what is seen there.

#ifndef NACRE_TOOLS_DIFF_ADVICE_H
#define NACRE_TOOLS_DIFF_ADVICE_H

#include "tools/diff/Difference.h"

#include <string>
#include <vector>

namespace nacre::diff {

/// What is known of how `actual` numbers were computed.
struct Computation {
  bool usedGpu = false;
  bool storesHalves = false; ///< Whether the library stores some values as fp16.
};

/// Returns lines, the likeliest cause first.
std::vector<std::string> advise(const Difference &difference, const Computation &computation);

} // namespace nacre::diff

#endif // NACRE_TOOLS_DIFF_ADVICE_H
