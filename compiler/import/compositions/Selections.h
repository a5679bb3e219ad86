// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  selections, whose results are as large as the data say, for the handlers of every format.
// Why:   each is one of nn's selections, which know no sizes, and a count of what they found; formats differ in what they
//        make of the indices.
// How:   the count is noted beside the result (NnBuilder::limit). Where the data are constant so is the size.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_SELECTIONS_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_SELECTIONS_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// The indices of the true elements of `mask`, which has one axis.
mlir::Value findTrue(NnBuilder &nn, mlir::Value mask);

/// The indices, a column each, of the elements of `x` that are not 0 (or false): [rank, found].
mlir::Value findNonZero(NnBuilder &nn, mlir::Value x);

/// What is different along an axis: parts of `x`, the indices of their first appearance, for each part of `x` which it is,
/// and how often each appears.
struct UniqueParts {
  mlir::Value parts, first, inverse, counts;
};
UniqueParts findUnique(NnBuilder &nn, mlir::Value x, int64_t axis, bool sorted);

/// The boxes that are taken, a row (image, class, box) each: [found, 3].
mlir::Value suppressNonMaxima(NnBuilder &nn, const NnBuilder::Suppression &suppression);

/// How boxes are taken whose scores fade as they overlap those taken before.
struct SoftSuppression {
  int64_t limit;  ///< how many are taken at most; there are as many
  double overlap; ///< more than that is too much
  double score;   ///< candidates have more than that
  double sigma;   ///< a score is multiplied by exp(-overlap^2 / (2 sigma))
};

/// Places [limit], scores as they were when they were taken, [limit], and how many they are; zeros behind them.
struct TakenBoxes {
  mlir::Value indices, scores, count;
};

/// Of `boxes`, [N, 4], two opposite corners each, with `scores` [N].
TakenBoxes suppressSoftly(NnBuilder &nn, mlir::Value boxes, mlir::Value scores, const SoftSuppression &suppression);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_SELECTIONS_H
