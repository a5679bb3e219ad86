// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  packing of a right operand that is not a weight into panels. The unit that multiplies packs it into scratch,
//        or an earlier launch packs it into a storage (EmitPack.cpp).
// Why:   tiles read columns side by side, step after step; a tensor's columns can have any strides.
// How:   columns that lie side by side are copied. If instead the steps lie side by side, columns are transposed in
//        registers.

#ifndef NACRE_CODEGEN_CPU_PANELS_PACKCOLUMNS_H
#define NACRE_CODEGEN_CPU_PANELS_PACKCOLUMNS_H

#include "codegen/cpu/VectorBuilder.h"

namespace nacre::codegen::cpu {

/// Panels of `width` columns, [panels][steps][width], `stride` elements apart. The lanes of a vector beyond the last
/// column hold zeros, which are multiplied at full speed and are never stored.
struct PackedColumns {
  mlir::Value buffer;
  int64_t width = 0, panels = 0, stride = 0;
};

/// Position of the first element in a buffer.
struct PackedSource {
  mlir::Value buffer, first;
};
/// Number of elements along a dimension, and the distance between them.
struct PackedAxis {
  int64_t size = 1, stride = 1;
};

/// Writes zeros from the column `columns` to the end of its vector, in the row of a panel that begins at `row`. Old
/// scratch contents can be subnormal numbers, which some CPUs take a hundred times as long to multiply.
void completeVector(VectorBuilder &build, mlir::Value panel, mlir::Value row, int64_t columns, mlir::Type type);

/// Rows of one panel of `width` columns: address of the first row, and elements from one row to the next. `filled`:
/// columns from the last valid one to the panel's end are zero.
struct PanelRows {
  mlir::Value buffer, first;
  int64_t stride = 0, width = 0;
  bool filled = false;
};

/// Writes `steps` rows of a panel of `columns` columns, converted to `type`.
void packRows(VectorBuilder &build, const PackedSource &source, PackedAxis steps, PackedAxis columns,
              const PanelRows &rows, mlir::Type type);

/// A loop, and the elements by which an iteration moves the source and the target.
struct PackedLoop {
  int64_t size = 1, read = 1, written = 1;
};

/// Copies `count` neighbours in each iteration of the loops, outermost first, to a buffer of the same type.
void copyNeighbours(VectorBuilder &build, const PackedSource &source, llvm::ArrayRef<PackedLoop> loops,
                    const PackedSource &target, mlir::Value count);

PackedColumns packColumns(KernelFunction &function, VectorBuilder &build, const PackedSource &source, PackedAxis steps,
                          PackedAxis columns, int64_t width, mlir::Type type);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_PANELS_PACKCOLUMNS_H
