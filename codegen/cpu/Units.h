// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the division of a share of the cut axis into units for threads.
// Why:   a unit must take longer than handing it out, and there should be several for each thread. Every emitter of
//        loops divides in the same way.
// How:   a unit is a number of consecutive indices of the cut axis, or a part of one index if that takes long.

#ifndef NACRE_CODEGEN_CPU_UNITS_H
#define NACRE_CODEGEN_CPU_UNITS_H

#include "codegen/cpu/VectorBuilder.h"

namespace nacre::codegen::cpu {

/// Axes of fewer indices are not divided among threads, because their shares would differ; columns are divided instead.
constexpr int64_t kFewIndices = 10;

/// Returns the indices of a unit: about `extent` (at most twice as many), and from `least` to `most`. If possible, half
/// of the units, and also a quarter of them, are the same part of the axis. Threads then have the same rows in every
/// launch, and find their results in their caches. Returns `extent` if that is impossible. The result is a multiple of
/// `multiple` if `extent` is.
int64_t evenExtent(int64_t axis, int64_t extent, int64_t least, int64_t most, int64_t multiple = 1);

/// Sets the extent of `function`'s units. `indexCost` is the nanoseconds of one index of a cut axis of `cutExtent`
/// indices. A unit is a multiple of `multiple` indices if that leaves several units. Returns into how many parts an
/// index is best divided.
int64_t divideIntoUnits(KernelFunction &function, double indexCost, int64_t cutExtent, int64_t multiple = 1);

/// Calls `body` with the indices of the cut axis that the call's units cover, and the number of the part if an index
/// has parts. Without parts, `body` runs once for all units of a call.
void emitUnits(VectorBuilder &builder, KernelFunction &function,
               llvm::function_ref<void(mlir::Value low, mlir::Value high, mlir::Value part)> body);

mlir::Value emitMin(VectorBuilder &builder, mlir::Value a, mlir::Value b);
mlir::Value emitMax(VectorBuilder &builder, mlir::Value a, mlir::Value b);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_UNITS_H
