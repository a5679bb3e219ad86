// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What to try where a node's numbers part, of what is seen there.

#ifndef NACRE_TOOLS_DIFF_ADVICE_H
#define NACRE_TOOLS_DIFF_ADVICE_H

#include "tools/diff/Difference.h"

#include <string>
#include <vector>

namespace nacre::diff {

/// Lines, the likeliest cause first.
std::vector<std::string> advise(const Difference &difference, bool usedGpu);

} // namespace nacre::diff

#endif // NACRE_TOOLS_DIFF_ADVICE_H
