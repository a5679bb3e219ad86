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
  int64_t cutStride = 0;  ///< Of the counter that takeBlock leaves outside.
  int64_t partStride = 0; ///< Of the part that takePart leaves outside.
  unsigned bytes = 4;     ///< Of an element.
  bool written = false;
};

struct NestLoop {
  int64_t size = 1;
  bool parallel = true; ///< Else it reduces.
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

/// Drops loops of one iteration and merges neighbours of one kind that every operand walks as one. Windows must be gone.
void canonicalize(Nest &nest);

/// `nest` with `count` iterations of loop `cut`, the first of which a counter outside says: the operands' cutStride. Without
/// a cut, the nest itself.
Nest takeBlock(Nest nest, std::optional<unsigned> cut, int64_t count);

/// One of `parts` equal ranges of the iterations of `loop`; which one, a number outside says: the operands' partStride.
void takePart(Nest &nest, unsigned loop, int64_t parts);

/// The loop whose iterations become lanes, and its strides' fitness.
struct VectorChoice {
  std::optional<unsigned> loop; ///< None: no loop has more than one iteration.
  bool horizontal = false;      ///< The loop reduces: lanes are added up in the end.
};
VectorChoice chooseVectorLoop(const Nest &nest);

/// The regions of a nest whose windows leave memory: each a nest with windows clipped, so that it stays inside.
/// `cutBegin` and `cutEnd` bound the counter of the loop `cut`, which the regions leave whole. None where an axis is
/// not walked by one parallel and one reducing loop, both forwards, where two axes share a loop and are left differently, or where
/// there would be more than `maxRegions`.
struct NestRegion {
  Nest nest;
  int64_t cutBegin = 0, cutEnd = 0;
};
std::optional<llvm::SmallVector<NestRegion>> divideWindows(const Nest &nest, std::optional<unsigned> cut,
                                                           size_t maxRegions);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_NEST_H
