// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Position of the rows of a batch in a tensor.
//
// A model that was exported for a batch of N has the number N in many shapes. Only some of these axes are the batch.
// The position of the rows among the elements decides which axes are. In row-major order, the axis of the batch covers
// `outer * batch * inner` elements. A reshape keeps the order of elements, so only the index of the axis changes. This
// file does not depend on the IR, so that it can be tested separately.

#ifndef NACRE_COMPILER_IMPORT_BATCH_BATCHAXIS_H
#define NACRE_COMPILER_IMPORT_BATCH_BATCHAXIS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace nacre::importer {

/// Axis that holds the rows of the batch. Its size is `outer * batch * inner`. `outer` or `inner` is not 1 if a reshape
/// merged the batch with a neighbouring axis.
struct BatchPlace {
  int64_t axis = 0;
  int64_t outer = 1, inner = 1;

  bool isAxisOfItsOwn() const { return outer == 1 && inner == 1; }
  /// Returns the size of the axis for a batch of `batch` rows.
  int64_t sizeFor(int64_t batch) const { return outer * batch * inner; }
  /// Returns the place of the same rows at axis `other` of another tensor.
  BatchPlace at(int64_t other) const { return {other, outer, inner}; }
  bool operator==(const BatchPlace &other) const {
    return axis == other.axis && outer == other.outer && inner == other.inner;
  }
};

/// Position of the rows of a batch. For a batch of 1, several axes may be at the same position among the elements, such
/// as two axes of size 1. A reshape moves no element, but may turn one of these axes into another.
struct BatchAxis : BatchPlace {
  llvm::SmallVector<BatchPlace, 2> choices; ///< All equivalent places, including this one.

  BatchAxis() : BatchAxis(BatchPlace()) {}
  explicit BatchAxis(const BatchPlace &place) : BatchPlace(place), choices({place}) {}

  bool mayBe(const BatchPlace &place) const { return llvm::is_contained(choices, place); }
};

/// Returns the number of times that the rows repeat in row-major order, which is the number of elements before one row.
/// `shape` may be for any batch.
int64_t countOuter(llvm::ArrayRef<int64_t> shape, const BatchPlace &place);

/// Returns `place` with the equivalent ones of `choices`: the places at the same position in a tensor of `shape`.
/// `shape` may be for any batch.
BatchAxis withChoices(llvm::ArrayRef<int64_t> shape, const BatchPlace &place, llvm::ArrayRef<BatchPlace> choices);

/// Returns all places for rows that repeat `outer` times in a tensor of `shape` for a batch of `batch` rows. Axes that
/// hold only the batch come first.
llvm::SmallVector<BatchPlace> findPlaces(llvm::ArrayRef<int64_t> shape, int64_t outer, int64_t batch);

/// Returns the place of the rows after a reshape from `from` to `to`, both for a batch of `batch`. Keeps the index of
/// the axis if possible. Returns `nullopt` if no axis of `to` holds whole rows.
std::optional<BatchAxis> throughReshape(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to,
                                        const BatchPlace &place, int64_t batch);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BATCH_BATCHAXIS_H
