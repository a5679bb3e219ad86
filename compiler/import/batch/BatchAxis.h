// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  where the rows of a batch are in a tensor.
// Why:   a model that was exported at a batch has this number in many shapes, but only some of these axes are the batch. The
//        place of the rows among the elements tells which, and no shape has to be guessed.
// How:   in row-major order, a tensor with rows has `outer * batch * inner` elements in the part of the batch's axis. A reshape keeps
//        the order of elements, so it only renames the axis. Kept free of IR so that it is tested alone.

#ifndef NACRE_COMPILER_IMPORT_BATCH_BATCHAXIS_H
#define NACRE_COMPILER_IMPORT_BATCH_BATCHAXIS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace nacre::importer {

/// One axis that holds the rows: it has `outer * batch * inner` elements. `outer` and `inner` are not 1 if a reshape has merged the
/// batch with its neighbours.
struct BatchPlace {
  int64_t axis = 0;
  int64_t outer = 1, inner = 1;

  bool isAxisOfItsOwn() const { return outer == 1 && inner == 1; }
  /// The size of the axis.
  int64_t sizeFor(int64_t batch) const { return outer * batch * inner; }
  /// The same rows along another axis of another tensor.
  BatchPlace at(int64_t other) const { return {other, outer, inner}; }
  bool operator==(const BatchPlace &other) const {
    return axis == other.axis && outer == other.outer && inner == other.inner;
  }
};

/// Where the rows of a batch are. A reshape of a batch of 1 may leave several places at the same position among the elements, such as two axes
/// of size 1. Another reshape, which moves no element, changes between them.
struct BatchAxis : BatchPlace {
  llvm::SmallVector<BatchPlace, 2> choices; ///< all of them, with the present one

  BatchAxis() : BatchAxis(BatchPlace()) {}
  explicit BatchAxis(const BatchPlace &place) : BatchPlace(place), choices({place}) {}

  bool mayBe(const BatchPlace &place) const { return llvm::is_contained(choices, place); }
};

/// How many times the rows repeat in row-major order: the elements before one along the batch, where `shape` is of any batch.
int64_t countOuter(llvm::ArrayRef<int64_t> shape, const BatchPlace &place);

/// `place` with those of `choices` that are at the same position among the elements of a tensor of `shape`, which is for any batch.
BatchAxis withChoices(llvm::ArrayRef<int64_t> shape, const BatchPlace &place, llvm::ArrayRef<BatchPlace> choices);

/// All places for rows that repeat `outer` times in a tensor of `shape`, which is for a batch of `batch`. Axes of their own are first.
llvm::SmallVector<BatchPlace> findPlaces(llvm::ArrayRef<int64_t> shape, int64_t outer, int64_t batch);

/// Where the rows are after a reshape from `from` to `to`, both for a batch of `batch`; nothing if no axis of `to` holds whole rows. It
/// keeps the number of the axis if it can.
std::optional<BatchAxis> throughReshape(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to,
                                        const BatchPlace &place, int64_t batch);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BATCH_BATCHAXIS_H
