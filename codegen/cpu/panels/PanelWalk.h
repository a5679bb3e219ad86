// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  multiplies the rows of a unit by one panel of columns.
// Why:   if a panel exceeds the first-level cache, every tile would read it from the second-level cache.
// How:   1. a panel of this size is divided into parts of the reduction. All rows are multiplied by one part after the
//        other, while the sums are kept in scratch. (Goto and van de Geijn, Anatomy of High-Performance Matrix
//        Multiplication, 2008, block the same loop.)
//        2. runs of rows are divided into tiles (TileTables.h), which MicroTile.h emits.

#ifndef NACRE_CODEGEN_CPU_PANELS_PANELWALK_H
#define NACRE_CODEGEN_CPU_PANELS_PANELWALK_H

#include "codegen/cpu/tiles/MicroTile.h"

namespace nacre::codegen::cpu {

struct PanelWalk {
  Panel panel;
  bool followed = false;       ///< True if the next panel to multiply by follows in the buffer, as in a weight
  int64_t columns = 1;         ///< Number of valid columns of the panel
  mlir::Value cutLow, cutHigh; ///< Range of the unit on the cut axis
  int64_t cutExtent = 1;       ///< Indices of the cut axis in a block
  int64_t cutMost = 1;         ///< Largest number of indices that a unit has
  /// True if the sums of this reduction are added to sums that are already in the result. The result consists of whole
  /// rows of the panel's width.
  bool addsToResult = false;
  /// True if the whole reduction has at most kSerialSteps steps; a tile may then begin with the result's sums
  bool goesOn = false;
};

/// Emits the loops over rows and parts. `at` has the addresses of the operands at the panel's first column.
void emitPanelWalk(KernelFunction &function, VectorBuilder &build, const LoopedContraction &contraction,
                   const PanelWalk &walk, const Addresses &at);

/// Allocates `count` more elements of `type` in this thread's scratch.
mlir::Value allocateScratch(KernelFunction &function, VectorBuilder &build, int64_t count, mlir::Type type);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_PANELS_PANELWALK_H
