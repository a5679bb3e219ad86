// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the sweeps in which a row kernel walks its rows, and the work of each.
// Why:   a reduction must be complete before its result is used; everything else should be computed once, or be cheap.
// How:   1. a reduction ends a sweep, and its readers belong to later sweeps;
//        2. hints for maxima that are subtracted from their own operands;
//        3. maps are computed where they are needed, the expensive ones once, into scratch.

#ifndef NACRE_CODEGEN_CPU_NEST_ROWSWEEPS_H
#define NACRE_CODEGEN_CPU_NEST_ROWSWEEPS_H

#include "codegen/cpu/Combiner.h"
#include "codegen/cpu/VectorBody.h"
#include "codegen/cpu/nest/NestStages.h"

namespace nacre::codegen::cpu {

/// Role of a stage in the sweeps.
struct RowRole {
  unsigned sweep = 0; ///< A reduction's own sweep, or the first sweep that can compute the stage
  /// True if there is one value for each row: a reduction, or computed only from such values.
  bool perRow = false;
  std::optional<unsigned> keptFrom; ///< The sweep that computes it into scratch for later ones
  unsigned scratch = 0;             ///< Number of its array in scratch
  BodyHints hints;
};

struct RowSweeps {
  llvm::SmallVector<RowRole> roles; ///< Roles of the stages
  /// Combiners of each stage and result; empty if the stage does not reduce.
  llvm::SmallVector<llvm::SmallVector<Combiner>> combiners;
  unsigned last = 0;   ///< The sweep that writes
  unsigned arrays = 0; ///< Number of arrays in scratch

  /// Returns the combiners of `accumulators` accumulators for every result of the stages `reductions`.
  llvm::SmallVector<Combiner> combinersOf(llvm::ArrayRef<unsigned> reductions, int64_t accumulators) const;
};

/// Plans the sweeps. Fails if a stage walks only some of the columns, or its reduction requires an order.
llvm::FailureOr<RowSweeps> planSweeps(const Nest &nest, llvm::ArrayRef<Stage> stages);

/// True if `sweep` computes a polynomial in every column, which needs registers.
bool computesTranscendentals(const RowSweeps &sweeps, llvm::ArrayRef<Stage> stages, unsigned sweep);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_NEST_ROWSWEEPS_H
