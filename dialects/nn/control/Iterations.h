// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the number of iterations of a loop whose condition compares a number that grows by a constant step.
// Why:   importers expand such loops, and a pass counts them. Both must count as a run does, where integers wrap and
//        floats stop growing.

#ifndef NACRE_DIALECTS_NN_CONTROL_ITERATIONS_H
#define NACRE_DIALECTS_NN_CONTROL_ITERATIONS_H

#include "dialects/nn/NnDialect.h"
#include <optional>

namespace nacre::nn {

/// Largest integer that floats count exactly; doubles are exact for arithmetic on two such numbers.
constexpr double mostExact = double(1 << 24);

/// True if `number` is an integer that all of these types count exactly.
bool isExactInteger(double number);

/// The integers that a type counts exactly: all that an integer type has; for floats, at most up to mostExact.
struct CountedRange {
  int64_t least, greatest;

  explicit CountedRange(mlir::Type element);
  bool has(double number) const { return number >= double(least) && number <= double(greatest); }
};

/// Returns how many of `start`, `start + step`... satisfy `comparison` with `end` (less, less_equal, greater,
/// greater_equal) before the first that does not. Returns `nullopt` if all satisfy it, if the first that does not is
/// outside the element type's range, or if a number is not exact.
std::optional<int64_t> countIterations(mlir::Type element, double start, double step, BinaryKind comparison,
                                       double end);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_CONTROL_ITERATIONS_H
