// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  loops, the strides of operands in these loops, and transformations that need only loops and strides.
// Why:   every broadcast, reduction or window becomes one canonical form: few long loops, one of which is vectorized.
// How:   the structs have plain integers and no IR. 1. canonicalize; 2. cut out blocks of a loop; 3. choose the loop
//        that becomes vectors; 4. divide windows into regions that never leave memory.

#ifndef NACRE_CODEGEN_FORM_NEST_H
#define NACRE_CODEGEN_FORM_NEST_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <tuple>

namespace nacre::codegen {

/// An array that the loops read or write. Each iteration uses the element at offset + sum of strides[loop] * counter.
struct NestOperand {
  unsigned argument = 0;
  int64_t offset = 0;
  llvm::SmallVector<int64_t> strides;
  int64_t cutStride = 0;  ///< Stride for the cut loop's counter, which takeBlock() moves out of the nest.
  int64_t partStride = 0; ///< Stride for the index of the part, which takePart() moves out of the nest.
  unsigned bytes = 4;     ///< Size of an element in bytes.
  bool written = false;
};

struct NestLoop {
  int64_t size = 1;
  bool parallel = true; ///< False for a loop that reduces.
};

/// An axis of an operand whose windows may reach beyond memory: index = constant + sum of coefficients[loop] * counter.
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

/// Drops loops of one iteration. Merges neighbors of one kind if every operand walks them like one loop. The nest must
/// not have windows.
void canonicalize(Nest &nest);

/// Returns `nest` with only `count` iterations of the loop `cut`. The index of the first iteration is a counter outside
/// of the nest, which moves each operand by cutStride. If `cut` is `nullopt`, the nest stays whole.
Nest takeBlock(Nest nest, std::optional<unsigned> cut, int64_t count);

/// Restricts `loop` to one of `parts` equal ranges of its iterations. The index of the part is a counter outside of the
/// nest, which moves each operand by partStride.
void takePart(Nest &nest, unsigned loop, int64_t parts);

/// The loop whose iterations become lanes of a vector.
struct VectorChoice {
  std::optional<unsigned> loop; ///< `nullopt` if no loop has more than one iteration.
  bool horizontal = false;      ///< True if the loop reduces. Its lanes are then added up at the end.
};
VectorChoice chooseVectorLoop(const Nest &nest);

/// Divides a nest whose windows reach beyond memory into regions. Each region is a nest with clipped windows, which
/// stay in memory. `cutBegin` and `cutEnd` bound the counter of the loop `cut`, which is not divided within a region.
///
/// Returns `nullopt` in three cases. An axis is not walked by one parallel and one reducing loop, both forward. Two
/// different windows share a loop. There are more than `maxRegions` regions.
struct NestRegion {
  Nest nest;
  int64_t cutBegin = 0, cutEnd = 0;
};
std::optional<llvm::SmallVector<NestRegion>> divideWindows(const Nest &nest, std::optional<unsigned> cut,
                                                           size_t maxRegions);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_NEST_H
