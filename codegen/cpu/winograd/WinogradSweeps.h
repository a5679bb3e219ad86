// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  Winograd's transforms along both dimensions as two sweeps over a tile, with memory between them.
// Why:   where one instruction loads or stores two registers, a number that waits in memory costs half an instruction each way;
//        all of a tile's do not stay in registers, and would be loaded again for each group of rows that does. A sweep is a
//        loop, so that its code is one line of the tile's.
// How:   two registers of channels, or of columns, at a time: first down each column of the tile, then across each row of what
//        that left. Whatever is read and written has a pointer of its own, which loads and stores move on.

#ifndef NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADSWEEPS_H
#define NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADSWEEPS_H

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/cpu/contraction/MachineRows.h"
#include "codegen/form/Winograd.h"

namespace nacre::codegen::cpu {

class WinogradSweeps {
public:
  /// Of a vector of two registers, as it lies in memory.
  using Transform = llvm::function_ref<llvm::SmallVector<Term>(llvm::ArrayRef<Term>)>;
  /// Where the first vector of a tile's number lies.
  using PointerOf = llvm::function_ref<mlir::Value(int64_t row, int64_t column)>;
  using PointerOfRow = llvm::function_ref<mlir::Value(int64_t row, Position column)>;
  /// Gets the numbers of a row, and values that go through the loop; returns these for the next vector, the first of whose
  /// elements is so far from the first of all.
  using Take = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange carried, Position element,
                                                                 llvm::ArrayRef<Term> numbers)>;

  /// Most elements, of channels or columns, that sweeps take at a time: what is between them stays in the first-level cache.
  static constexpr int64_t mostElements = 64;

  /// Whether the machine gains by it.
  static bool suit(const MachineRow &machine) { return machine.registersPerLoad > 1; }
  /// Whether filters go by them, too: a larger one has more numbers than there are pointers.
  static bool takesFilters(const MachineRow &machine, const winograd::Method &method) {
    return suit(machine) && method.taps == 3;
  }
  static int64_t vectorLanes(const MachineRow &machine) { return 2 * machine.lanes; }
  /// Elements of scratch, for tiles of `inputs` numbers along each dimension.
  static int64_t scratchOf(int64_t inputs) { return inputs * inputs * mostElements; }

  WinogradSweeps(VectorBuilder &build, const MachineRow &machine, int64_t inputs, mlir::Type element,
                 mlir::Value between);

  /// Down each column, of which `rows` numbers are left, for so many vectors.
  void down(mlir::Value vectors, int64_t rows, PointerOfRow from, Transform transform);
  /// Across that row of what is left.
  void across(mlir::Value vectors, int64_t rows, Position row, Transform transform, mlir::ValueRange carried,
              Take take);
  /// Across each, to so many pointers' places.
  void acrossTo(mlir::Value vectors, int64_t rows, Transform transform, PointerOfRow to);

  /// Both dimensions of a filter of three taps at once: they are few.
  void filters(mlir::Value vectors, winograd::Pairs pairs, PointerOf from, PointerOf to);

private:
  Term load(mlir::Value pointer) { return {&build, build.loadAt(pointer, type)}; }
  void store(llvm::ArrayRef<Term> numbers, mlir::ValueRange to);
  void overVectors(mlir::Value vectors, mlir::ValueRange carried, VectorBuilder::Body body);
  llvm::SmallVector<mlir::Value> moved(mlir::ValueRange pointers);

  VectorBuilder &build;
  const int64_t inputs;
  const mlir::VectorType type;
  const int64_t bytes; ///< Of a vector.
  mlir::Value between; ///< A pointer: [vector][row][column].
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_WINOGRAD_WINOGRADSWEEPS_H
