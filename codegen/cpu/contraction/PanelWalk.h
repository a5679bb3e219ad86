// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the rows of a unit against one panel of columns.
// Why:   a panel deeper than the first-level cache would come from the second for every tile.
// How:   1. such a panel is walked in parts of the reduction, each by all rows, sums waiting in scratch between them
//           (Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, 2008, block the same loop);
//        2. runs of rows are cut into tiles (TileTables.h), each of which MicroTile.h computes.

#ifndef NACRE_CODEGEN_CPU_CONTRACTION_PANELWALK_H
#define NACRE_CODEGEN_CPU_CONTRACTION_PANELWALK_H

#include "codegen/cpu/contraction/MicroTile.h"

namespace nacre::codegen::cpu {

struct PanelWalk {
  Panel panel;
  bool followed = false;       ///< In its buffer, by what is walked next: a weight's panels lie one after another.
  int64_t columns = 1;         ///< Valid ones of the panel.
  mlir::Value cutLow, cutHigh; ///< The unit's indices of the cut axis,
  int64_t cutExtent = 1;       ///< of which a block has so many,
  int64_t cutMost = 1;         ///< and which are so many at most.
  /// The result, whole rows of the panel's width, holds sums already, to which those of this reduction are added.
  bool addsToResult = false;
  bool goesOn = false; ///< And of few enough steps in all to be added up one after the other.
};

/// `at`: where the operands stand at the panel's first column.
void emitPanelWalk(KernelFunction &function, VectorBuilder &build, const LoopedContraction &contraction,
                   const PanelWalk &walk, const Addresses &at);

/// `count` more elements of this thread's scratch.
mlir::Value allocateScratch(KernelFunction &function, VectorBuilder &build, int64_t count, mlir::Type type);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_CONTRACTION_PANELWALK_H
