// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers as a function of a seed and an element's index: a counter-based generator.
//
// It is Philox 4x32 with ten rounds (Salmon et al. 2011). The key is the seed and the number of the stream, one per
// node. The counter is an element's index divided by four. No number depends on another element, so neither threads nor
// cuts of the work change it. A library has no state, so each run would draw the same numbers; they are constants.
// Dropout of training needs new numbers in each run: it adds the run's number to the counter, whose upper words are
// zero here.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_RANDOM_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_RANDOM_H

#include "compiler/import/builder/NnBuilder.h"

#include <array>

namespace nacre::importer {

/// Returns four words of the stream `key` at `counter`.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// Seed and stream of a generator.
using RandomKey = std::array<uint32_t, 2>;

/// Returns the number of element `index`, in [0, 1): 24 random bits.
double uniformAt(RandomKey key, int64_t index);
/// Returns a sample of the standard normal distribution. Elements 2i and 2i + 1 use one pair of words (Box and Muller).
double normalAt(RandomKey key, int64_t index);

/// Return tensors of such numbers, or null after an error.
mlir::Value uniform(NnBuilder &nn, mlir::RankedTensorType type, RandomKey key, double low, double high);
mlir::Value normal(NnBuilder &nn, mlir::RankedTensorType type, RandomKey key, double mean, double deviation);

/// Returns i1 samples; each is true with the probability of its element.
mlir::Value meets(NnBuilder &nn, mlir::Value probabilities, RandomKey key);

struct Dropped {
  mlir::Value result, mask; ///< the mask is true for elements that stay
};

/// Sets elements at random places to zero and divides the others by 1 - `ratio`, a scalar. `ratio` is the share of
/// zeros.
Dropped dropOut(NnBuilder &nn, mlir::Value x, mlir::Value ratio, RandomKey key);

/// Drops elements as dropOut does, but at other places in each run, whose number `step` is an i64. Elements count in
/// row-major order, channels last if several axes follow the batch. `stream` is the number of the node among all
/// dropouts.
mlir::Value dropOutAnew(NnBuilder &nn, mlir::Value x, double ratio, uint64_t seed, mlir::Value step, uint32_t stream);

/// Draws `count` classes for each row of `logits` [rows, classes]. Returns i64 [rows, count].
mlir::Value drawClasses(NnBuilder &nn, mlir::Value logits, int64_t count, RandomKey key);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_RANDOM_H
