// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  multiplies the rows of a unit by one panel of columns.
// Why:   a panel larger than the first-level cache would come from the second level for every tile.
// How:   1. such a panel is divided into parts of the reduction. All rows are multiplied by one part after the other,
//           and sums wait in scratch in between. (Goto and van de Geijn, Anatomy of High-Performance Matrix
//           Multiplication, 2008, block the same loop.)
//        2. runs of rows are divided into tiles (TileTables.h), which MicroTile.h computes.

#ifndef NACRE_CODEGEN_CPU_PANELS_PANELWALK_H
#define NACRE_CODEGEN_CPU_PANELS_PANELWALK_H

#include "codegen/cpu/tiles/MicroTile.h"

namespace nacre::codegen::cpu {

struct PanelWalk {
  Panel panel;
  bool followed = false;       ///< True if the panel walked next follows in the buffer, as a weight's panels do
  int64_t columns = 1;         ///< Number of the panel's valid columns
  mlir::Value cutLow, cutHigh; ///< The unit's indices of the cut axis
  int64_t cutExtent = 1;       ///< Indices in a block of that axis
  int64_t cutMost = 1;         ///< Most indices that a unit has
  /// True if the result has sums already, to which those of this reduction are added. It consists of whole rows of the
  /// panel's width.
  bool addsToResult = false;
  bool goesOn = false; ///< True if these sums also have so few steps in all that they are added up one after the other
};

/// Emits the loops. `at`: addresses of the operands at the panel's first column.
void emitPanelWalk(KernelFunction &function, VectorBuilder &build, const LoopedContraction &contraction,
                   const PanelWalk &walk, const Addresses &at);

/// Allocates `count` more elements of this thread's scratch.
mlir::Value allocateScratch(KernelFunction &function, VectorBuilder &build, int64_t count, mlir::Type type);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_PANELS_PANELWALK_H
