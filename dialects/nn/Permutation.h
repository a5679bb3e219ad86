// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the algebra of axis permutations: result axis i is operand axis permutation[i].
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

/// True if transposing `shape` keeps the order of elements in memory: only axes of extent one move.
bool movesOnlyUnits(Dims shape, Dims permutation);

/// Returns `values`, one per axis, in the order of the transposed axes.
template <typename T> llvm::SmallVector<T> permute(llvm::ArrayRef<T> values, Dims permutation) {
  llvm::SmallVector<T> result;
  for (int64_t axis : permutation)
    result.push_back(values[axis]);
  return result;
}

/// Returns the positions of `axes` after transposing, sorted.
llvm::SmallVector<int64_t> moveAxes(Dims axes, Dims permutation);

/// Returns the permutation of the remaining axes if `axes` are removed first.
Permutation dropAxes(Dims permutation, Dims axes);

/// Returns a permutation q such that reshaping `transpose(x, permutation)` gives `transpose(reshape(x), q)`, for x of
/// shape `from` reshaped to `to`. Returns `nullopt` if the permutation separates a merged group of axes.
std::optional<Permutation> throughReshape(Dims from, Dims to, Dims permutation);

/// Returns the number of leading axes of `transposed` that stay in place. `transposed` is the shape after a transpose
/// by `permutation`, which is then reshaped to `to`. Returns `nullopt` unless only elements of the last axis of `to`
/// are reordered.
std::optional<size_t> findFlattenedTail(Dims transposed, Dims to, Dims permutation);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_PERMUTATION_H
