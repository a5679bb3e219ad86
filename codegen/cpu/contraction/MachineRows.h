// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the multiply-add instructions that register tiles are made of, one row each: types, geometry, registers, cycles, and how to
//        emit one.
// Why:   tables and emitters ask the row and never which CPU it is, so a new instruction is a new row and nothing else.
// How:   of the rows whose types are a contraction's, a CPU takes the one with the most products a cycle among those
//        that it has.

#ifndef NACRE_CODEGEN_CPU_CONTRACTION_MACHINEROWS_H
#define NACRE_CODEGEN_CPU_CONTRACTION_MACHINEROWS_H

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

/// Elements as instructions know them.
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

/// What is multiplied, and what it is added to. Narrower operands are converted when they are loaded; of columns the type is
/// what they lie in memory as.
struct ProductTypes {
  Number lhs = Number::F32, rhs = Number::F32, sum = Number::F32;
  int64_t k = 1;         ///< Steps of the depth that lie side by side, of rows and of each column.
  bool pairsFit = false; ///< Two products of bytes add up to a number of 16 bits: not -128 * -128 twice.

  bool operator==(const ProductTypes &other) const {
    return lhs == other.lhs && rhs == other.rhs && sum == other.sum && k == other.k && pairsFit == other.pairsFit;
  }
};

class VectorBuilder;

/// Emits sums + lhs * rhs. `rhs` has an operand for each lane, and `lhs` one for each row of the instruction, or, where that has a
/// single row, the same for each lane.
using MultiplyAdd = mlir::Value (*)(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);
/// Emits sums + lhs * rhs of two steps at once.
struct StepFactors {
  mlir::Value lhs, rhs;
};
using MultiplyAddTwo = mlir::Value (*)(VectorBuilder &build, const StepFactors &first, const StepFactors &second,
                                       mlir::Value sums);
mlir::Value multiplyAddFloats(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums);

/// sums[row][lane] += lhs[row] * rhs[lane], for `types.k` steps of the reduction, which lie together as one operand: a word. Dot products
/// of bytes take four, matrix products eight.
struct MachineRow {
  const char *instruction = "";           ///< As an assembler calls it.
  uint64_t needs = 0;                     ///< NACRE_CPU_NEED bits.
  const MachineModel *model = &kBigArm64; ///< Of the cores that it is the best row of.
  ProductTypes types;
  int64_t lanes = 1;      ///< Columns of a register.
  int64_t rowsOfStep = 1; ///< Rows of a register of sums; matrix products of bytes have two.
  int64_t sumsOfLane = 1; ///< Of a column, side by side in a register; they are added up in the end.
  MultiplyAdd multiplyAdd = multiplyAddFloats;
  MultiplyAddTwo multiplyAddTwo = nullptr; ///< Where two steps take less together.
  /// Its tiles are to be computed in the order in which they are written: LLVM moves additions away from the products that they are of,
  /// which then wait in memory.
  bool keepsOrder = false;
  /// Of a core that issues in order. Beside a multiply-add it starts a load of half a register, but none of a whole one; what
  /// is multiplied is on its way a step before.
  bool inOrder = false;

  // What a tile may hold.
  int64_t registers = 16;
  int64_t spareRegisters = 1; ///< Beside sums and operands.
  int64_t highestTile = 14;   ///< Rows, at most.
  /// It multiplies by an element of a register: a row's elements are loaded `lanes` at once and stay for as many steps.
  /// Otherwise they are broadcast as they are loaded, or stay and the columns pass.
  bool multipliesByElement = false;
  /// Of half as many lanes it takes no more cycles, on some cores half as many.
  bool hasHalves = false;
  int64_t registersPerLoad = 1;  ///< Of columns.
  int64_t registersOfVector = 1; ///< Of columns: words of eight bytes are taken apart.
  /// Of columns, in a load that moves its address on: of tiles as wide as their panel, whose steps lie one after another.
  int64_t registersPerStream = 1;
  bool readsMemory = true; ///< Its operands may be there. Else each waits in a register, what an epilogue uses too.
  bool readsBroadcasts = false; ///< An operand in memory may be one element, for all lanes.
  /// A register is copied at no cost where a multiply-add would overwrite what is needed again.
  bool hasFreeCopies = true;

