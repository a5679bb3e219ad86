// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws the arena of an entry over its steps as a character chart.
// Why: the chart shows which steps make an arena large: the forward pass, the backward pass, or a single step.
// How: a column represents one or several steps. Its height is the maximum of their live bytes.

#ifndef NACRE_COMPILER_REPORT_ARENACHART_H
#define NACRE_COMPILER_REPORT_ARENACHART_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace nacre {

/// Step of the chart.
struct ChartStep {
  int64_t bytes = 0; ///< Live bytes.
  char mark = ' ';   ///< Character below its column. A column of several steps has the mark of the largest.
};

/// Returns `height` lines of at most `width` columns of `#`, and a line of marks. Each line begins with `indent`. The
/// first line has a label.
std::string drawArena(llvm::ArrayRef<ChartStep> steps, unsigned width, unsigned height, llvm::StringRef indent);

} // namespace nacre

#endif // NACRE_COMPILER_REPORT_ARENACHART_H
