// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  plans the sweeps in which a row kernel goes through its rows, and the work of each sweep.
// Why:   a reduction must be complete before its result is used. All other values should be computed once, unless that
//        is cheap.
// How:   1. a reduction ends a sweep, and its readers belong to later sweeps;
//        2. maxima that are subtracted from their own operands allow cheaper exponentials (BodyHints);
//        3. maps are computed in each sweep that needs them. Expensive maps are computed once, and kept in scratch.

#ifndef NACRE_CODEGEN_CPU_NEST_ROWSWEEPS_H
#define NACRE_CODEGEN_CPU_NEST_ROWSWEEPS_H

#include "codegen/cpu/Combiner.h"
#include "codegen/cpu/VectorBody.h"
#include "codegen/cpu/nest/NestStages.h"

namespace nacre::codegen::cpu {

/// Role of a stage in the sweeps.
struct RowRole {
  unsigned sweep = 0; ///< The sweep that a reduction ends, or the first sweep that can compute the stage
  /// True if the stage has one value for each row: a reduction, or a map of such values only.
  bool perRow = false;
  std::optional<unsigned> keptFrom; ///< Sweep that computes the stage into scratch for later sweeps
  unsigned scratch = 0;             ///< Index of the stage's array in scratch
  BodyHints hints;
};

struct RowSweeps {
  llvm::SmallVector<RowRole> roles; ///< Roles of the stages
  /// Combiners by stage and result; empty if the stage does not reduce.
  llvm::SmallVector<llvm::SmallVector<Combiner>> combiners;
  unsigned last = 0;   ///< Index of the sweep that writes
  unsigned arrays = 0; ///< Number of arrays in scratch

  /// Returns the combiners of all results of the stages `reductions`, repeated for each of `accumulators` accumulators.
  llvm::SmallVector<Combiner> combinersOf(llvm::ArrayRef<unsigned> reductions, int64_t accumulators) const;
};

/// Plans the sweeps. Fails if a stage has only some of the columns, or if its reduction requires an order.
llvm::FailureOr<RowSweeps> planSweeps(const Nest &nest, llvm::ArrayRef<Stage> stages);

/// True if `sweep` computes a polynomial in every column. Polynomials need many registers.
bool computesTranscendentals(const RowSweeps &sweeps, llvm::ArrayRef<Stage> stages, unsigned sweep);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_NEST_ROWSWEEPS_H
