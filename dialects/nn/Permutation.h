// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the algebra of permutations of axes. Axis i of the result is axis permutation[i] of the operand.
// Why:   cancelling transposes means composing permutations. The functions are free of IR, so that tests cover all
//        permutations of small ranks.

#ifndef NACRE_DIALECTS_NN_PERMUTATION_H
#define NACRE_DIALECTS_NN_PERMUTATION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace nacre::nn {

using Dims = llvm::ArrayRef<int64_t>;
using Permutation = llvm::SmallVector<int64_t>;

Permutation identityPermutation(size_t rank);
bool isIdentity(Dims permutation);
Permutation inverse(Dims permutation);

/// Returns the permutation that transposes by `first`, then by `second`.
Permutation compose(Dims first, Dims second);

/// True if transposing `shape` keeps the order of elements in memory, because only axes of size one move.
bool movesOnlyUnits(Dims shape, Dims permutation);

/// Returns `values`, one per axis, in the order of the axes after transposing.
template <typename T> llvm::SmallVector<T> permute(llvm::ArrayRef<T> values, Dims permutation) {
  llvm::SmallVector<T> result;
  for (int64_t axis : permutation)
    result.push_back(values[axis]);
  return result;
}

/// Returns the sorted indices that `axes` have after transposing.
llvm::SmallVector<int64_t> moveAxes(Dims axes, Dims permutation);

/// Returns the permutation of the remaining axes if `axes` are removed first.
Permutation dropAxes(Dims permutation, Dims axes);

/// Returns a permutation q for which `transpose(reshape(x), q)` is a reshape of `transpose(x, permutation)`. x has
/// shape `from` and is reshaped to `to`. Returns `nullopt` if the permutation separates axes that the reshape merges.
std::optional<Permutation> throughReshape(Dims from, Dims to, Dims permutation);

/// Returns the number of leading axes of `transposed` that stay in place. `transposed` is a shape after transposing by
/// `permutation`, and is then reshaped to `to`. Returns `nullopt` unless the transpose only reorders elements within
/// the last axis of `to`.
std::optional<size_t> findFlattenedTail(Dims transposed, Dims to, Dims permutation);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_PERMUTATION_H
