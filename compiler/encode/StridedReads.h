// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how loops read an array that another launch makes only by moving elements, as they would read what that one reads.
// Why:   what transposes, turns round or takes a part of an operand that is packed next is a pass over memory that packing does
//        along the way.
// How:   the maker's loops, by their strides in the array it makes, are the digits of an address; a reader whose every loop steps
//        along one digit, without a carry, steps along that loop's stride in what the maker reads.

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

/// Element (i, j, ...) is at offset + i * loops[0].stride + j * loops[1].stride ...
struct StridedRead {
  int64_t offset = 0;
  llvm::SmallVector<StridedLoop> loops;
};

/// A loop of what moves elements: how far it steps in what is read, and in what is written.
struct MovedLoop {
  int64_t size = 1, read = 0, written = 0;
};

/// Writes an array of its own from the first element to the last, whichever it reads.
struct Movement {
  int64_t offset = 0; ///< Of what is read.
  llvm::SmallVector<MovedLoop> loops;
};

/// `reader`, of the array that `movement` writes, by what that reads. None where the array has `elements` that the movement does not
/// write one by one, or where a loop carries from one of the movement's loops into another.
std::optional<StridedRead> readThrough(const StridedRead &reader, Movement movement, int64_t elements);

/// An address by axes of an array of `shape`: the index along each that loops start at, and what they step by.
struct AxisSteps {
  int64_t start = 0;
  llvm::SmallVector<int64_t> steps; ///< One for each loop.
};

/// None where a loop carries from one axis into another, or leads out of the array.
std::optional<llvm::SmallVector<AxisSteps>> byAxes(const StridedRead &read, llvm::ArrayRef<int64_t> shape);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_STRIDEDREADS_H
