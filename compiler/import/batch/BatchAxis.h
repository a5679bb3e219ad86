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
#include <cstdint>
#include <optional>

namespace nacre::importer {

/// Where the rows of a batch are: along `axis`, which has `outer * batch * inner` elements. `outer` and `inner` are not 1 if a
/// reshape has merged the batch with its neighbours.
struct BatchAxis {
  int64_t axis = 0;
  int64_t outer = 1, inner = 1;
  /// A bit for each axis that the batch may be, including `axis`. There are several if the model states a batch of 1 and a reshape
  /// leaves several axes of size 1 at the same place. A reshape moves the batch between them.
  uint32_t choices = 1;

  /// The rows along `axis`, and no other choice.
  static BatchAxis at(int64_t axis) { return {axis, 1, 1, uint32_t(1) << axis}; }
  bool mayBe(int64_t other) const { return other >= 0 && other < 32 && (choices >> other & 1) != 0; }
  bool isAxisOfItsOwn() const { return outer == 1 && inner == 1; }
  /// The size of the axis.
  int64_t sizeFor(int64_t batch) const { return outer * batch * inner; }
  bool isMergedAs(const BatchAxis &other) const { return outer == other.outer && inner == other.inner; }
};

/// How many times the rows repeat in row-major order: the elements before one along the batch, where `shape` is of any batch.
int64_t countOuter(llvm::ArrayRef<int64_t> shape, const BatchAxis &place);

/// `place` with those of `choices` that it can be moved to without moving an element: only axes of size 1 are between.
BatchAxis withChoices(llvm::ArrayRef<int64_t> shape, BatchAxis place, uint32_t choices);

/// Where the rows are after a reshape from `from` to `to`, both for a batch of `batch`; nothing if no axis of `to` holds whole rows. It
/// keeps the number of the axis if it can.
std::optional<BatchAxis> throughReshape(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to,
                                        const BatchAxis &place, int64_t batch);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BATCH_BATCHAXIS_H
