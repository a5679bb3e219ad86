// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  packs a right operand that is not a weight into panels. The unit that multiplies packs it into scratch, or an
//        earlier launch packs it into a storage (EmitPack.cpp).
// Why:   tiles read columns side by side, step after step. The columns of a tensor can have any strides.
// How:   columns that lie side by side are copied. If the steps lie side by side, columns are transposed in registers.

#ifndef NACRE_CODEGEN_CPU_PANELS_PACKCOLUMNS_H
#define NACRE_CODEGEN_CPU_PANELS_PACKCOLUMNS_H

#include "codegen/cpu/VectorBuilder.h"

namespace nacre::codegen::cpu {

/// Panels of `width` columns: [panels][steps][width], with `stride` elements from one panel to the next. Lanes of a
/// vector after the last column hold zeros. They are multiplied, but never stored.
struct PackedColumns {
  mlir::Value buffer;
  int64_t width = 0, panels = 0, stride = 0;
};

/// Buffer, and the address of the first element in it.
struct PackedSource {
  mlir::Value buffer, first;
};
/// Number of elements along an axis, and the distance between them.
struct PackedAxis {
  int64_t size = 1, stride = 1;
};

/// Writes zeros from the column `columns` to the end of its vector, in the row of a panel that begins at `row`. Old
/// contents of scratch can be subnormal numbers, and some CPUs take a hundred times as long to multiply these.
void completeVector(VectorBuilder &build, mlir::Value panel, mlir::Value row, int64_t columns, mlir::Type type);

/// Rows of one panel of `width` columns: the address of the first row, and the number of elements between rows. If
/// `filled`, all columns after the last valid one are zero.
struct PanelRows {
  mlir::Value buffer, first;
  int64_t stride = 0, width = 0;
  bool filled = false;
};

/// Writes `steps` rows of a panel, each with `columns` columns converted to `type`.
void packRows(VectorBuilder &build, const PackedSource &source, PackedAxis steps, PackedAxis columns,
              const PanelRows &rows, mlir::Type type);

/// Loop, and the numbers of elements by which an iteration advances the source and the target.
struct PackedLoop {
  int64_t size = 1, read = 1, written = 1;
};

/// Copies `count` consecutive elements in each iteration of the loops, outermost first. Both buffers have the same
/// type.
void copyNeighbours(VectorBuilder &build, const PackedSource &source, llvm::ArrayRef<PackedLoop> loops,
                    const PackedSource &target, mlir::Value count);

PackedColumns packColumns(KernelFunction &function, VectorBuilder &build, const PackedSource &source, PackedAxis steps,
                          PackedAxis columns, int64_t width, mlir::Type type);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_PANELS_PACKCOLUMNS_H
