// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites a read of an array that a launch only moved as a read of the launch's own source.
// Why: packing can transpose, reverse or slice an operand along the way. A separate launch for it costs a pass over
//      memory.
// How: the writer's loops, ordered by their strides in the written array, are the digits of an address. If each loop of
//      the reader steps along one digit without a carry, it steps along the matching loop's stride in the source.

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

/// Strided walk: element (i, j, ...) is at offset + i * loops[0].stride + j * loops[1].stride ...
struct StridedRead {
  int64_t offset = 0;
  llvm::SmallVector<StridedLoop> loops;
};

/// Loop of a launch that moves elements, with its strides in the array that it reads and in the one that it writes.
struct MovedLoop {
  int64_t size = 1, read = 0, written = 0;
};

/// Loops that write each element of a new array once, from any elements of a source.
struct Movement {
  int64_t offset = 0; ///< Offset in the source.
  llvm::SmallVector<MovedLoop> loops;
};

/// Returns `reader`, a read of the array that `movement` writes, as a read of the movement's source. Returns `nullopt`
/// if the movement does not write each of `elements` exactly once, or if a loop carries between the movement's loops.
std::optional<StridedRead> readThrough(const StridedRead &reader, Movement movement, int64_t elements);

/// Address along one axis of an array: the start index and the step of each loop.
struct AxisSteps {
  int64_t start = 0;
  llvm::SmallVector<int64_t> steps; ///< Step of each loop.
};

/// Returns the address along each axis of `shape`; `nullopt` if a loop carries between axes or leaves the array.
std::optional<llvm::SmallVector<AxisSteps>> byAxes(const StridedRead &read, llvm::ArrayRef<int64_t> shape);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_STRIDEDREADS_H
