// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits Winograd's transforms along both dimensions as two sweeps over a tile, with memory between them.
// Why:   if one instruction loads or stores two registers, storing a value and loading it again costs only half an
//        instruction each. The values of a tile do not all fit in registers. Without sweeps, they would be loaded again
//        for each group of rows that fits. A sweep is a loop, so that its code is the code of one line of the tile.
// How:   a sweep processes two registers of channels or columns at a time. The first sweep goes down each column of the
//        tile, the second across each row of the first one's result. Each source and target has its own pointer, which
//        loads and stores advance.

#ifndef NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADSWEEPS_H
#define NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADSWEEPS_H

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/cpu/tiles/MachineRows.h"
#include "codegen/form/Winograd.h"

namespace nacre::codegen::cpu {

class WinogradSweeps {
public:
  /// Transforms a line of vectors. Each vector has two registers, whose elements are in the order of memory.
  using Transform = llvm::function_ref<llvm::SmallVector<Term>(llvm::ArrayRef<Term>)>;
  /// Returns a pointer to the first vector of a value of the tile.
  using PointerOf = llvm::function_ref<mlir::Value(int64_t row, int64_t column)>;
  using PointerOfRow = llvm::function_ref<mlir::Value(int64_t row, Position column)>;
  /// Takes the values of a row and the values that the loop carries, and returns the carried values for the next
  /// vector. `element` is the distance of the vector's first element from the first of all elements.
  using Take = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange carried, Position element,
                                                                 llvm::ArrayRef<Term> numbers)>;

  /// Largest number of elements (channels or columns) that sweeps process at a time. Their intermediate values then fit
  /// the first-level cache.
  static constexpr int64_t mostElements = 64;

  /// True if sweeps are faster on `machine`.
  static bool suit(const MachineRow &machine) {
    return machine.geometry.registersPerLoad > 1 && !machine.hasShortSums(); // Registers hold a tile of two outputs.
  }
  /// True if filters are also transformed by sweeps. Filters of more than three taps have more values than there are
  /// registers for pointers.
  static bool takesFilters(const MachineRow &machine, const winograd::Method &method) {
    return suit(machine) && method.taps == 3;
  }
  static int64_t vectorLanes(const MachineRow &machine) { return 2 * machine.step.lanes; }
  /// Returns the number of elements of scratch for tiles of `inputs` values along each dimension.
  static int64_t scratchOf(int64_t inputs) { return inputs * inputs * mostElements; }

  WinogradSweeps(VectorBuilder &build, const MachineRow &machine, int64_t inputs, mlir::Type element,
                 mlir::Value between);

  /// Emits the sweep down each column of `vectors` vectors, which are stored as `stored` and widened when they are
  /// loaded. The result has `rows` values for each column.
  void down(mlir::Value vectors, int64_t rows, mlir::Type stored, PointerOfRow from, Transform transform);
  /// Emits the sweep across the row `row` of the result of down().
  void across(mlir::Value vectors, int64_t rows, Position row, Transform transform, mlir::ValueRange carried,
              Take take);
  /// Emits the sweep across each row of the result of down(). `to` returns the pointers to store to.
  void acrossTo(mlir::Value vectors, int64_t rows, Transform transform, PointerOfRow to);

  /// Transforms filters of three taps, stored as `stored`, along both dimensions together.
  void filters(mlir::Value vectors, winograd::Pairs pairs, mlir::Type stored, PointerOf from, PointerOf to);

private:
  Term load(mlir::Value pointer) { return load(pointer, type.getElementType()); }
  /// Returns the vector at `pointer`, which is stored as `stored`.
  Term load(mlir::Value pointer, mlir::Type stored);
  void store(llvm::ArrayRef<Term> numbers, mlir::ValueRange to);
  void overVectors(mlir::Value vectors, mlir::ValueRange carried, VectorBuilder::Body body);
  llvm::SmallVector<mlir::Value> moved(mlir::ValueRange pointers) { return moved(pointers, type.getElementType()); }
  /// Returns the pointers after one vector, which is stored as `stored`.
  llvm::SmallVector<mlir::Value> moved(mlir::ValueRange pointers, mlir::Type stored);

  VectorBuilder &build;
  const int64_t inputs;
  const mlir::VectorType type;
  const int64_t bytes; ///< Size of a vector in bytes
  mlir::Value between; ///< Pointer to the intermediate values, [vector][row][column]
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADSWEEPS_H
