// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the speed of cores, caches and memory, one value for each class of CPUs.
// Why:   every phase compares costs of launches, bytes and arithmetic. All phases must use the same figures.
// How:   a Target has the value of its class. MachineRows.h has the costs of single instructions, GpuMachines.h has the
//        figures of GPUs. A device profile replaces the figures that it measured, but only in predictions, because code
//        for all phones must not depend on one. tools/dev/check_rates.py rejects such figures in other files.

#ifndef NACRE_CODEGEN_MACHINEMODEL_H
#define NACRE_CODEGEN_MACHINEMODEL_H

#include <cstdint>

namespace nacre::codegen {

inline constexpr int64_t kLineBytes = 64; ///< Size of a cache line on every CPU that we compile for.

/// Figures of a class of CPUs. The defaults describe the big cores of phones: Cortex-A76 and later, out of order.
struct MachineModel {
  const char *name = "big arm64";
  double gigahertz = 2.4; ///< Approximate clock under load.

  // Caches that one core can use, in bytes. These are estimates for the class, which suffice for the choice of tiles.
  uint64_t l1Bytes = 64 << 10;
  uint64_t l1WayBytes = 4096; ///< Addresses that differ by a multiple of this size share a set.
  uint64_t l2Bytes = 512 << 10;
  uint64_t lastBytes = 4 << 20; ///< Size that a model may expect of the last cache before memory.

  // Bytes that one core reads per cycle.
  double l2BytesPerCycle = 20;
  double farBytesPerCycle = 10; ///< Rate of data beyond the second-level cache that is not in memory.
  double farBytesPerCycleOfProducts =
      40; ///< Like farBytesPerCycle, during multiplications. An estimate: they hide latency.
  double memoryBytesPerCycle = 5;
  double scatteredBytesPerCycle = 8; ///< Elements of 4 bytes, loaded one by one.

  // Arithmetic.
  double flopsPerCycle = 16;              ///< Peak in f32; a multiply-add counts as two.
  double instructionsPerCycle = 2;        ///< Vector instructions of independent elements.
  double chainedInstructionsPerCycle = 1; ///< Instructions that often depend on the previous one.

  // Cycles of loops that are not tiles.
  double rowCycles = 9;               ///< Cost to begin a row.
  double pointCycles = 6;             ///< Cost to begin a point of a serial kernel.
  double scalarIterationCycles = 1.5; ///< One iteration of a plain loop over elements.
  double scalarFunctionCycles = 24;   ///< Evaluation of exp or a similar function in such a loop.

  /// Cost of a launch in a run: notifying and awaiting threads, fetching code and tables.
  double launchNanoseconds = 1500;

  double memoryBytesPerNanosecond() const { return memoryBytesPerCycle * gigahertz; }
  double flopsPerNanosecond() const { return flopsPerCycle * gigahertz; }
};

/// Constants of the runtime's threads, on every machine.
/// Minimum time of a unit of work. Shorter units cost more to distribute than they save.
inline constexpr double kUnitNanoseconds = 2000;
/// Limit of a launch's time on one thread. Shorter launches are not shared with other threads.
inline constexpr double kThreadNanoseconds = 10000;

inline constexpr MachineModel kBigArm64 = {};

/// Figures of Cortex-A53, A55 and A510. They issue in order, have small caches, and wait for loads.
inline constexpr MachineModel kLittleArm64 = [] {
  MachineModel model;
  model.name = "little arm64";
  model.gigahertz = 1.8;
  model.l1Bytes = 32 << 10;
  model.l2Bytes = 128 << 10;
  model.lastBytes = 1 << 20;
  model.l2BytesPerCycle = 8;
  model.farBytesPerCycle = 4;
  model.farBytesPerCycleOfProducts = 8;
  model.memoryBytesPerCycle = 2;
  model.scatteredBytesPerCycle = 4;
  model.flopsPerCycle = 8;
  model.instructionsPerCycle = 1;
  model.chainedInstructionsPerCycle = 0.7;
  model.rowCycles = 15;
  model.pointCycles = 10;
  model.scalarIterationCycles = 3;
  model.scalarFunctionCycles = 40;
  model.launchNanoseconds = 3000;
  return model;
}();

constexpr MachineModel x86Model(const char *name, double flopsPerCycle, uint64_t l2Bytes) {
  MachineModel model;
  model.name = name;
  model.gigahertz = 3;
  model.l1Bytes = 32 << 10;
  model.l2Bytes = l2Bytes;
  model.lastBytes = 16 << 20;
  model.farBytesPerCycleOfProducts = 10;
  model.flopsPerCycle = flopsPerCycle;
  return model;
}

inline constexpr MachineModel kX86V2 = x86Model("x86-64 with SSE4.2", 8, 512 << 10);
inline constexpr MachineModel kX86V3 = x86Model("x86-64 with AVX2", 32, 512 << 10);
inline constexpr MachineModel kX86V4 = x86Model("x86-64 with AVX-512", 64, 1024 << 10);

//===----------------------------------------------------------------------===//
// Kinds of work
//===----------------------------------------------------------------------===//

/// Kinds of work that differ in speed.
enum class WorkForm {
  Product,   ///< A contraction whose operands are used many times.
  Streamed,  ///< A contraction whose operands are used few times, such as matrix-vector.
  Depthwise, ///< A contraction of windows, separate for each channel.
  Pointwise, ///< Loops with a scalar body: maps, windows, reductions.
  Row,       ///< Several sweeps over a row.
  Movement,  ///< Transposes, gathers and resizing.
  Scan       ///< A computation of one element after another along an axis.
};

/// Fractions of an engine's peaks that a form of work reaches. docs/phases/place.md states which were measured.
struct Efficiency {
  double cpuFlops = 0, cpuBytes = 0;
  double gpuFlops = 0, gpuBytes = 0;
  double pointsPerInvocation = 1; ///< GPU only.
};

constexpr Efficiency efficiencyOf(WorkForm form) {
  switch (form) {
  case WorkForm::Product:
    return {0.95, 0.9, 0.40, 0.7, 16};
  case WorkForm::Streamed:
  case WorkForm::Depthwise:
    return {0.75, 0.8, 0.12, 0.6, 4};
  case WorkForm::Pointwise:
    return {0.20, 0.7, 0.20, 0.7, 4};
  case WorkForm::Row:
    return {0.60, 0.7, 0.10, 0.5, 1};
  case WorkForm::Movement:
    return {0.30, 0.4, 0.05, 0.35, 1};
  case WorkForm::Scan:
    return {0.02, 0.3, 0.01, 0.1, 1};
  }
  return {};
}

/// Operations that exp, tanh and similar functions count as. On the CPU, they are polynomials in vector code, which
/// keeps the multiply-adds busy. On the GPU, a special unit and the operations around it compute them.
inline constexpr double kCpuFlopsPerFunction = 20, kCpuFunctionEfficiency = 0.6;
inline constexpr double kGpuFlopsPerFunction = 8;

/// Factor between the invocations that saturate a GPU's arithmetic and those that saturate its bandwidth.
inline constexpr double kBandwidthHeadStart = 4;

/// Smallest fraction of a GPU that work can use: a single workgroup uses all units of one core.
inline constexpr double kLeastOccupancy = 1.0 / 64;

/// Fraction of a large, round product's rate that the products of networks reach, because of windows and edge tiles.
/// Chosen by hand; docs/phases/place.md has the measurement.
inline constexpr double kUsualProduct = 0.8;

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_MACHINEMODEL_H
