// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the algebra of axis permutations: result axis i is operand axis permutation[i].
// Why:   cancelling transposes is composing permutations; kept free of IR so that it is tested exhaustively on small
//        ranks.

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

/// Transposing by `first` and then by `second` is transposing by the result.
Permutation compose(Dims first, Dims second);

/// Whether transposing `shape` leaves all elements where they are: only axes of extent one move.
bool movesOnlyUnits(Dims shape, Dims permutation);

/// `values` of each axis, in the order of the transposed axes.
template <typename T> llvm::SmallVector<T> permute(llvm::ArrayRef<T> values, Dims permutation) {
  llvm::SmallVector<T> result;
  for (int64_t axis : permutation)
    result.push_back(values[axis]);
  return result;
}

/// Where `axes` are after transposing, sorted.
llvm::SmallVector<int64_t> moveAxes(Dims axes, Dims permutation);

/// What `permutation` does to the other axes once `axes` are removed before it.
Permutation dropAxes(Dims permutation, Dims axes);

/// A permutation q such that reshaping `transpose(x, permutation)` gives `transpose(reshape(x), q)`, for x of shape
/// `from` reshaped to `to`. Nothing if a merged group of axes is torn apart.
std::optional<Permutation> throughReshape(Dims from, Dims to, Dims permutation);

/// If transposing to the shape `transposed` by `permutation` and then reshaping to `to` reorders elements of the last
/// axis of `to` alone: how many leading axes of `transposed` stay where they are.
std::optional<size_t> findFlattenedTail(Dims transposed, Dims to, Dims permutation);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_PERMUTATION_H
