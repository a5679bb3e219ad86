// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how many iterations a loop has whose condition compares a number that grows by as much in every iteration.
// Why:   importers write such loops out, and a pass counts them; of both the number must end the loop as it does in a run, where
//        integers wrap and floats stand still.

#ifndef NACRE_DIALECTS_NN_CONTROL_ITERATIONS_H
#define NACRE_DIALECTS_NN_CONTROL_ITERATIONS_H

#include "dialects/nn/NnDialect.h"
#include <optional>

namespace nacre::nn {

/// Up to here floats count exactly, and doubles what is computed of two such numbers.
constexpr double mostExact = double(1 << 24);

/// Whether `number` is one that all of these count exactly.
bool isExactInteger(double number);

/// Between which numbers a type counts by ones: the integers that it has, or of floats the exact ones up to mostExact.
struct CountedRange {
  int64_t least, greatest;

  explicit CountedRange(mlir::Type element);
  bool has(double number) const { return number >= double(least) && number <= double(greatest); }
};

/// How many of `start`, `start + step`... compare with `end` (less, less_equal, greater, greater_equal) before the first that does
/// not. Nothing where that one is none of the element type's, where there is none, and of numbers that are not exact.
std::optional<int64_t> countIterations(mlir::Type element, double start, double step, BinaryKind comparison,
                                       double end);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_CONTROL_ITERATIONS_H
