// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  an entry's arena over its steps, drawn in characters.
// Why:   what makes an arena large is seen at once: the way there, the way back, or one step.
// How:   a column for each step, or for several, as high as the most that is alive in them.

#ifndef NACRE_COMPILER_ARENACHART_H
#define NACRE_COMPILER_ARENACHART_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace nacre {

/// What is drawn of a step.
struct ChartStep {
  int64_t bytes = 0; ///< Alive in it.
  char mark = ' ';   ///< Below its column; of several steps that of the one with the most bytes.
};

/// `height` lines of at most `width` columns of `#`, and one of marks, each behind `indent` and a label that says what the highest line is.
std::string drawArena(llvm::ArrayRef<ChartStep> steps, unsigned width, unsigned height, llvm::StringRef indent);

} // namespace nacre

#endif // NACRE_COMPILER_ARENACHART_H
