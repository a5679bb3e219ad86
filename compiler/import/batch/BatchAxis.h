// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Position of the rows of a batch in a tensor.
//
// A model that was exported at a batch has this number in many shapes, but only some of these axes are the batch. The
// position of the rows among the elements decides which, so no shape must be guessed. In row-major order, the axis of
// the batch covers `outer * batch * inner` elements. A reshape keeps the order of elements, so it only renames the
// axis. This file has no IR, so that it can be tested separately.

#ifndef NACRE_COMPILER_IMPORT_BATCH_BATCHAXIS_H
#define NACRE_COMPILER_IMPORT_BATCH_BATCHAXIS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace nacre::importer {

/// Axis that holds the rows: it has `outer * batch * inner` elements. `outer` and `inner` are not 1 if a reshape merged
/// the batch with its neighbours.
struct BatchPlace {
  int64_t axis = 0;
  int64_t outer = 1, inner = 1;

  bool isAxisOfItsOwn() const { return outer == 1 && inner == 1; }
  /// Returns the size of the axis.
  int64_t sizeFor(int64_t batch) const { return outer * batch * inner; }
  /// Returns the same rows at another axis of another tensor.
  BatchPlace at(int64_t other) const { return {other, outer, inner}; }
  bool operator==(const BatchPlace &other) const {
    return axis == other.axis && outer == other.outer && inner == other.inner;
  }
};

/// Position of the rows of a batch. For a batch of 1, several axes may be at the same position among the elements, such
/// as two axes of size 1. A reshape, which moves no element, switches between them.
struct BatchAxis : BatchPlace {
  llvm::SmallVector<BatchPlace, 2> choices; ///< all equivalent places, including the present one

  BatchAxis() : BatchAxis(BatchPlace()) {}
  explicit BatchAxis(const BatchPlace &place) : BatchPlace(place), choices({place}) {}

  bool mayBe(const BatchPlace &place) const { return llvm::is_contained(choices, place); }
};

/// Returns the number of times that the rows repeat in row-major order: the elements before one row. `shape` may be for
/// any batch.
int64_t countOuter(llvm::ArrayRef<int64_t> shape, const BatchPlace &place);

/// Returns `place` with those of `choices` that are at the same position in a tensor of `shape`, which may be for any
/// batch.
BatchAxis withChoices(llvm::ArrayRef<int64_t> shape, const BatchPlace &place, llvm::ArrayRef<BatchPlace> choices);

/// Returns all places for rows that repeat `outer` times in a tensor of `shape`, which is for a batch of `batch`. Axes
/// that hold only the batch are first.
llvm::SmallVector<BatchPlace> findPlaces(llvm::ArrayRef<int64_t> shape, int64_t outer, int64_t batch);

/// Returns the place of the rows after a reshape from `from` to `to`, both for a batch of `batch`. It keeps the number
/// of the axis if possible. `nullopt` if no axis of `to` holds whole rows.
std::optional<BatchAxis> throughReshape(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to,
                                        const BatchPlace &place, int64_t batch);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BATCH_BATCHAXIS_H
