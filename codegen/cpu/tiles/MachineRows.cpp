// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/tiles/MachineRows.h"

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/cpu/tiles/IntegerProducts.h"
#include "codegen/form/ContractionForm.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "runtime/include/nacre/model_format.h"

namespace nacre::codegen::cpu {
namespace {

constexpr ProductTypes kSingles = {Number::F32, Number::F32, Number::F32};
constexpr ProductTypes kDoubles = {Number::F64, Number::F64, Number::F64};

/// Returns a machine row of f32 or f64 whose registers have `bytes` bytes.
constexpr MachineRow rowOf(const char *instruction, nacre_cpu_bit bit, const MachineModel &model,
                           const ProductTypes &types, int64_t bytes) {
  MachineRow row;
  row.model = &model;
  row.instruction = instruction;
  row.needs = NACRE_CPU_NEED(bit);
  row.types = types;
  row.lanes = bytes / bytesOf(types.sum);
  return row;
}

/// Returns a machine row without fused multiply-add. A product needs one more register before it is added.
constexpr MachineRow sseRow(const char *instructions, const ProductTypes &types) {
  MachineRow row = rowOf(instructions, NACRE_X86_64_V2, kX86V2, types, 16);
  row.spareRegisters = 2;
  row.cycles = 1;
  return row;
}

/// Returns a machine row of AVX-512. It has 32 registers; the order of instructions in the loop needs one more spare
/// register.
constexpr MachineRow avx512Row(const char *instruction, const ProductTypes &types) {
  MachineRow row = rowOf(instruction, NACRE_X86_64_V4, kX86V4, types, 64);
  row.registers = 32;
  row.spareRegisters = 2;
  row.hasHalves = true;
  row.readsBroadcasts = true;
  row.transform = 0.43;
  row.storeFilter = 1.8;
  row.waysOfRows = 10;
  row.vectorsOfSingleRow = 16;
  row.halfCycles = 2; // On AMD's cores, four times as long as for half as many lanes.
  return row;
}

/// Returns a machine row of 256 bits that has all 32 registers of AVX-512.
constexpr MachineRow avx512HalfRow() {
  MachineRow row = avx512Row("vcvtph2ps ymm, vfmadd231ps ymm", {Number::F32, Number::F16, Number::F32});
  row.lanes = 8;
  row.hasHalves = false;
  row.halfCycles = 0.5;
  row.isForSingleRows = true;
  return row;
}

/// Returns a machine row of NEON. Its cores have few ways, but rows share a set of the cache a quarter as often as on
/// x86.
constexpr MachineRow neonRow(const char *instruction, const ProductTypes &types) {
  MachineRow row = rowOf(instruction, NACRE_ARM64_NEON, kBigArm64, types, 16);
  row.registers = 32;
  row.spareRegisters = 0;
  row.highestTile = 8;
  row.multipliesByElement = true;
  row.registersPerLoad = 2;
  row.registersPerStream = 4;
  row.readsMemory = false;
  row.hasFreeCopies = false;
  row.issueCycles = 0.3;
  row.nearlyEqual = 0.004;
  row.paddingCost = 0.25;
  row.transform = 0.5;
  row.storeFilter = 0.5;
  row.addSums = 0.25;
  row.waysOfRows = 8;
  row.prefetchBytes = 0;
  row.halfCycles = 2; // fcvtl takes two operations of one of the core's pipes; shll takes one.
  return row;
}

/// Returns a machine row of Cortex-A55 and similar cores, which issue two instructions per cycle. One can be a
/// multiply-add of a whole register. The other can be a load of half a register, or the move that joins two halves.
/// Caches are small, and instructions wait for earlier loads.
constexpr MachineRow littleNeonRow(const char *instruction, const ProductTypes &types) {
  MachineRow row = neonRow(instruction, types);
  row.model = &kLittleArm64;
  row.inOrder = true;
  row.spareRegisters = 2;
  row.registersPerStream = 1;
  row.cycles = 1;
  row.latency = 4;
  row.loadCycles = 1; // Cycles to load half a register.
  row.issueCycles = 0;
  // Increments of pointers, and the wait for the first loads. They take as long for 8 x 8 sums as for 7 x 4.
  row.iterationCycles = 20;
  row.transform = 1.2;
  row.storeFilter = 1;
  row.waysOfRows = 4;
  row.halfCycles = 3;
  return row;
}

/// Turns a machine row of floats into one of bytes. A word of `types.k` bytes has the size of a lane, or twice that
/// size.
constexpr MachineRow ofWords(MachineRow row, const ProductTypes &types, MultiplyAdd multiplyAdd,
                             std::optional<nacre_cpu_bit> bit = std::nullopt) {
  if (bit)
    row.needs |= NACRE_CPU_NEED(*bit);
  row.types = types;
  row.multiplyAdd = multiplyAdd;
  row.hasHalves = false;
  row.readsBroadcasts = false;
  return row;
}

constexpr Number U = Number::U8, S = Number::S8;
constexpr ProductTypes wordsOf(Number lhs, Number rhs, int64_t k) { return {lhs, rhs, Number::S32, k}; }

/// Returns a machine row that multiplies 16-bit integers by vpmaddwd, which is exact for all bytes and signs. With
/// words of four bytes, a register has half as many columns, and two sums for each.
constexpr MachineRow ofPairs(MachineRow row, const ProductTypes &types, MultiplyAdd multiplyAdd) {
  row = ofWords(row, types, multiplyAdd);
  if (types.k == 4) {
    row.lanes /= 2;
    row.sumsOfLane = 2;
  }
  row.cycles *= 1.5;       // A product, and an addition, which more of the core's pipes can start.
  row.columnCycles = 0.25; // Columns are widened when they are loaded, once for all rows.
  return row;
}

/// Returns a machine row for tiles of a single row. Its words are widened when they are loaded, like the columns.
template <Number lhs, Number rhs> constexpr MachineRow pairsRow(MachineRow row, int64_t k) {
  row = ofPairs(row, wordsOf(lhs, rhs, k), multiplyAddByPairs<lhs == U, rhs == U>);
  row.spareRegisters += 1;
  row.isForSingleRows = true;
  return row;
}

/// Returns a machine row for rows that were widened in advance (WideRows.h), so that one load brings a word as an
/// operand.
template <Number rhs> constexpr MachineRow wideRow(MachineRow row, int64_t k) {
  row = ofPairs(row, {Number::S16, rhs, Number::S32, k}, multiplyAddWideRows<rhs == U>);
  row.spareRegisters += 1; // One register for a product.
  // The load is a separate instruction. SSE also copies the word and the product.
  row.rowCycles = row.needs == NACRE_CPU_NEED(NACRE_X86_64_V2) ? 0.5 : 0.25;
  return row;
}

/// Types of pairs of 16-bit integers, into which Winograd's transforms turn bytes.
constexpr ProductTypes kShorts = {Number::S16, Number::S16, Number::S32, 2};
constexpr MachineRow shortsRow(MachineRow row) {
  row = ofWords(row, kShorts, multiplyAddShorts);
  row.spareRegisters += 1; // One register for a product.
  row.cycles *= 1.5;
  return row;
}

/// Returns a machine row of products of 16 bits that are added up in pairs. Both instructions work on half as many
/// columns as a register has sums. A row's word is first copied to both halves.
template <Number lhs, Number rhs> constexpr MachineRow halvesRow(MachineRow row, int64_t k) {
  row = ofWords(row, wordsOf(lhs, rhs, k), multiplyAddByHalves<lhs == U, rhs == U>);
  row.lanes = 2;
  row.sumsOfLane = 2;
  row.spareRegisters += 4;
  row.registersOfVector = k / 4;
  row.rowCycles = 0.5 * double(k / 4);
  row.cycles *= 2.0 * (double(k) / 4);
  row.registersPerStream = 1;
  return row;
}

/// Like halvesRow(), but adds up two products in 16 bits first. This takes three instructions instead of four. The two
/// products belong to two steps, or to the halves of words of eight bytes.
constexpr MachineRow halvesInPairsRow(MachineRow row, int64_t k) {
  row = halvesRow<S, S>(row, k);
  row.types.pairsFit = true;
  if (k == 8)
    row.multiplyAdd = multiplyAddHalvesInPairs;
  else
    row.multiplyAddTwo = multiplyAddStepsInPairs;
  row.keepsOrder = true;
  row.cycles *= 0.75;
  return row;
}

template <Number lhs, Number rhs>
constexpr MachineRow dotRow(const char *instruction, MachineRow row, int64_t k, nacre_cpu_bit bit) {
  row = ofWords(row, wordsOf(lhs, rhs, k), multiplyAddByDots<lhs == U, rhs == U>, bit);
  row.instruction = instruction;
  if (row.inOrder) // The first words of an iteration are loaded before it begins.
    row.spareRegisters += 1;
  if (k == 8) { // Two instructions, and loads that separate the halves of the columns.
    row.cycles *= 2;
    row.spareRegisters += 2;
    row.registersOfVector = 2;
    row.registersPerStream = 1;
  }
  return row;
}

template <Number lhs, Number rhs> constexpr MachineRow matrixRow(const char *instruction) {
  MachineRow row = ofWords(neonRow(instruction, kSingles), wordsOf(lhs, rhs, 8),
                           multiplyAddByMatrices<lhs == U, rhs == U>, NACRE_ARM64_I8MM);
  row.lanes = 2;
  row.rowsOfStep = 2;
  row.spareRegisters = 2;
  row.rowCycles = 0.5;      // The words of two rows are joined.
  row.registersPerLoad = 1; // A register has half as many columns as sums.
  return row;
}

/// Returns the machine row of smlal and smlal2, which multiply a register of columns by one element. Two registers of
/// sums count as one here. `cycles` is the cost of both instructions.
constexpr MachineRow shortsByElementRow(MachineRow row, double cycles) {
  row = ofWords(row, {Number::S16, Number::S16, Number::S32, 1}, multiplyAddShortsByElement);
  row.lanes *= 2;
  row.registers /= 2;
  row.cycles = cycles;
  row.registersPerLoad = 1;
  row.registersPerStream = 1;
  return row;
}

constexpr MachineRow kSsePairs = sseRow("pmaddwd, paddd", kSingles),
                     kAvx2Pairs = rowOf("vpmaddwd ymm, vpaddd ymm", NACRE_X86_64_V3, kX86V3, kSingles, 32),
                     kAvx512Pairs = avx512Row("vpmaddwd zmm, vpaddd zmm", kSingles),
                     kNeonHalves = neonRow("smull .8h, sadalp .4s", kSingles),
                     kNeonPairs = neonRow("smull .8h, smlal .8h, sadalp .4s", kSingles),
                     kLittleHalves = littleNeonRow("smull .8h, sadalp .4s, in order", kSingles),
                     kLittlePairs = littleNeonRow("smull .8h, smlal .8h, sadalp .4s, in order", kSingles);

constexpr MachineRow kRows[] = {
    sseRow("mulps, addps", kSingles),
    sseRow("mulpd, addpd", kDoubles),
    rowOf("vfmadd231ps ymm", NACRE_X86_64_V3, kX86V3, kSingles, 32),
    rowOf("vfmadd231pd ymm", NACRE_X86_64_V3, kX86V3, kDoubles, 32),
    avx512Row("vfmadd231ps zmm", kSingles),
    avx512Row("vfmadd231pd zmm", kDoubles),
    avx512HalfRow(),
    neonRow("fmla .4s", kSingles),
    neonRow("fmla .2d", kDoubles),
    littleNeonRow("fmla .4s, in order", kSingles),
    littleNeonRow("fmla .2d, in order", kDoubles),
    pairsRow<U, U>(kSsePairs, 4),
    pairsRow<U, S>(kSsePairs, 4),
    pairsRow<S, U>(kSsePairs, 4),
    pairsRow<S, S>(kSsePairs, 4),
    pairsRow<U, U>(kAvx2Pairs, 2),
    pairsRow<U, S>(kAvx2Pairs, 2),
    pairsRow<S, U>(kAvx2Pairs, 2),
    pairsRow<S, S>(kAvx2Pairs, 2),
    pairsRow<U, U>(kAvx2Pairs, 4),
    pairsRow<U, S>(kAvx2Pairs, 4),
    pairsRow<S, U>(kAvx2Pairs, 4),
    pairsRow<S, S>(kAvx2Pairs, 4),
    pairsRow<U, U>(kAvx512Pairs, 2),
    pairsRow<U, S>(kAvx512Pairs, 2),
    pairsRow<S, U>(kAvx512Pairs, 2),
    pairsRow<S, S>(kAvx512Pairs, 2),
    pairsRow<U, U>(kAvx512Pairs, 4),
    pairsRow<U, S>(kAvx512Pairs, 4),
    pairsRow<S, U>(kAvx512Pairs, 4),
    pairsRow<S, S>(kAvx512Pairs, 4),
    wideRow<U>(kSsePairs, 4),
    wideRow<S>(kSsePairs, 4),
    wideRow<U>(kAvx2Pairs, 2),
    wideRow<S>(kAvx2Pairs, 2),
    wideRow<U>(kAvx2Pairs, 4),
    wideRow<S>(kAvx2Pairs, 4),
    wideRow<U>(kAvx512Pairs, 2),
    wideRow<S>(kAvx512Pairs, 2),
    wideRow<U>(kAvx512Pairs, 4),
    wideRow<S>(kAvx512Pairs, 4),
    ofWords(rowOf("vpdpbusd ymm", NACRE_X86_AVX_VNNI, kX86V3, kSingles, 32), wordsOf(U, S, 4), multiplyAddByVnni),
    ofWords(avx512Row("vpdpbusd zmm", kSingles), wordsOf(U, S, 4), multiplyAddByVnni, NACRE_X86_AVX512_VNNI),
    shortsRow(kSsePairs),
    shortsRow(kAvx2Pairs),
    shortsRow(kAvx512Pairs),
    ofWords(rowOf("vpdpwssd ymm", NACRE_X86_AVX_VNNI, kX86V3, kSingles, 32), kShorts, multiplyAddShortsByVnni),
    ofWords(avx512Row("vpdpwssd zmm", kSingles), kShorts, multiplyAddShortsByVnni, NACRE_X86_AVX512_VNNI),
    shortsByElementRow(neonRow("smlal .4s", kSingles), 2),
    shortsByElementRow(littleNeonRow("smlal .4s, in order", kSingles), 2),
    halvesRow<U, U>(kNeonHalves, 4),
    halvesRow<U, S>(kNeonHalves, 4),
    halvesRow<S, U>(kNeonHalves, 4),
    halvesRow<S, S>(kNeonHalves, 4),
    halvesRow<U, U>(kNeonHalves, 8),
    halvesRow<U, S>(kNeonHalves, 8),
    halvesRow<S, U>(kNeonHalves, 8),
    halvesRow<S, S>(kNeonHalves, 8),
    halvesInPairsRow(kNeonPairs, 4),
    halvesInPairsRow(kNeonPairs, 8),
    halvesRow<U, U>(kLittleHalves, 4),
    halvesRow<U, S>(kLittleHalves, 4),
    halvesRow<S, U>(kLittleHalves, 4),
    halvesRow<S, S>(kLittleHalves, 4),
    halvesInPairsRow(kLittlePairs, 4),
    dotRow<S, S>("sdot .4s", neonRow("", kSingles), 4, NACRE_ARM64_DOTPROD),
    dotRow<U, U>("udot .4s", neonRow("", kSingles), 4, NACRE_ARM64_DOTPROD),
    dotRow<U, S>("usdot .4s", neonRow("", kSingles), 4, NACRE_ARM64_I8MM),
    dotRow<S, S>("sdot .4s", neonRow("", kSingles), 8, NACRE_ARM64_DOTPROD),
    dotRow<U, U>("udot .4s", neonRow("", kSingles), 8, NACRE_ARM64_DOTPROD),
    dotRow<U, S>("usdot .4s", neonRow("", kSingles), 8, NACRE_ARM64_I8MM),
    dotRow<S, S>("sdot .4s, in order", littleNeonRow("", kSingles), 4, NACRE_ARM64_DOTPROD),
    dotRow<U, U>("udot .4s, in order", littleNeonRow("", kSingles), 4, NACRE_ARM64_DOTPROD),
    matrixRow<S, S>("smmla .4s"),
    matrixRow<U, U>("ummla .4s"),
    matrixRow<U, S>("usmmla .4s"),
};

} // namespace

mlir::Value multiplyAddFloats(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums) {
  return mlir::vector::FMAOp::create(build.ops, build.loc, lhs, rhs, sums);
}

llvm::ArrayRef<MachineRow> machineRows() { return kRows; }

bool MachineRow::multiplies(const ProductTypes &others) const {
  const bool widens = types.rhs == Number::F32 && (others.rhs == Number::F16 || others.rhs == Number::BF16);
  const bool hasRows = types.lhs == others.lhs || (readsWideRows() && bytesOf(others.lhs) == 1);
  return hasRows && (types.rhs == others.rhs || widens) && types.sum == others.sum && types.k == others.k &&
         (others.pairsFit || !types.pairsFit);
}

const MachineRow *bestRow(llvm::ArrayRef<MachineRow> rows, uint64_t has, const ProductTypes &types, bool isSingleRow,
                          bool inOrder) {
  auto products = [&](const MachineRow &row) {
    return isSingleRow ? row.productsPerCycle(types.rhs) : row.productsPerCycle();
  };
  const MachineRow *best = nullptr;
  for (const MachineRow &row : rows)
    if (row.multiplies(types) && row.inOrder == inOrder && (isSingleRow || !row.isForSingleRows) &&
        (row.needs & ~has) == 0 && (!best || products(row) > products(*best)))
      best = &row;
  return best;
}

const MachineRow &machineOf(const Target &target, const ProductTypes &types, bool isSingleRow) {
  const MachineRow *row = bestRow(machineRows(), target.needs, types, isSingleRow, target.inOrder);
  assert(row && "parseContraction lets no other types through");
  return *row;
}

ProductTypes productsOf(mlir::Type accumulator) {
  assert((accumulator.isF32() || accumulator.isF64()) && "sums are of f32 or f64");
  return accumulator.isF32() ? kSingles : kDoubles;
}

ProductTypes productsOf(mlir::Type accumulator, const std::optional<RightDecode> &right) {
  ProductTypes types = productsOf(accumulator);
  if (accumulator.isF32() && right && right->stored.isF16())
    types.rhs = Number::F16;
  if (accumulator.isF32() && right && right->stored.isBF16())
    types.rhs = Number::BF16;
  return types;
}

std::optional<ProductTypes> productsOf(const Contraction &contraction, mlir::Type columns, int64_t k) {
  if (!contraction.isOfIntegers())
    return productsOf(contraction.accumulatorType, contraction.right);
  if (columns.isInteger(16) && contraction.operands[Contraction::Lhs].elementType.isInteger(16))
    return ProductTypes{Number::S16, Number::S16, Number::S32, k};
  const mlir::Type rows = contraction.operands[Contraction::Lhs].elementType;
  if (!columns.isInteger(8) || (!rows.isInteger(8) && !rows.isInteger(16)))
    return std::nullopt;
  auto numberOf = [](bool isUnsigned) { return isUnsigned ? Number::U8 : Number::S8; };
  const Number lhs = rows.isInteger(16) ? Number::S16 : numberOf(contraction.isUnsignedLhs);
  return ProductTypes{lhs, numberOf(contraction.isUnsignedRhs), Number::S32, k, contraction.pairsFit};
}

const MachineRow &machineOf(const Target &target, const LoopedContraction &contraction, mlir::Type columns) {
  return machineOf(target, *productsOf(contraction, columns, contraction.groups.k), shapeOf(contraction).isSingleRow());
}

} // namespace nacre::codegen::cpu
