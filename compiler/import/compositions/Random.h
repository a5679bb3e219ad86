// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random values as a function of a seed and the index of an element: a counter-based generator.
//
// The generator is Philox 4x32 with ten rounds (Salmon et al. 2011). The key is the seed and a stream; each node has
// its own stream. The counter is the index of the element divided by four. No value depends on another element, so the
// number of threads and the division of the work do not matter. A library has no state, so each run would draw the same
// values. Therefore, they are constants. Dropout in training needs new values in each run. It adds the index of the run
// to the counter, whose upper words are zero here.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_RANDOM_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_RANDOM_H

#include "compiler/import/builder/NnBuilder.h"

#include <array>

namespace nacre::importer {

/// Returns four random words of the stream `key` at `counter`.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// Seed and stream of a generator.
using RandomKey = std::array<uint32_t, 2>;

/// Returns the value of element `index`: 24 random bits as a number in [0, 1).
double uniformAt(RandomKey key, int64_t index);
/// Returns a sample of the standard normal distribution. Elements 2i and 2i + 1 use the same pair of words (Box and
/// Muller).
double normalAt(RandomKey key, int64_t index);

/// Return tensors of uniform or normal samples, or null after an error.
mlir::Value uniform(NnBuilder &nn, mlir::RankedTensorType type, RandomKey key, double low, double high);
mlir::Value normal(NnBuilder &nn, mlir::RankedTensorType type, RandomKey key, double mean, double deviation);

/// Returns i1 samples. Each is true with the probability in the same element of `probabilities`.
mlir::Value meets(NnBuilder &nn, mlir::Value probabilities, RandomKey key);

struct Dropped {
  mlir::Value result, mask; ///< the mask is true for elements that are kept
};

/// Sets random elements of `x` to zero, and divides the others by 1 - `ratio`. `ratio` is a scalar: the probability of
/// zero.
Dropped dropOut(NnBuilder &nn, mlir::Value x, mlir::Value ratio, RandomKey key);

/// Drops elements like dropOut(), but different ones in each run. `step` is the index of the run, an i64. Elements are
/// counted in row-major order. If several axes follow the batch, channels are last. `stream` is the index of the node
/// among all dropouts.
mlir::Value dropOutAnew(NnBuilder &nn, mlir::Value x, double ratio, uint64_t seed, mlir::Value step, uint32_t stream);

/// Draws `count` classes for each row of `logits` [rows, classes]. Returns i64 [rows, count].
mlir::Value drawClasses(NnBuilder &nn, mlir::Value logits, int64_t count, RandomKey key);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_RANDOM_H
