// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses one layout for an operand that several kernels read in panels, by the time of all launches in a run.
// Why: an operand has one layout. Kernels of one row and of many rows want panels of different widths, and launches in
//      a loop run more often than others.
// How: each kernel offers the layouts that it can read, with the nanoseconds of a launch. The layout with the least sum
//      of launches times nanoseconds wins. The prices come from the tables of tiles.

#ifndef NACRE_COMPILER_ENCODE_PANELPRICES_H
#define NACRE_COMPILER_ENCODE_PANELPRICES_H

#include "codegen/cpu/tiles/MachineRows.h"
#include "codegen/form/ContractionShape.h"
#include "codegen/form/DepthGroups.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre::encode {

/// Layout of an operand in panels.
struct PanelLayout {
  int64_t width = 0, groups = 1, parts = 1;
  codegen::DepthGroups depth; ///< Steps of the depth in a group; one step for floats.

  bool operator==(const PanelLayout &other) const {
    return width == other.width && groups == other.groups && parts == other.parts && depth == other.depth;
  }
};

/// Layout that a kernel can read, and the time of one launch that reads it.
struct PanelOffer {
  PanelLayout layout;
  double nanoseconds = 0;
};

/// Kernel that reads an operand in panels.
struct PanelReader {
  double launches = 1;                  ///< Number of launches in a run
  llvm::SmallVector<PanelOffer> offers; ///< The preferred layout comes first
};

/// Returns the layout with the least sum of launches times nanoseconds, among the layouts that all readers offer. If
/// sums are equal, the layout that the earliest reader offers first wins. Returns `nullopt` if the readers have no
/// layout in common.
std::optional<PanelLayout> choosePanels(llvm::ArrayRef<PanelReader> readers);

/// Work of a launch that reads an operand in panels.
struct PanelReading {
  codegen::ContractionShape shape;
  double products = 1;  ///< Number of products of this shape: batches and groups
  double bytes = 0;     ///< Size of the operand
  bool repeats = false; ///< True if the next launch reads the same operand, as in a loop
};

/// Returns the nanoseconds of a launch on one core, in panels of `width` columns. The launch multiplies while the
/// operand streams in: from memory, or from the second-level cache if a loop keeps the operand there.
double nanosecondsOf(const codegen::cpu::MachineRow &machine, const PanelReading &reading, int64_t width);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_PANELPRICES_H
