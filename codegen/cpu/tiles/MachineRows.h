// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the multiply-add instructions that tiles can use, in one row each: types, registers, costs, and a function
//        that emits the instruction.
// Why:   tables and emitters read the row, and never ask for the CPU. A new instruction needs only a new row.
// How:   bestRow() finds the row with the most products per cycle, among the rows that a CPU can run and that have the
//        contraction's types.

#ifndef NACRE_CODEGEN_CPU_TILES_MACHINEROWS_H
#define NACRE_CODEGEN_CPU_TILES_MACHINEROWS_H

#include "codegen/Target.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>

namespace mlir {
class Type;
} // namespace mlir

namespace nacre::codegen {
struct Contraction;
struct LoopedContraction;
struct RightDecode;
} // namespace nacre::codegen

namespace nacre::codegen::cpu {

/// Types of elements that machine rows distinguish.
enum class Number : uint8_t { F64, F32, F16, BF16, S32, S16, S8, U8 };

constexpr int64_t bytesOf(Number number) {
  switch (number) {
  case Number::F64:
    return 8;
  case Number::F32:
  case Number::S32:
    return 4;
  case Number::F16:
  case Number::BF16:
  case Number::S16:
    return 2;
  case Number::S8:
  case Number::U8:
    break;
  }
  return 1;
}

/// Types of the factors and of their sum. `rhs` is the type of the columns in memory. Narrower operands are converted
/// when they are loaded.
struct ProductTypes {
  Number lhs = Number::F32, rhs = Number::F32, sum = Number::F32;
  int64_t k = 1;         ///< Number of steps of the depth in a word, side by side in rows and in each column
  bool pairsFit = false; ///< True if the sum of two products of bytes fits 16 bits: -128 * -128 never occurs twice

