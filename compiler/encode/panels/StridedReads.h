// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites a read of an array that a launch has only moved, so that it reads the source of that launch.
// Why: packing can also transpose, reverse or slice an operand. A separate launch for this costs a pass over memory.
// How: the loops of the launch, sorted by their strides in the written array, are the digits of an address. If each
//      loop of the reader changes only one digit, without a carry, it uses the stride of the matching loop in the
//      source.

#ifndef NACRE_COMPILER_ENCODE_STRIDEDREADS_H
#define NACRE_COMPILER_ENCODE_STRIDEDREADS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace nacre::encode {

struct StridedLoop {
  int64_t size = 1, stride = 0;
};

/// Strided read of elements. Element (i, j, ...) is at offset + i * loops[0].stride + j * loops[1].stride ...
struct StridedRead {
  int64_t offset = 0;
  llvm::SmallVector<StridedLoop> loops;
};

/// Loop of a launch that moves elements. It has one stride in the array that is read, and one in the array that is
/// written.
struct MovedLoop {
  int64_t size = 1, read = 0, written = 0;
};

/// Loops that write each element of a new array exactly once, from any elements of a source.
struct Movement {
  int64_t offset = 0; ///< Offset in the source.
  llvm::SmallVector<MovedLoop> loops;
};

/// Returns `reader`, a read of the array that `movement` writes, as a read of the movement's source. Returns `nullopt`
/// if the movement does not write each of the `elements` elements exactly once, or if a loop of the reader would carry.
std::optional<StridedRead> readThrough(const StridedRead &reader, Movement movement, int64_t elements);

/// Address along one axis of an array: the index of the first element, and the step of each loop.
struct AxisSteps {
  int64_t start = 0;
  llvm::SmallVector<int64_t> steps; ///< Step of each loop.
};

/// Returns the addresses along each axis of `shape`. Returns `nullopt` if a loop carries between axes or leaves the
/// array.
std::optional<llvm::SmallVector<AxisSteps>> byAxes(const StridedRead &read, llvm::ArrayRef<int64_t> shape);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_STRIDEDREADS_H
