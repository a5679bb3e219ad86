// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selections, for the handlers of every format; the size of their results depends on the data. Each is a selection of
// `nn`, which has an upper bound as its size, and a count of its results. Formats differ only in how they use the
// indices. NnBuilder::limit notes the count with the result. Constant data give a constant size.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_SELECTIONS_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_SELECTIONS_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Returns the indices of the true elements of `mask`, which has one axis.
mlir::Value findTrue(NnBuilder &nn, mlir::Value mask);

/// Returns the indices of the nonzero (or true) elements of `x`, one column each: [rank, found].
mlir::Value findNonZero(NnBuilder &nn, mlir::Value x);

/// Distinct slices of `x` along an axis, and the indices of their first occurrences. `inverse` maps each slice of `x`
/// to its distinct slice. `counts` has the number of occurrences.
struct UniqueParts {
  mlir::Value parts, first, inverse, counts;
};
UniqueParts findUnique(NnBuilder &nn, mlir::Value x, int64_t axis, bool sorted);

/// Returns the boxes that are taken, one row (image, class, box) each: [found, 3].
mlir::Value suppressNonMaxima(NnBuilder &nn, const NnBuilder::Suppression &suppression);

/// Parameters of a selection in which scores of boxes decrease as they overlap boxes taken before.
struct SoftSuppression {
  int64_t limit;  ///< size of the result, and most boxes that are taken
  double overlap; ///< boxes that overlap by more are removed
  double score;   ///< boxes with a score up to this are removed
  double sigma;   ///< scores are multiplied by exp(-overlap^2 / (2 sigma))
};

/// Indices [limit], scores [limit] at the time of selection, and the number of boxes taken. Entries after them are 0.
struct TakenBoxes {
  mlir::Value indices, scores, count;
};

/// Selects from `boxes` [N, 4], each two opposite corners, with `scores` [N].
TakenBoxes suppressSoftly(NnBuilder &nn, mlir::Value boxes, mlir::Value scores, const SoftSuppression &suppression);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_SELECTIONS_H
