// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the multiply-add instructions that tiles can use, in one row each: the instruction's step, the geometry of its
//        tiles, and the costs of its cores and of their memory.
// Why:   tables and emitters read the row, and never ask for the CPU. A new instruction needs only a new row, which
//        states its step and the exceptions of its tiles. Everything else belongs to its core (CoreRows.h).
// How:   bestRow() finds the row with the most products per cycle, among the rows that a CPU can run and that have the
//        contraction's types.

#ifndef NACRE_CODEGEN_CPU_TILES_MACHINEROWS_H
#define NACRE_CODEGEN_CPU_TILES_MACHINEROWS_H

#include "codegen/Target.h"
#include "codegen/cpu/tiles/ProductTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace nacre::codegen {
struct LoopedContraction;
} // namespace nacre::codegen

namespace nacre::codegen::cpu {

class VectorBuilder;
struct StepFactors;

/// Emits sums + lhs * rhs. `rhs` has an operand for each lane. `lhs` has an operand for each row of the instruction. If
/// the instruction has a single row, each lane of `lhs` holds the same operand.
using MultiplyAdd = mlir::Value (*)(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);
/// Emits sums + lhs * rhs for two steps together.
using MultiplyAddTwo = mlir::Value (*)(VectorBuilder &build, const StepFactors &first, const StepFactors &second,
                                       mlir::Value sums);
mlir::Value multiplyAddFloats(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// Instruction that computes sums[row][lane] += lhs[row] * rhs[lane] for `types.k` steps of the reduction. The values
/// of these steps are one operand, a word. Dot products of bytes take four steps, matrix products take eight.
struct ProductStep {
  const char *instruction = ""; ///< Name in assembly
  uint64_t needs = 0;           ///< Required features, as NACRE_CPU_NEED bits
  ProductTypes types;
  int64_t lanes = 1;      ///< Number of columns in a register
  int64_t rows = 1;       ///< Rows in a register of sums; matrix products of bytes have two
  int64_t sumsOfLane = 1; ///< Sums of each column, side by side in a register. They are added up at the end.
  MultiplyAdd multiplyAdd = multiplyAddFloats;
  MultiplyAddTwo multiplyAddTwo = nullptr; ///< Emits two steps together; null if that is not cheaper
  /// True if LLVM must keep the order in which the instructions of a tile are emitted. Otherwise LLVM moves additions
  /// away from their products, which are then spilled.
  bool keepsOrder = false;
  /// LLVM's intrinsic of an instruction that multiplies matrices in registers of their own (MatrixTile.h). Its row is
  /// that of one row of such a register: `lanes` columns, which reach vectors through memory. Null for all others.
  const char *ofMatrices = nullptr;
  double multiplyAdds = 1; ///< Time of the step, in multiply-adds of floats
  double rowCycles = 0;    ///< Cycles of the multiplying pipes to prepare an operand from the words of rows
  double columnCycles = 0; ///< Cycles of the multiplying pipes to widen a register of columns
};

/// Registers and loads of a tile.
struct TileGeometry {
  int64_t registers = 16;
  int64_t spareRegisters = 1; ///< Registers needed in addition to sums and operands
  int64_t highestTile = 14;   ///< Largest number of rows of a tile
  /// True if the row is only for tiles of a single row. With several rows, another machine row multiplies more often
  /// for each register that it widens.
  bool isForSingleRows = false;
  /// True if the instruction can multiply by one element of a register. One load then brings `lanes` elements of a row,
  /// which stay in registers for as many steps. Otherwise each element is broadcast by its load.
  bool multipliesByElement = false;
  /// Number of registers whose elements the instruction can multiply by, if these are not all. Sums then take only the
  /// other registers. Otherwise LLVM copies or spills elements. 0 if there is no limit.
  int64_t registersOfElements = 0;
  /// True if the instruction also exists for half as many lanes. It takes the same number of cycles, or half on some
  /// cores.
  bool hasHalves = false;
  int64_t registersPerLoad = 1;  ///< Registers of columns that one load can fill
  int64_t registersOfVector = 1; ///< Registers that a vector of columns takes; two if words of eight bytes are divided
  /// Registers of columns that one load can fill if it also advances its address. This requires a tile as wide as its
  /// panel, whose steps lie one after another.
  int64_t registersPerStream = 1;
  /// True if an operand may be in memory. Otherwise the operand takes a register, as an input of an epilogue does.
  bool readsMemory = true;
  bool readsBroadcasts = false; ///< True if an operand in memory may be one element that is broadcast to all lanes
  /// True if the machine copies a register at no cost when a multiply-add would overwrite a value that is needed again.
  bool hasFreeCopies = true;
};

/// Costs of a core's instructions in cycles, on a core for which the row is the best.
struct CoreCosts {
  const MachineModel *model = &kBigArm64; ///< Model of these cores
  /// True for a core that issues in order. Such a core can start a load of half a register together with a
  /// multiply-add, but not a load of a whole register. Operands are loaded one step before they are multiplied.
  bool inOrder = false;
  double multiplyAdd = 0.5; ///< Cycles between two independent multiply-adds of floats
  double latency = 4.5;     ///< Smallest number of cycles of a step: the latency of a multiply-add
  /// Cycles of a load or a loop's instruction between multiply-adds, on cores that decode few instructions per cycle.
  double issue = 0;
  double iteration = 0; ///< Fixed cycles of one iteration of a tile's loop
  // Cycles to widen a register of columns from f16 or bf16.
  double widenHalf = 1, widenBfloat = 0.5;
  double transform = 0.57;   ///< Cycles of an instruction of Winograd's transforms
  double nearlyEqual = 0.04; ///< Fraction of the cycles that a wider panel must save to be chosen
};

/// Costs of loads and stores, and the room for a tile in the caches.
struct MemoryCosts {
  /// Cycles of a load. The value is slightly larger than the load's own time, because loads delay one another more than
  /// multiply-adds do.
  double load = 0.6;
  double storeFilter = 1.4; ///< Extra cycles to store a vector of Winograd's transformed filters
  /// Cycles to add a vector of sums to the sums in memory. Tiles that begin with the sums in memory only load them.
  double addSums = 1;
  double padding = 0; ///< Cost of storing the zeros of a panel, relative to the cost of computing them
  /// Distance in bytes at which a tile prefetches lines of a weight that no cache holds. 0 if the hardware prefetches
  /// them. The hardware prefetcher of x86 stops at the end of a page.
  int64_t prefetchBytes = 4096;
  /// Ways of the first-level cache that rows may fill. The others are for the panel and for prefetched lines.
  int64_t waysOfRows = 6;
  /// Vectors of columns that a tile of a single row reads together. This is the number of loads in flight.
  int64_t vectorsOfSingleRow = 8;
};

/// A multiply-add instruction, the tiles that it forms, and their costs.
struct MachineRow {
  ProductStep step;
  TileGeometry geometry;
  CoreCosts costs;
  MemoryCosts memory;

  /// Returns the cycles between two independent steps.
  double stepCycles() const { return step.multiplyAdds * costs.multiplyAdd; }
  double productsPerCycle() const { return double(columnsOfRegister() * step.types.k) / stepCycles(); }
  /// Returns the expected time of `flops` operations in nanoseconds.
  double nanosecondsOf(double flops) const { return flops / (2 * productsPerCycle() * costs.model->gigahertz); }
  /// Returns the products per cycle of a single row, if the columns have the type `rhs` in memory.
  double productsPerCycle(Number rhs) const {
    return double(step.lanes * step.types.k) / (stepCycles() + widenCycles(rhs));
  }
  double widenCycles(Number rhs) const {
    if (step.types.lhs == rhs) // Halves and words are multiplied as they are stored.
      return 0;
    return rhs == Number::F16 ? costs.widenHalf : rhs == Number::BF16 ? costs.widenBfloat : 0;
  }
  /// True if the operands may have the types `others`, converted if necessary.
  bool multiplies(const ProductTypes &others) const;
  bool isOfMatrices() const { return step.ofMatrices != nullptr; }
  /// True if the bytes of rows must be widened in advance, once for all columns.
  bool readsWideRows() const { return step.types.lhs == Number::S16 && bytesOf(step.types.rhs) == 1; }
  int64_t sumsOfRegister() const { return step.rows * step.lanes * step.sumsOfLane; }
  /// Returns the columns of a register of sums, counted separately for each of its rows.
  int64_t columnsOfRegister() const { return step.rows * step.lanes; }
  /// Returns the number of steps whose elements of a row fit one register.
  int64_t stepsOfRegister() const {
    return step.types.k == 1 ? step.lanes : registerBytes() / (step.types.k * bytesOf(step.types.lhs));
  }
  /// True if a register holds sums of several rows, or several sums of a column.
  bool hasMixedSums() const { return step.rows * step.sumsOfLane > 1; }
  /// True if registers have sums of the factors' type, which are added to sums of `types.sum` in memory.
  bool hasShortSums() const { return step.types.shortSums > 0; }
  int64_t registerBytes() const { return sumsOfRegister() * bytesOf(step.types.inRegisters()); }
  /// Returns how many elements of a row a register holds.
  int64_t numbersOfRegister() const { return registerBytes() / bytesOf(step.types.lhs); }
  /// Returns how many registers of sums `rows` rows take in one column of registers.
  int64_t groupsOf(int64_t rows) const { return (rows + step.rows - 1) / step.rows; }
};

/// Returns all machine rows.
llvm::ArrayRef<MachineRow> machineRows();

/// Returns the row for `types` with the most products per cycle, or null. The CPU has the features `has`
/// (NACRE_CPU_NEED bits). `isSingleRow`: columns are read for one row only. `inOrder`: the CPU issues in order.
const MachineRow *bestRow(llvm::ArrayRef<MachineRow> rows, uint64_t has, const ProductTypes &types,
                          bool isSingleRow = false, bool inOrder = false);

/// Returns the machine row by which `target` multiplies operands of `types`. The row must exist; f32 and f64 have one
/// on every base architecture.
const MachineRow &machineOf(const Target &target, const ProductTypes &types, bool isSingleRow = false);

/// Returns the machine row by which `target` computes the tiles of `contraction`. `columns` is the type of columns in
/// panels, and `width` their number; 0 if the row decides about it. The row must exist. If the contraction does not
/// suit matrices, the row multiplies vectors.
const MachineRow &machineOf(const Target &target, const LoopedContraction &contraction, mlir::Type columns,
                            int64_t width);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_MACHINEROWS_H
