// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. functions that turn a core's instruction into a step of words, for each way to multiply bytes;
//        2. the table of their rows, by core.

#include "codegen/cpu/tiles/IntegerRows.h"

#include "codegen/cpu/bytes/IntegerProducts.h"
#include "codegen/cpu/tiles/CoreRows.h"
#include <optional>

namespace nacre::codegen::cpu {
namespace {

//===----------------------------------------------------------------------===//
// 1. Ways to multiply bytes
//===----------------------------------------------------------------------===//

constexpr Number u8 = Number::U8, s8 = Number::S8;
constexpr ProductTypes wordsOf(Number lhs, Number rhs, int64_t k) { return {lhs, rhs, Number::S32, k}; }

/// Returns the row of `instruction` with as many lanes as sums of 32 bits. A word of `types.k` bytes has the size of a
/// lane, or twice that size.
constexpr MachineRow ofWords(const Core &core, const char *instruction, const ProductTypes &types,
                             MultiplyAdd multiplyAdd, std::optional<nacre_cpu_bit> bit = std::nullopt) {
  MachineRow row = rowOf(core, instruction, types);
  if (bit)
    row.step.needs |= NACRE_CPU_NEED(*bit);
  row.step.multiplyAdd = multiplyAdd;
  row.geometry.hasHalves = false;
  row.geometry.readsBroadcasts = false;
  return row;
}

/// Returns a row of AVX-VNNI. Its feature implies that of the core.
constexpr MachineRow avxVnniRow(const char *instruction, const ProductTypes &types, MultiplyAdd multiplyAdd) {
  MachineRow row = ofWords(kAvx2Core, instruction, types, multiplyAdd);
  row.step.needs = NACRE_CPU_NEED(NACRE_X86_AVX_VNNI);
  return row;
}

constexpr const char *pairsOf(const Core &core) {
  switch (core.bit) {
  case NACRE_X86_64_V4:
    return "vpmaddwd zmm, vpaddd zmm";
  case NACRE_X86_64_V3:
    return "vpmaddwd ymm, vpaddd ymm";
  default:
    return "pmaddwd, paddd";
  }
}

/// Returns a row that multiplies 16-bit integers by vpmaddwd, which is exact for all bytes and signs. With words of
/// four bytes, a register has half as many columns, and two sums for each.
constexpr MachineRow ofPairs(const Core &core, const ProductTypes &types, MultiplyAdd multiplyAdd) {
  MachineRow row = ofWords(core, pairsOf(core), types, multiplyAdd);
  if (types.k == 4) {
    row.step.lanes /= 2;
    row.step.sumsOfLane = 2;
  }
  row.step.multiplyAdds = 1.5; // A product, and an addition, which more of the core's pipes can start.
  row.geometry.spareRegisters += 1;
  return row;
}

/// Returns a row for tiles of a single row. Its words are widened when they are loaded, like the columns.
template <Number lhs, Number rhs> constexpr MachineRow pairsRow(const Core &core, int64_t k) {
  MachineRow row = ofPairs(core, wordsOf(lhs, rhs, k), multiplyAddByPairs<lhs == u8, rhs == u8>);
  row.step.columnCycles = 0.25; // Columns are widened when they are loaded, once for all rows.
  row.geometry.isForSingleRows = true;
  return row;
}

/// Returns a row for rows that were widened in advance (WideRows.h), so that one load brings a word as an operand.
template <Number rhs> constexpr MachineRow wideRow(const Core &core, int64_t k) {
  MachineRow row = ofPairs(core, {Number::S16, rhs, Number::S32, k}, multiplyAddWideRows<rhs == u8>);
  row.step.columnCycles = 0.25;
  // The load is a separate instruction. SSE also copies the word and the product.
  row.step.rowCycles = core.bit == NACRE_X86_64_V2 ? 0.5 : 0.25;
  return row;
}

/// Types of pairs of 16-bit integers, into which Winograd's transforms turn bytes.
constexpr ProductTypes kShorts = {Number::S16, Number::S16, Number::S32, 2};
constexpr MachineRow shortsRow(const Core &core) { return ofPairs(core, kShorts, multiplyAddShorts); }

/// Returns a row of products of 16 bits that are added up in pairs. Both instructions work on half as many columns as a
/// register has sums. A row's word is first copied to both halves.
template <Number lhs, Number rhs>
constexpr MachineRow halvesRow(const Core &core, int64_t k, const char *instruction = nullptr) {
  if (!instruction)
    instruction = core.costs.inOrder ? "smull .8h, sadalp .4s, in order" : "smull .8h, sadalp .4s";
  MachineRow row = ofWords(core, instruction, wordsOf(lhs, rhs, k), multiplyAddByHalves<lhs == u8, rhs == u8>);
  row.step.lanes = 2;
  row.step.sumsOfLane = 2;
  row.step.rowCycles = 0.5 * (double(k) / 4);
  row.step.multiplyAdds = 2.0 * (double(k) / 4);
  row.geometry.spareRegisters += 4;
  row.geometry.registersOfVector = k / 4;
  row.geometry.registersPerStream = 1;
  return row;
}

/// Like halvesRow(), but adds up two products in 16 bits first. This takes three instructions instead of four. The two
/// products belong to two steps, or to the halves of words of eight bytes.
constexpr MachineRow halvesInPairsRow(const Core &core, int64_t k, const char *instruction) {
  MachineRow row = halvesRow<s8, s8>(core, k, instruction);
  row.step.types.pairsFit = true;
  if (k == 8)
    row.step.multiplyAdd = multiplyAddHalvesInPairs;
  else
    row.step.multiplyAddTwo = multiplyAddStepsInPairs;
  row.step.keepsOrder = true;
  row.step.multiplyAdds *= 0.75;
  return row;
}

template <Number lhs, Number rhs>
constexpr MachineRow dotRow(const Core &core, const char *instruction, int64_t k, nacre_cpu_bit bit) {
  MachineRow row = ofWords(core, instruction, wordsOf(lhs, rhs, k), multiplyAddByDots<lhs == u8, rhs == u8>, bit);
  if (core.costs.inOrder) // The first words of an iteration are loaded before it begins.
    row.geometry.spareRegisters += 1;
  if (k == 8) { // Two instructions, and loads that separate the halves of the columns.
    row.step.multiplyAdds = 2;
    row.geometry.spareRegisters += 2;
    row.geometry.registersOfVector = 2;
    row.geometry.registersPerStream = 1;
  }
  return row;
}

template <Number lhs, Number rhs> constexpr MachineRow matrixRow(const char *instruction) {
  MachineRow row = ofWords(kBigNeonCore, instruction, wordsOf(lhs, rhs, 8), multiplyAddByMatrices<lhs == u8, rhs == u8>,
                           NACRE_ARM64_I8MM);
  row.step.lanes = 2;
  row.step.rows = 2;
  row.step.rowCycles = 0.5; // The words of two rows are joined.
  row.geometry.spareRegisters = 2;
  row.geometry.registersPerLoad = 1; // A register has half as many columns as sums.
  return row;
}

/// Returns the row of smlal and smlal2, which multiply a register of columns by one element. Two registers of sums
/// count as one here. Both instructions together take two cycles.
constexpr MachineRow shortsByElementRow(const Core &core, const char *instruction) {
  MachineRow row = ofWords(core, instruction, {Number::S16, Number::S16, Number::S32, 1}, multiplyAddShortsByElement);
  row.step.lanes *= 2;
  row.step.multiplyAdds = 2 / core.costs.multiplyAdd;
  row.geometry.registers /= 2;
  row.geometry.registersPerLoad = 1;
  row.geometry.registersPerStream = 1;
  return row;
}

//===----------------------------------------------------------------------===//
// 2. The table
//===----------------------------------------------------------------------===//

constexpr MachineRow kRows[] = {
    pairsRow<u8, u8>(kSseCore, 4),
    pairsRow<u8, s8>(kSseCore, 4),
    pairsRow<s8, u8>(kSseCore, 4),
    pairsRow<s8, s8>(kSseCore, 4),
    pairsRow<u8, u8>(kAvx2Core, 2),
    pairsRow<u8, s8>(kAvx2Core, 2),
    pairsRow<s8, u8>(kAvx2Core, 2),
    pairsRow<s8, s8>(kAvx2Core, 2),
    pairsRow<u8, u8>(kAvx2Core, 4),
    pairsRow<u8, s8>(kAvx2Core, 4),
    pairsRow<s8, u8>(kAvx2Core, 4),
    pairsRow<s8, s8>(kAvx2Core, 4),
    pairsRow<u8, u8>(kAvx512Core, 2),
    pairsRow<u8, s8>(kAvx512Core, 2),
    pairsRow<s8, u8>(kAvx512Core, 2),
    pairsRow<s8, s8>(kAvx512Core, 2),
    pairsRow<u8, u8>(kAvx512Core, 4),
    pairsRow<u8, s8>(kAvx512Core, 4),
    pairsRow<s8, u8>(kAvx512Core, 4),
    pairsRow<s8, s8>(kAvx512Core, 4),
    wideRow<u8>(kSseCore, 4),
    wideRow<s8>(kSseCore, 4),
    wideRow<u8>(kAvx2Core, 2),
    wideRow<s8>(kAvx2Core, 2),
    wideRow<u8>(kAvx2Core, 4),
    wideRow<s8>(kAvx2Core, 4),
    wideRow<u8>(kAvx512Core, 2),
    wideRow<s8>(kAvx512Core, 2),
    wideRow<u8>(kAvx512Core, 4),
    wideRow<s8>(kAvx512Core, 4),
    avxVnniRow("vpdpbusd ymm", wordsOf(u8, s8, 4), multiplyAddByVnni),
    ofWords(kAvx512Core, "vpdpbusd zmm", wordsOf(u8, s8, 4), multiplyAddByVnni, NACRE_X86_AVX512_VNNI),
    matricesOf("tdpbuud", "llvm.x86.tdpbuud", wordsOf(u8, u8, 4), NACRE_X86_AMX_INT8),
    matricesOf("tdpbusd", "llvm.x86.tdpbusd", wordsOf(u8, s8, 4), NACRE_X86_AMX_INT8),
    matricesOf("tdpbsud", "llvm.x86.tdpbsud", wordsOf(s8, u8, 4), NACRE_X86_AMX_INT8),
    matricesOf("tdpbssd", "llvm.x86.tdpbssd", wordsOf(s8, s8, 4), NACRE_X86_AMX_INT8),
    shortsRow(kSseCore),
    shortsRow(kAvx2Core),
    shortsRow(kAvx512Core),
    avxVnniRow("vpdpwssd ymm", kShorts, multiplyAddShortsByVnni),
    ofWords(kAvx512Core, "vpdpwssd zmm", kShorts, multiplyAddShortsByVnni, NACRE_X86_AVX512_VNNI),
    shortsByElementRow(kBigNeonCore, "smlal .4s"),
    shortsByElementRow(kLittleNeonCore, "smlal .4s, in order"),
    halvesRow<u8, u8>(kBigNeonCore, 4),
    halvesRow<u8, s8>(kBigNeonCore, 4),
    halvesRow<s8, u8>(kBigNeonCore, 4),
    halvesRow<s8, s8>(kBigNeonCore, 4),
    halvesRow<u8, u8>(kBigNeonCore, 8),
    halvesRow<u8, s8>(kBigNeonCore, 8),
    halvesRow<s8, u8>(kBigNeonCore, 8),
    halvesRow<s8, s8>(kBigNeonCore, 8),
    halvesInPairsRow(kBigNeonCore, 4, "smull .8h, smlal .8h, sadalp .4s"),
    halvesInPairsRow(kBigNeonCore, 8, "smull .8h, smlal .8h, sadalp .4s"),
    halvesRow<u8, u8>(kLittleNeonCore, 4),
    halvesRow<u8, s8>(kLittleNeonCore, 4),
    halvesRow<s8, u8>(kLittleNeonCore, 4),
    halvesRow<s8, s8>(kLittleNeonCore, 4),
    halvesInPairsRow(kLittleNeonCore, 4, "smull .8h, smlal .8h, sadalp .4s, in order"),
    dotRow<s8, s8>(kBigNeonCore, "sdot .4s", 4, NACRE_ARM64_DOTPROD),
    dotRow<u8, u8>(kBigNeonCore, "udot .4s", 4, NACRE_ARM64_DOTPROD),
    dotRow<u8, s8>(kBigNeonCore, "usdot .4s", 4, NACRE_ARM64_I8MM),
    dotRow<s8, s8>(kBigNeonCore, "sdot .4s", 8, NACRE_ARM64_DOTPROD),
    dotRow<u8, u8>(kBigNeonCore, "udot .4s", 8, NACRE_ARM64_DOTPROD),
    dotRow<u8, s8>(kBigNeonCore, "usdot .4s", 8, NACRE_ARM64_I8MM),
    dotRow<s8, s8>(kLittleNeonCore, "sdot .4s, in order", 4, NACRE_ARM64_DOTPROD),
    dotRow<u8, u8>(kLittleNeonCore, "udot .4s, in order", 4, NACRE_ARM64_DOTPROD),
    matrixRow<s8, s8>("smmla .4s"),
    matrixRow<u8, u8>("ummla .4s"),
    matrixRow<u8, s8>("usmmla .4s"),
};

} // namespace

llvm::ArrayRef<MachineRow> integerRows() { return kRows; }

} // namespace nacre::codegen::cpu
