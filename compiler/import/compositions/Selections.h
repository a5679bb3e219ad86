// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selections whose results have a data-dependent size, for the handlers of every format. Each uses a selection operator
// of `nn`, whose result has the largest possible size, and a count of the valid elements. Formats differ only in how
// they use the indices. NnBuilder::limit attaches the count to the result. Constant data give a constant size.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_SELECTIONS_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_SELECTIONS_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Returns the indices of the true elements of `mask`, which has one axis.
mlir::Value findTrue(NnBuilder &nn, mlir::Value mask);

/// Returns the indices of the nonzero (or true) elements of `x`, one element per column: [rank, found].
mlir::Value findNonZero(NnBuilder &nn, mlir::Value x);

/// Distinct slices of `x` along an axis, and the indices of their first occurrences. `inverse` has the index of the
/// distinct slice for each slice of `x`. `counts` has the number of occurrences of each distinct slice.
struct UniqueParts {
  mlir::Value parts, first, inverse, counts;
};
UniqueParts findUnique(NnBuilder &nn, mlir::Value x, int64_t axis, bool sorted);

/// Returns the selected boxes as rows (image, class, box): [found, 3].
mlir::Value suppressNonMaxima(NnBuilder &nn, const NnBuilder::Suppression &suppression);

/// Parameters of soft suppression: the score of a box decreases if it overlaps boxes that were selected before.
struct SoftSuppression {
  int64_t limit;  ///< size of the result, and the largest number of boxes to select
  double overlap; ///< boxes whose overlap is larger are removed
  double score;   ///< boxes whose score is not larger are removed
  double sigma;   ///< scores are multiplied by exp(-overlap^2 / (2 sigma))
};

/// Indices [limit], scores [limit] at the time of selection, and the number of selected boxes. Entries after the last
/// selected box are 0.
struct TakenBoxes {
  mlir::Value indices, scores, count;
};

/// Selects from `boxes` [N, 4], which are pairs of opposite corners, with `scores` [N].
TakenBoxes suppressSoftly(NnBuilder &nn, mlir::Value boxes, mlir::Value scores, const SoftSuppression &suppression);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_SELECTIONS_H