  bool operator==(const ProductTypes &other) const {
    return lhs == other.lhs && rhs == other.rhs && sum == other.sum && k == other.k && pairsFit == other.pairsFit;
  }
};

class VectorBuilder;

/// Emits sums + lhs * rhs. `rhs` has an operand for each lane. `lhs` has an operand for each row of the instruction. If
/// the instruction has a single row, each lane of `lhs` holds the same operand.
using MultiplyAdd = mlir::Value (*)(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);
/// Operands of one step of the reduction.
struct StepFactors {
  mlir::Value lhs, rhs;
};
/// Emits sums + lhs * rhs for two steps together.
using MultiplyAddTwo = mlir::Value (*)(VectorBuilder &build, const StepFactors &first, const StepFactors &second,
                                       mlir::Value sums);
mlir::Value multiplyAddFloats(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// Instruction that computes sums[row][lane] += lhs[row] * rhs[lane] for `types.k` steps of the reduction. The values
/// of these steps are one operand, a word. Dot products of bytes take four steps, matrix products take eight.
struct MachineRow {
  const char *instruction = "";           ///< Name in assembly
  uint64_t needs = 0;                     ///< Required features, as NACRE_CPU_NEED bits
  const MachineModel *model = &kBigArm64; ///< Model of the cores for which this row is the best
  ProductTypes types;
  int64_t lanes = 1;      ///< Number of columns in a register
  int64_t rowsOfStep = 1; ///< Rows in a register of sums; matrix products of bytes have two
  int64_t sumsOfLane = 1; ///< Sums of each column, side by side in a register. They are added up at the end.
  MultiplyAdd multiplyAdd = multiplyAddFloats;
  MultiplyAddTwo multiplyAddTwo = nullptr; ///< Emits two steps together; null if that is not cheaper
  /// True if LLVM must keep the order in which the instructions of a tile are emitted. Otherwise LLVM moves additions
  /// away from their products, which are then spilled.
  bool keepsOrder = false;
  /// True for a core that issues in order. Such a core can start a load of half a register together with a
  /// multiply-add, but not a load of a whole register. Operands are loaded one step before they are multiplied.
  bool inOrder = false;

  // Limits of a tile.
  int64_t registers = 16;
  int64_t spareRegisters = 1; ///< Registers needed in addition to sums and operands
  int64_t highestTile = 14;   ///< Largest number of rows of a tile
  /// True if the instruction can multiply by one element of a register. One load then brings `lanes` elements of a row,
  /// which stay in registers for as many steps. Otherwise each element is broadcast by its load.
  bool multipliesByElement = false;
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

  // Costs in cycles, on a core for which this row is the best.
  double cycles = 0.5;  ///< Cycles between two independent instructions
  double latency = 4.5; ///< Smallest number of cycles of a step: the latency of the instruction
  /// Cycles of a load. The value is slightly larger than the load's own time, because loads delay one another more than
  /// multiply-adds do.
  double loadCycles = 0.6;
  double rowCycles = 0;    ///< Cycles of the multiplying pipes to prepare an operand from the words of rows
  double columnCycles = 0; ///< Cycles of the multiplying pipes to widen a register of columns
  /// Cycles of a load or a loop's instruction between multiply-adds, on cores that decode few instructions per cycle.
  double issueCycles = 0;
  double iterationCycles = 0; ///< Fixed cycles of one iteration of a tile's loop
  double nearlyEqual = 0.04;  ///< Fraction of the cycles that a wider panel must save to be chosen
  double paddingCost = 0;     ///< Cost of storing the zeros of a panel, relative to the cost of computing them
  /// Distance in bytes at which a tile prefetches lines of a weight that no cache holds. 0 if the hardware prefetches
  /// them. The hardware prefetcher of x86 stops at the end of a page.
  int64_t prefetchBytes = 4096;
  // Cycles to widen a register of columns from f16 or bf16.
  double halfCycles = 1, bfloatCycles = 0.5;
  /// True if the row is only for tiles of a single row. With several rows, another machine row multiplies more often
  /// for each register that it widens.
  bool isForSingleRows = false;
  /// Cycles of an instruction of Winograd's transforms, and extra cycles to store a vector of filters.
  double transform = 0.57, storeFilter = 1.4;
  /// Cycles to add a vector of sums to the sums in memory. Tiles that begin with the sums in memory only load them.
  double addSums = 1;
  /// Ways of the first-level cache that rows may fill. The others are for the panel and for prefetched lines.
  int64_t waysOfRows = 6;
  /// Vectors of columns that a tile of a single row reads together. This is the number of loads in flight.
  int64_t vectorsOfSingleRow = 8;

  double productsPerCycle() const { return double(columnsOfRegister() * types.k) / cycles; }
  /// Returns the expected time of `flops` operations in nanoseconds.
  double nanosecondsOf(double flops) const { return flops / (2 * productsPerCycle() * model->gigahertz); }
  /// Returns the products per cycle of a single row, if the columns have the type `rhs` in memory.
  double productsPerCycle(Number rhs) const { return double(lanes * types.k) / (cycles + widenCycles(rhs)); }
  double widenCycles(Number rhs) const {
    return rhs == Number::F16 ? halfCycles : rhs == Number::BF16 ? bfloatCycles : 0;
  }
  /// True if the operands may have the types `others`, converted if necessary.
  bool multiplies(const ProductTypes &others) const;
  /// True if the bytes of rows must be widened in advance, once for all columns.
  bool readsWideRows() const { return types.lhs == Number::S16 && bytesOf(types.rhs) == 1; }
  int64_t sumsOfRegister() const { return rowsOfStep * lanes * sumsOfLane; }
  /// Returns the columns of a register of sums, counted separately for each of its rows.
  int64_t columnsOfRegister() const { return rowsOfStep * lanes; }
  /// Returns the number of steps whose elements of a row fit one register.
  int64_t stepsOfRegister() const { return types.k == 1 ? lanes : registerBytes() / (types.k * bytesOf(types.lhs)); }
  /// True if a register holds sums of several rows, or several sums of a column.
  bool hasMixedSums() const { return rowsOfStep * sumsOfLane > 1; }
  int64_t registerBytes() const { return sumsOfRegister() * bytesOf(types.sum); }
  /// Returns how many elements of a row a register holds.
  int64_t numbersOfRegister() const { return registerBytes() / bytesOf(types.lhs); }
  /// Returns how many registers of sums `rows` rows take in one column of registers.
  int64_t groupsOf(int64_t rows) const { return (rows + rowsOfStep - 1) / rowsOfStep; }
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

/// Returns the types of a contraction of floats whose operands are extended to the type of the accumulator.
ProductTypes productsOf(mlir::Type accumulator);
/// Returns the types of a contraction of floats whose columns are stored as `right` says.
ProductTypes productsOf(mlir::Type accumulator, const std::optional<RightDecode> &right);
/// Returns the types of a contraction. `columns` is the type of integer columns in panels, in groups of `k` steps.
/// `nullopt` if no machine row multiplies these integers.
std::optional<ProductTypes> productsOf(const Contraction &contraction, mlir::Type columns, int64_t k);

/// Returns the machine row by which `target` computes the tiles of `contraction`. `columns` is the type of integer
/// columns in panels. The row must exist.
const MachineRow &machineOf(const Target &target, const LoopedContraction &contraction, mlir::Type columns);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_MACHINEROWS_H
