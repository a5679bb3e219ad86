// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  loops and the strides at which operands walk them, and the transformations that need nothing else.
// Why:   any broadcast, reduction or window becomes one canonical form: few long loops, one of them to be vectorized.
// How:   plain numbers, free of IR: 1. canonicalize; 2. cut out blocks of a loop; 3. choose the loop that becomes
//        vectors; 4. divide windows into regions that never leave memory.

#ifndef NACRE_CODEGEN_FORM_NEST_H
#define NACRE_CODEGEN_FORM_NEST_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <tuple>

namespace nacre::codegen {

/// An array that the loops read or write, at offset + sum of strides[loop] * counter.
struct NestOperand {
  unsigned argument = 0;
  int64_t offset = 0;
  llvm::SmallVector<int64_t> strides;
  int64_t cutStride = 0;  ///< Stride of the cut loop's counter, which takeBlock leaves outside the nest.
  int64_t partStride = 0; ///< Stride of the number of the part, which takePart leaves outside the nest.
  unsigned bytes = 4;     ///< Bytes of an element.
  bool written = false;
};

struct NestLoop {
  int64_t size = 1;
  bool parallel = true; ///< False for a loop that reduces.
};

/// An axis of an operand that windows may leave: index = constant + sum of coefficients[loop] * counter.
struct NestWindow {
  int64_t size = 0, constant = 0;
  llvm::SmallVector<int64_t> coefficients;

  bool operator==(const NestWindow &other) const {
    return std::tie(size, constant, coefficients) == std::tie(other.size, other.constant, other.coefficients);
  }
};

struct Nest {
  llvm::SmallVector<NestLoop> loops; ///< Outermost first.
  llvm::SmallVector<NestOperand, 0> operands;
  llvm::SmallVector<NestWindow, 0> windows;

  int64_t countPoints(bool parallel) const;
};

/// Drops loops of one iteration. Merges neighbors of one kind if every operand walks them as one. There must be no
/// windows.
void canonicalize(Nest &nest);

/// Returns `nest` with only `count` iterations of loop `cut`. The first iteration is a counter outside the nest; each
/// operand moves with it by cutStride. Without a cut, the nest stays whole.
Nest takeBlock(Nest nest, std::optional<unsigned> cut, int64_t count);

/// Restricts `loop` to one of `parts` equal ranges of its iterations. The number of the part is outside the nest; each
/// operand moves with it by partStride.
void takePart(Nest &nest, unsigned loop, int64_t parts);

/// The loop whose iterations become lanes.
struct VectorChoice {
  std::optional<unsigned> loop; ///< `nullopt` if no loop has more than one iteration.
  bool horizontal = false;      ///< True if the loop reduces: lanes are added up at the end.
};
VectorChoice chooseVectorLoop(const Nest &nest);

/// Returns the regions of a nest whose windows leave memory. Each is a nest with clipped windows, which stay inside.
/// `cutBegin` and `cutEnd` bound the counter of the loop `cut`, which regions keep whole.
///
/// Returns `nullopt` in three cases: an axis is not walked by one parallel and one reducing loop, both forward; two
/// different windows share a loop; or there are more than `maxRegions` regions.
struct NestRegion {
  Nest nest;
  int64_t cutBegin = 0, cutEnd = 0;
};
std::optional<llvm::SmallVector<NestRegion>> divideWindows(const Nest &nest, std::optional<unsigned> cut,
                                                           size_t maxRegions);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_NEST_H
