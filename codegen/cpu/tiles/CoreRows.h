// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the geometry of tiles and the costs that the machine rows of each kind of core share.
// Why:   a row states only its instruction, and the exceptions of its tiles.

#ifndef NACRE_CODEGEN_CPU_TILES_COREROWS_H
#define NACRE_CODEGEN_CPU_TILES_COREROWS_H

#include "codegen/cpu/tiles/MachineRows.h"
#include "runtime/include/nacre/model_format.h"

namespace nacre::codegen::cpu {

/// A kind of core, with registers of `registerBytes` bytes for multiply-adds of floats.
struct Core {
  nacre_cpu_bit bit;
  int64_t registerBytes;
  TileGeometry geometry;
  CoreCosts costs;
  MemoryCosts memory;
};

/// Returns the row of `instruction`, which multiplies and adds whole registers on `core`.
constexpr MachineRow rowOf(const Core &core, const char *instruction, const ProductTypes &types) {
  MachineRow row;
  row.step.instruction = instruction;
  row.step.needs = NACRE_CPU_NEED(core.bit);
  row.step.types = types;
  row.step.lanes = core.registerBytes / bytesOf(types.inRegisters());
  row.geometry = core.geometry;
  row.costs = core.costs;
  row.memory = core.memory;
  return row;
}

constexpr CoreCosts x86Costs(const MachineModel &model) {
  CoreCosts costs;
  costs.model = &model;
  return costs;
}

/// SSE has no fused multiply-add. A product needs one more register before it is added.
inline constexpr Core kSseCore = [] {
  Core core = {NACRE_X86_64_V2, 16, {}, x86Costs(kX86V2), {}};
  core.geometry.spareRegisters = 2;
  core.costs.multiplyAdd = 1;
  return core;
}();

inline constexpr Core kAvx2Core = {NACRE_X86_64_V3, 32, {}, x86Costs(kX86V3), {}};

/// AVX-512 has 32 registers. The order of instructions in the loop needs one more spare register.
inline constexpr Core kAvx512Core = [] {
  Core core = {NACRE_X86_64_V4, 64, {}, x86Costs(kX86V4), {}};
  core.geometry.registers = 32;
  core.geometry.spareRegisters = 2;
  core.geometry.hasHalves = true;
  core.geometry.readsBroadcasts = true;
  core.costs.transform = 0.43;
  core.costs.widenHalf = 2; // On AMD's cores, four times as long as for half as many lanes.
  core.memory.storeFilter = 1.8;
  core.memory.waysOfRows = 10;
  core.memory.vectorsOfSingleRow = 16;
  return core;
}();

/// AVX-512 with AMX, whose registers are matrices of 16 rows of 64 bytes. One row of such a register takes a cycle for
/// 16 words, and the result comes after 52 cycles (Intel, Optimization Reference Manual, 2023, chapter 20).
inline constexpr Core kAmxCore = [] {
  Core core = kAvx512Core;
  core.geometry.hasHalves = false;
  core.geometry.readsBroadcasts = false;
  core.geometry.highestTile = 32;
  core.costs.latency = 52.0 / 16;
  return core;
}();

/// Returns the row of an instruction that multiplies words in matrices.
constexpr MachineRow matricesOf(const char *instruction, const char *intrinsic, const ProductTypes &types,
                                nacre_cpu_bit bit) {
  MachineRow row = rowOf(kAmxCore, instruction, types);
  row.step.needs |= NACRE_CPU_NEED(bit);
  row.step.ofMatrices = intrinsic;
  row.step.multiplyAdds = 1.0 / 16 / row.costs.multiplyAdd;
  return row;
}

/// Registers of 256 bits, with all 32 registers of AVX-512.
inline constexpr Core kAvx512HalfCore = [] {
  Core core = kAvx512Core;
  core.registerBytes = 32;
  core.geometry.hasHalves = false;
  core.costs.widenHalf = 0.5;
  return core;
}();

/// Big cores with NEON. They have few ways, but rows share a set of the cache a quarter as often as on x86.
inline constexpr Core kBigNeonCore = [] {
  Core core = {NACRE_ARM64_NEON, 16, {}, {}, {}};
  core.geometry.registers = 32;
  core.geometry.spareRegisters = 0;
  core.geometry.highestTile = 8;
  core.geometry.multipliesByElement = true;
  core.geometry.registersPerLoad = 2;
  core.geometry.registersPerStream = 4;
  core.geometry.readsMemory = false;
  core.geometry.hasFreeCopies = false;
  core.costs.issue = 0.3;
  core.costs.widenHalf = 2; // fcvtl takes two operations of one of the core's pipes; shll takes one.
  core.costs.transform = 0.5;
  core.costs.nearlyEqual = 0.004;
  core.memory.storeFilter = 0.5;
  core.memory.addSums = 0.25;
  core.memory.padding = 0.25;
  core.memory.prefetchBytes = 0;
  core.memory.waysOfRows = 8;
  return core;
}();

/// Cortex-A55 and similar cores, which issue two instructions per cycle. One can be a multiply-add of a whole register.
/// The other can be a load of half a register, or the move that joins two halves. Caches are small, and instructions
/// wait for earlier loads.
inline constexpr Core kLittleNeonCore = [] {
  Core core = kBigNeonCore;
  core.geometry.spareRegisters = 2;
  core.geometry.registersPerStream = 1;
  core.costs.model = &kLittleArm64;
  core.costs.inOrder = true;
  core.costs.multiplyAdd = 1;
  core.costs.latency = 4;
  core.costs.issue = 0;
  // Increments of pointers, and the wait for the first loads. They take as long for 8 x 8 sums as for 7 x 4.
  core.costs.iteration = 20;
  core.costs.widenHalf = 3;
  core.costs.transform = 1.2;
  core.memory.load = 1; // Cycles to load half a register.
  core.memory.storeFilter = 1;
  core.memory.waysOfRows = 4;
  return core;
}();

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_COREROWS_H
