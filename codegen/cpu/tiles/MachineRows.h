// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the multiply-add instructions of register tiles, one row each: types, geometry, registers, cycles, and the
//        function that emits one.
// Why:   tables and emitters ask the row, and never which CPU it is, so that a new instruction needs only a new row.
// How:   among the rows for a contraction's types that a CPU can run, the one with the most products per cycle is used.

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
} // namespace nacre::codegen

namespace nacre::codegen::cpu {

/// Types of elements that instructions distinguish.
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

/// Types of the factors and of their sum. Narrower operands are converted when they are loaded. `rhs` is the type of
/// the columns in memory.
struct ProductTypes {
  Number lhs = Number::F32, rhs = Number::F32, sum = Number::F32;
  int64_t k = 1;         ///< Number of steps of the depth that lie side by side, in rows and in each column
  bool pairsFit = false; ///< True if the sum of two products of bytes fits 16 bits: never -128 * -128 twice

  bool operator==(const ProductTypes &other) const {
    return lhs == other.lhs && rhs == other.rhs && sum == other.sum && k == other.k && pairsFit == other.pairsFit;
  }
};

class VectorBuilder;

/// Emits sums + lhs * rhs. `rhs` has an operand for each lane. `lhs` has one for each row of the instruction; if the
/// instruction has a single row, each lane holds the same operand.
using MultiplyAdd = mlir::Value (*)(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);
/// Operands of one step of the reduction.
struct StepFactors {
  mlir::Value lhs, rhs;
};
/// Emits sums + lhs * rhs of two steps at once.
using MultiplyAddTwo = mlir::Value (*)(VectorBuilder &build, const StepFactors &first, const StepFactors &second,
                                       mlir::Value sums);
mlir::Value multiplyAddFloats(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// An instruction that computes sums[row][lane] += lhs[row] * rhs[lane] for `types.k` steps of the reduction. The
/// values of these steps lie together as one operand, a word. Dot products of bytes take four steps, matrix products
/// eight.
struct MachineRow {
  const char *instruction = "";           ///< Name, as an assembler spells it
  uint64_t needs = 0;                     ///< NACRE_CPU_NEED bits
  const MachineModel *model = &kBigArm64; ///< Model of the cores that this is the best row for
  ProductTypes types;
  int64_t lanes = 1;      ///< Columns of a register
  int64_t rowsOfStep = 1; ///< Rows of a register of sums; matrix products of bytes have two
  int64_t sumsOfLane = 1; ///< Sums of one column side by side in a register; they are added up at the end
  MultiplyAdd multiplyAdd = multiplyAddFloats;
  MultiplyAddTwo multiplyAddTwo = nullptr; ///< Emits two steps at once; null unless that is cheaper
  /// True if LLVM must keep the instructions of its tiles in the order in which they are emitted. Otherwise LLVM moves
  /// additions away from their products, which are then spilled.
  bool keepsOrder = false;
  /// True for a core that issues in order. It can start a load of half a register together with a multiply-add, but not
  /// a load of a whole one. Operands are loaded one step before they are multiplied.
  bool inOrder = false;

  // Limits of a tile.
  int64_t registers = 16;
  int64_t spareRegisters = 1; ///< Registers in addition to sums and operands
  int64_t highestTile = 14;   ///< Largest number of rows
  /// True if it multiplies by an element of a register. A row's elements are then loaded `lanes` at once and stay in
  /// registers for as many steps. Otherwise each element is broadcast by its load, or stays while the columns pass.
  bool multipliesByElement = false;
  /// True if it also exists for half as many lanes, which takes no more cycles, on some cores half of them.
  bool hasHalves = false;
  int64_t registersPerLoad = 1;  ///< Registers of columns that one load fills
  int64_t registersOfVector = 1; ///< Registers of columns for one vector; two if words of eight bytes are divided
  /// Registers of columns that a load fills and then moves its address on. Needs a tile as wide as its panel, whose
  /// steps lie one after another.
  int64_t registersPerStream = 1;
  /// True if an operand may be in memory. Else it takes a register, as an epilogue's inputs do.
  bool readsMemory = true;
  bool readsBroadcasts = false; ///< True if an operand in memory may be one element for all lanes
  /// True if a register is copied at no cost when a multiply-add would overwrite a value that is needed again.
  bool hasFreeCopies = true;

  // Costs, in cycles of a core on which it is the best row.
  double cycles = 0.5;  ///< Cycles between two instructions that do not depend on each other
  double latency = 4.5; ///< Cycles of a step; no tile is faster
  /// Slightly more than a load takes, because loads wait for one another more than multiply-adds do.
  double loadCycles = 0.6;
  double rowCycles = 0;    ///< Cycles of the multiplying pipes to make an operand from the words of one or more rows
  double columnCycles = 0; ///< Cycles of the same pipes to widen a register of columns
  /// Cycles of a load or a loop's instruction between multiply-adds, if few are decoded in a cycle.
  double issueCycles = 0;
  double iterationCycles = 0; ///< Fixed cycles of one iteration of a tile's loop
  double nearlyEqual = 0.04;  ///< Part of the cycles that a wider panel must save
  double paddingCost = 0;     ///< Cost of storing a panel's zeros, as a part of the cost of computing them
  /// Distance in bytes at which lines of a weight that no cache holds are prefetched. 0 if the hardware does it; the
  /// prefetcher of x86 stops at the end of a page.
  int64_t prefetchBytes = 4096;
  // Cycles to widen a register of columns from f16 or bf16.
  double halfCycles = 1, bfloatCycles = 0.5;
  /// True if another row is better for tiles of several rows, because it multiplies more often for each register that
  /// it widens.
  bool isForSingleRows = false;
  /// Cycles of an instruction of Winograd's transforms, and extra cycles to store a vector of filters in the cache.
  double transform = 0.57, storeFilter = 1.4;
  /// Cycles to add a vector of sums to the sums in memory. Tiles that begin with these sums only load them.
  double addSums = 1;
  /// Ways of the first-level cache that rows may fill. Two are left to the panel and to prefetched lines.
  int64_t waysOfRows = 6;
  /// Vectors of columns that a single row reads at a time, which is the number of loads in flight.
  int64_t vectorsOfSingleRow = 8;

  double productsPerCycle() const { return double(columnsOfRegister() * types.k) / cycles; }
  /// Returns the expected time of a unit of products.
  double nanosecondsOf(double flops) const { return flops / (2 * productsPerCycle() * model->gigahertz); }
  /// The same for a single row, whose columns have the type `rhs` in memory.
  double productsPerCycle(Number rhs) const { return double(lanes * types.k) / (cycles + widenCycles(rhs)); }
  double widenCycles(Number rhs) const {
    return rhs == Number::F16 ? halfCycles : rhs == Number::BF16 ? bfloatCycles : 0;
  }
  /// True if its operands may have these types, converted if necessary.
  bool multiplies(const ProductTypes &others) const;
  /// True if bytes of rows must be widened in advance, once for all columns.
  bool readsWideRows() const { return types.lhs == Number::S16 && bytesOf(types.rhs) == 1; }
  int64_t sumsOfRegister() const { return rowsOfStep * lanes * sumsOfLane; }
  /// Returns the columns of a register of sums, counted for each of its rows.
  int64_t columnsOfRegister() const { return rowsOfStep * lanes; }
  /// Returns the number of steps that one register of a row's elements holds.
  int64_t stepsOfRegister() const { return types.k == 1 ? lanes : registerBytes() / (types.k * bytesOf(types.lhs)); }
  /// True if a register holds sums of several rows, or several sums of a column.
  bool hasMixedSums() const { return rowsOfStep * sumsOfLane > 1; }
  int64_t registerBytes() const { return sumsOfRegister() * bytesOf(types.sum); }
  /// Returns how many numbers a register of one operand holds.
  int64_t numbersOfRegister() const { return registerBytes() / bytesOf(types.lhs); }
  /// Returns how many registers of sums, one below the other, `rows` rows take.
  int64_t groupsOf(int64_t rows) const { return (rows + rowsOfStep - 1) / rowsOfStep; }
};

/// Returns all rows.
llvm::ArrayRef<MachineRow> machineRows();

/// Returns the row for `types` with the most products per cycle that a CPU with the features `has` (NACRE_CPU_NEED
/// bits) can run. Null if there is no such row. `isSingleRow`: columns are read for one row only. `inOrder`: the CPU
/// issues in order.
const MachineRow *bestRow(llvm::ArrayRef<MachineRow> rows, uint64_t has, const ProductTypes &types,
                          bool isSingleRow = false, bool inOrder = false);

/// Returns the row that `target` computes a contraction with. It must exist: every base architecture has f32 and f64.
const MachineRow &machineOf(const Target &target, const ProductTypes &types, bool isSingleRow = false);

/// Returns the types of a contraction of floats, whose operands are extended to the accumulator's type.
ProductTypes productsOf(mlir::Type accumulator);
/// The same if the columns have the type `columns` in memory.
ProductTypes productsOf(mlir::Type accumulator, mlir::Type columns);
/// Returns the types of any contraction with columns of type `columns` in panels, in groups of `k` steps. `nullopt` for
/// integers that no row multiplies.
std::optional<ProductTypes> productsOf(const Contraction &contraction, mlir::Type columns, int64_t k);

/// Returns the row that `target` computes the tiles of `contraction` with, from panels of type `columns`. It must
/// exist.
const MachineRow &machineOf(const Target &target, const LoopedContraction &contraction, mlir::Type columns);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_MACHINEROWS_H
