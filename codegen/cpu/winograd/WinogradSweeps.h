// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  Winograd's transforms along both dimensions as two sweeps over a tile, with memory between them.
// Why:   if one instruction loads or stores two registers, keeping a value in memory costs half an instruction each
//        way. A tile's values do not all fit registers, and would be loaded again for each group of rows that does. A
//        sweep is a loop, so that its code is that of one line of the tile.
// How:   two registers of channels or columns at a time: first down each column of the tile, then across each row of
//        the result. Each source and target has a pointer of its own, which loads and stores move on.

#ifndef NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADSWEEPS_H
#define NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADSWEEPS_H

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/cpu/tiles/MachineRows.h"
#include "codegen/form/Winograd.h"

namespace nacre::codegen::cpu {

class WinogradSweeps {
public:
  /// Transforms a line of vectors of two registers, which have their order in memory.
  using Transform = llvm::function_ref<llvm::SmallVector<Term>(llvm::ArrayRef<Term>)>;
  /// Returns a pointer to the first vector of a tile's value.
  using PointerOf = llvm::function_ref<mlir::Value(int64_t row, int64_t column)>;
  using PointerOfRow = llvm::function_ref<mlir::Value(int64_t row, Position column)>;
  /// Gets the values of a row, and values that the loop carries; returns these for the next vector. `element` is the
  /// distance of the vector's first element from the first of all.
  using Take = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange carried, Position element,
                                                                 llvm::ArrayRef<Term> numbers)>;

  /// Most elements (channels or columns) that sweeps take at a time, so that their intermediate values stay in the
  /// first-level cache.
  static constexpr int64_t mostElements = 64;

  /// True if sweeps are faster on the machine.
  static bool suit(const MachineRow &machine) { return machine.registersPerLoad > 1; }
  /// True if filters are transformed by sweeps, too. Filters of more taps have more values than there are registers for
  /// pointers.
  static bool takesFilters(const MachineRow &machine, const winograd::Method &method) {
    return suit(machine) && method.taps == 3;
  }
  static int64_t vectorLanes(const MachineRow &machine) { return 2 * machine.lanes; }
  /// Returns the elements of scratch for tiles of `inputs` values along each dimension.
  static int64_t scratchOf(int64_t inputs) { return inputs * inputs * mostElements; }

  WinogradSweeps(VectorBuilder &build, const MachineRow &machine, int64_t inputs, mlir::Type element,
                 mlir::Value between);

  /// Transforms down each column of `vectors` vectors; `rows` values of each column are the result.
  void down(mlir::Value vectors, int64_t rows, PointerOfRow from, Transform transform);
  /// Transforms across the row `row` of that result.
  void across(mlir::Value vectors, int64_t rows, Position row, Transform transform, mlir::ValueRange carried,
              Take take);
  /// Transforms across each row; `to` returns the pointers to store to.
  void acrossTo(mlir::Value vectors, int64_t rows, Transform transform, PointerOfRow to);

  /// Transforms both dimensions of a filter of three taps at once.
  void filters(mlir::Value vectors, winograd::Pairs pairs, PointerOf from, PointerOf to);

private:
  Term load(mlir::Value pointer) { return {&build, build.loadAt(pointer, type)}; }
  void store(llvm::ArrayRef<Term> numbers, mlir::ValueRange to);
  void overVectors(mlir::Value vectors, mlir::ValueRange carried, VectorBuilder::Body body);
  llvm::SmallVector<mlir::Value> moved(mlir::ValueRange pointers);

  VectorBuilder &build;
  const int64_t inputs;
  const mlir::VectorType type;
  const int64_t bytes; ///< Bytes of a vector
  mlir::Value between; ///< Pointer to the intermediate values, [vector][row][column]
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADSWEEPS_H
