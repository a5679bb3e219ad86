// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers that are a function of a seed and of where they are: a counter-based generator.
//
// What: Philox 4x32 with ten rounds (Salmon et al. 2011), whose key is the seed and the number of the stream, one for each
//       node, and whose counter is an element's index divided by four.
// Why:  an element's number depends on no other element, and so neither on threads nor on where the work is cut.
// How:  a library has no state, so each of its runs would draw the same numbers: they are a constant. What draws anew in
//       each run, as training must, adds the run's number to the counter, whose upper words are zero here.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_RANDOM_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_RANDOM_H

#include "compiler/import/builder/NnBuilder.h"

#include <array>

namespace nacre::importer {

/// Four words of the stream `key` at `counter`.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// Seed and stream.
using RandomKey = std::array<uint32_t, 2>;

/// The number of element `index`, in [0, 1): 24 random bits.
double uniformAt(RandomKey key, int64_t index);
/// Of the standard normal distribution; elements 2i and 2i + 1 are made of one pair of words (Box and Muller).
double normalAt(RandomKey key, int64_t index);

/// Tensors of such numbers, null after an error.
mlir::Value uniform(NnBuilder &nn, mlir::RankedTensorType type, RandomKey key, double low, double high);
mlir::Value normal(NnBuilder &nn, mlir::RankedTensorType type, RandomKey key, double mean, double deviation);

/// Whether each element, a probability, is met: i1.
mlir::Value meets(NnBuilder &nn, mlir::Value probabilities, RandomKey key);

struct Dropped {
  mlir::Value result, mask; ///< the mask is true where an element stays
};

/// Zeros at random places, a share of `ratio` of them, a scalar; the others divided by what stays.
Dropped dropOut(NnBuilder &nn, mlir::Value x, mlir::Value ratio, RandomKey key);

/// The same with other places in every run, whose number is `step`, an i64; elements are counted in their order, with channels
/// last where there are several axes behind the batch. `stream` is the number of the node among those that drop.
mlir::Value dropOutAnew(NnBuilder &nn, mlir::Value x, double ratio, uint64_t seed, mlir::Value step, uint32_t stream);

/// `count` classes for each row of `logits`, [rows, classes]: i64 [rows, count].
mlir::Value drawClasses(NnBuilder &nn, mlir::Value logits, int64_t count, RandomKey key);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_RANDOM_H