  // What it costs: cycles of a core on which it is the best row.
  double cycles = 0.5;     ///< From one to the next that does not wait for it.
  double latency = 4.5;    ///< Of a step: what no tile is faster than.
  double loadCycles = 0.6; ///< A little more than a load takes: they wait for one another more than multiply-adds do.
  double rowCycles = 0;    ///< Of the pipes that multiply, to make an operand of a row's words, or of several rows'.
  double columnCycles = 0; ///< The same, of a register of columns: to widen them.
  double issueCycles = 0; ///< Of a load or a loop's instruction beside multiply-adds: where few are decoded in a cycle.
  double iterationCycles = 0; ///< An iteration of a tile's loop takes them even if it multiplies nothing.
  double nearlyEqual = 0.04;  ///< A wider panel must save more than this part of the cycles.
  double paddingCost = 0;     ///< Of a panel's zeros, in parts of what it costs to compute them: they are stored.
  /// How far ahead of a weight that no cache holds lines are asked for; 0: not at all, because the hardware does. That of x86
  /// ends with a page.
  int64_t prefetchBytes = 4096;
  // To widen a register of columns that lie in memory as f16 or bf16.
  double halfCycles = 1, bfloatCycles = 0.5;
  /// A tile of more rows has a better row, which multiplies more for each register that it widens.
  bool isForSingleRows = false;
  /// Of Winograd's transforms, an instruction; and what a vector of filters takes besides, on its way to the cache that they
  /// are read from.
  double transform = 0.57, storeFilter = 1.4;
  /// Cycles to add a vector of sums to the sums that wait in memory. Tiles that begin with these sums only load them.
  double addSums = 1;
  /// Of the first-level cache: two are left to the panel and to what is prefetched.
  int64_t waysOfRows = 6;
  /// Vectors of columns that a single row reads at a time: so many loads are in flight.
  int64_t vectorsOfSingleRow = 8;

  double productsPerCycle() const { return double(columnsOfRegister() * types.k) / cycles; }
  /// What a unit of products is expected to take.
  double nanosecondsOf(double flops) const { return flops / (2 * productsPerCycle() * model->gigahertz); }
  /// Of a single row, whose columns lie in memory as `rhs`.
  double productsPerCycle(Number rhs) const { return double(lanes * types.k) / (cycles + widenCycles(rhs)); }
  double widenCycles(Number rhs) const {
    return rhs == Number::F16 ? halfCycles : rhs == Number::BF16 ? bfloatCycles : 0;
  }
  /// Whether its operands may be these, some converted.
  bool multiplies(const ProductTypes &others) const;
  /// Whether bytes of rows are to be widened before, once for all columns.
  bool readsWideRows() const { return types.lhs == Number::S16 && bytesOf(types.rhs) == 1; }
  int64_t sumsOfRegister() const { return rowsOfStep * lanes * sumsOfLane; }
  /// Columns of a register of sums, counted for each of its rows.
  int64_t columnsOfRegister() const { return rowsOfStep * lanes; }
  /// Steps of the reduction that one register of a row's elements holds.
  int64_t stepsOfRegister() const { return types.k == 1 ? lanes : registerBytes() / (types.k * bytesOf(types.lhs)); }
  /// Whether a register has other sums than one row's, column by column.
  bool hasMixedSums() const { return rowsOfStep * sumsOfLane > 1; }
  int64_t registerBytes() const { return sumsOfRegister() * bytesOf(types.sum); }
  /// Numbers that a register of one operand holds.
  int64_t numbersOfRegister() const { return registerBytes() / bytesOf(types.lhs); }
  /// Registers of sums, one below the other, that so many rows take.
  int64_t groupsOf(int64_t rows) const { return (rows + rowsOfStep - 1) / rowsOfStep; }
};

/// All there are.
llvm::ArrayRef<MachineRow> machineRows();

/// The row of `types` with the most products a cycle among those that a CPU with the features `has`, NACRE_CPU_NEED
/// bits, can run; null where there is none. `isSingleRow`: columns are read for one row alone. `inOrder`: it issues so.
const MachineRow *bestRow(llvm::ArrayRef<MachineRow> rows, uint64_t has, const ProductTypes &types,
                          bool isSingleRow = false, bool inOrder = false);

/// The row that `target` computes a contraction with. There must be one: every base architecture has f32 and f64.
const MachineRow &machineOf(const Target &target, const ProductTypes &types, bool isSingleRow = false);

/// Of a contraction of floats, whose operands are extended to the accumulator's type.
ProductTypes productsOf(mlir::Type accumulator);
/// The same where the operand of the columns lies in memory as `columns`.
ProductTypes productsOf(mlir::Type accumulator, mlir::Type columns);
/// Of any contraction, with columns of that type in panels, in groups of `k` steps. None for integers that no row multiplies.
std::optional<ProductTypes> productsOf(const Contraction &contraction, mlir::Type columns, int64_t k);

/// The row that `target` computes the tiles of `contraction` with, by panels of `columns`. There must be one.
const MachineRow &machineOf(const Target &target, const LoopedContraction &contraction, mlir::Type columns);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_CONTRACTION_MACHINEROWS_H
