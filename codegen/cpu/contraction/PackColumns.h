// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a right operand that is no weight, put into panels: in scratch by the unit that multiplies by it, or in a storage by
//        a launch before (EmitPack.cpp).
// Why:   tiles read columns side by side, step after step; a tensor's may lie anyhow.
// How:   columns that lie side by side are copied; those that lie far apart, whose steps lie side by side, are transposed in
//        registers.

#ifndef NACRE_CODEGEN_CPU_CONTRACTION_PACKCOLUMNS_H
#define NACRE_CODEGEN_CPU_CONTRACTION_PACKCOLUMNS_H

#include "codegen/cpu/VectorBuilder.h"

namespace nacre::codegen::cpu {

/// Panels of `width` columns, [panels][steps][width], `stride` elements apart. A vector's lanes beyond the last column are
/// numbers that are multiplied as fast as others, and are never stored.
struct PackedColumns {
  mlir::Value buffer;
  int64_t width = 0, panels = 0, stride = 0;
};

/// Where elements are: the first one in a buffer, and how many there are along a dimension, how far apart.
struct PackedSource {
  mlir::Value buffer, first;
};
struct PackedAxis {
  int64_t size = 1, stride = 1;
};

/// Zeros from the column `columns` to the end of its vector, in the row of a panel that begins at `row`. What lay in
/// scratch before may be subnormal numbers, which some CPUs take a hundred times as long to multiply.
void completeVector(VectorBuilder &build, mlir::Value panel, mlir::Value row, int64_t columns, mlir::Type type);

/// Rows of one panel, of `width` columns: the first row's beginning, and elements from a row to the next. `filled`: what lies
/// beyond the last column is zero up to the panel's end.
struct PanelRows {
  mlir::Value buffer, first;
  int64_t stride = 0, width = 0;
  bool filled = false;
};

/// `steps` rows of a panel of `columns` columns, converted to `type`.
void packRows(VectorBuilder &build, const PackedSource &source, PackedAxis steps, PackedAxis columns,
              const PanelRows &rows, mlir::Type type);

/// How far an iteration moves what is read, and what is written.
struct PackedLoop {
  int64_t size = 1, read = 1, written = 1;
};

/// Copies `count` neighbours in each iteration of the loops, outermost first, to a buffer of the same type.
void copyNeighbours(VectorBuilder &build, const PackedSource &source, llvm::ArrayRef<PackedLoop> loops,
                    const PackedSource &target, mlir::Value count);

PackedColumns packColumns(KernelFunction &function, VectorBuilder &build, const PackedSource &source, PackedAxis steps,
                          PackedAxis columns, int64_t width, mlir::Type type);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_CONTRACTION_PACKCOLUMNS_H
