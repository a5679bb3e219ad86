// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits steps of a tile's reduction, one after another.
// Why:   every loop around the steps needs the same choices: which operand stays in registers, and where LLVM must not
//        move loads.
// How:   in each step, the operand that needs fewer registers (columns or rows) is loaded first. The parts of the other
//        operand are loaded one by one.

#ifndef NACRE_CODEGEN_CPU_TILES_TILESTEPS_H
#define NACRE_CODEGEN_CPU_TILES_TILESTEPS_H

#include "codegen/cpu/tiles/MicroTile.h"
#include "codegen/cpu/tiles/PanelColumns.h"
#include "codegen/cpu/tiles/RowElements.h"
#include "codegen/cpu/tiles/TilePrefetch.h"

namespace nacre::codegen::cpu {

class TileSteps {
public:
  /// `vectors` is the number of registers of `columns` in the tile. The columns of a step begin `columnStride` elements
  /// after the columns of the previous step. `factor` is the type of a lane of columns when it is multiplied.
  /// `hasFewRegisters`: the tile's sums leave registers only for the columns of one load.
  TileSteps(VectorBuilder &build, const TileShape &shape, int64_t vectors, int64_t columnStride, mlir::Type factor,
            bool hasFewRegisters, PanelColumns &columns, TilePrefetch &prefetch)
      : build(build), machine(shape.machine), rows(shape.rows), groups(machine.groupsOf(rows)), vectors(vectors),
        columnStride(columnStride), factor(factor), hasFewRegisters(hasFewRegisters), columns(columns),
        prefetch(prefetch) {}

  /// Returns the sums of `accumulators` and the products of `steps` steps. Columns lie at `rhs`, or come from `stream`
  /// if it is not null. `ahead` is the address to prefetch for later tiles, or null.
  llvm::SmallVector<mlir::Value> multiplyAdd(mlir::ValueRange accumulators, mlir::Value rhs, int64_t steps,
                                             const RowElements::ElementOf &elementOf, ColumnStream *stream = nullptr,
                                             mlir::Value ahead = {});

private:
  /// Returns the vector of columns with index `vector`, or two that are loaded together.
  using ColumnsOf = llvm::function_ref<llvm::SmallVector<mlir::Value, 2>(int64_t step, int64_t vector)>;

  void multiplyAddStep(llvm::MutableArrayRef<mlir::Value> sums, int64_t step, const RowElements::ElementOf &elementOf,
                       ColumnsOf columnsOf);
  /// Emits two steps of each row together, vector by vector of the columns.
  void multiplyAddTwo(llvm::MutableArrayRef<mlir::Value> sums, int64_t step, const RowElements::ElementOf &elementOf,
                      ColumnsOf columnsOf);
  /// Returns the factor of the rows that one instruction multiplies: an element of the row, or an element of each row.
  mlir::Value factorOf(int64_t group, int64_t step, const RowElements::ElementOf &elementOf);

  VectorBuilder &build;
  const MachineRow &machine;
  const int64_t rows, groups; ///< Number of rows, and number of groups of rows that one instruction multiplies
  const int64_t vectors, columnStride;
  const mlir::Type factor;
  const bool hasFewRegisters;
  PanelColumns &columns;
  TilePrefetch &prefetch;
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_TILESTEPS_H
