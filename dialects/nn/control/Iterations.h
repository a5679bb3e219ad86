// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  counts the iterations of a loop whose condition compares a variable that grows by a constant step.
// Why:   importers expand such loops, and a pass counts their iterations. Both must count like a run, in which integers
//        wrap and floats stop growing.

#ifndef NACRE_DIALECTS_NN_CONTROL_ITERATIONS_H
#define NACRE_DIALECTS_NN_CONTROL_ITERATIONS_H

#include "dialects/nn/NnDialect.h"
#include <optional>

namespace nacre::nn {

/// Largest integer up to which floats count exactly. Doubles are exact for arithmetic on two such integers.
constexpr double mostExact = double(1 << 24);

/// True if `number` is an integer that floats and integer types count exactly.
bool isExactInteger(double number);

/// Range of the integers that a type counts exactly: the whole range of an integer type; for floats, up to mostExact.
struct CountedRange {
  int64_t least, greatest;

  explicit CountedRange(mlir::Type element);
  bool has(double number) const { return number >= double(least) && number <= double(greatest); }
};

/// Returns the number of values `start`, `start + step`, ... that satisfy `comparison` with `end` before the first that
/// does not. `comparison` is less, less_equal, greater or greater_equal. Returns `nullopt` if all values satisfy it, if
/// the first that does not is outside the range of the element type, or if a value is not exact.
std::optional<int64_t> countIterations(mlir::Type element, double start, double step, BinaryKind comparison,
                                       double end);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_CONTROL_ITERATIONS_H
