// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how often a row kernel walks its rows, and what each of these sweeps computes.
// Why:   a reduction must be complete before what uses it; everything else should be computed once, or be cheap.
// How:   1. a reduction ends a sweep, and what reads it belongs to a later one;
//        2. what is known of a maximum that is subtracted from what it is the maximum of;
//        3. maps are computed where they are needed, the expensive ones once, into scratch.

#ifndef NACRE_CODEGEN_CPU_NEST_ROWSWEEPS_H
#define NACRE_CODEGEN_CPU_NEST_ROWSWEEPS_H

#include "codegen/cpu/Combiner.h"
#include "codegen/cpu/VectorBody.h"
#include "codegen/cpu/nest/NestStages.h"

namespace nacre::codegen::cpu {

/// What a stage is to the sweeps.
struct RowRole {
  unsigned sweep = 0; ///< A reduction: the one that computes it. Others: the first sweep in which they can be computed.
  bool perRow = false;              ///< One value per row: a reduction, or computed from such values alone.
  std::optional<unsigned> keptFrom; ///< The sweep that computes it into scratch for later ones.
  unsigned scratch = 0;             ///< Which array of scratch.
  BodyHints hints;
};

struct RowSweeps {
  llvm::SmallVector<RowRole> roles;                         ///< Per stage.
  llvm::SmallVector<llvm::SmallVector<Combiner>> combiners; ///< Per stage and result; empty where it does not reduce.
  unsigned last = 0;                                        ///< The sweep that writes.
  unsigned arrays = 0;                                      ///< Of scratch.

  /// Those of so many accumulators for every result of the reductions, which are stages.
  llvm::SmallVector<Combiner> combinersOf(llvm::ArrayRef<unsigned> reductions, int64_t accumulators) const;
};

/// Fails where a stage walks some of the columns only, or where its reduction has an order of its own.
llvm::FailureOr<RowSweeps> planSweeps(const Nest &nest, llvm::ArrayRef<Stage> stages);

/// Whether `sweep` computes a polynomial in every column, and so needs registers for it.
bool computesTranscendentals(const RowSweeps &sweeps, llvm::ArrayRef<Stage> stages, unsigned sweep);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_NEST_ROWSWEEPS_H
