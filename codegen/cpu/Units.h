// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  divides a share of the cut axis into units for threads.
// Why:   a unit must take longer than handing it to a thread, and each thread should get several units. Every emitter
//        of loops divides in the same way.
// How:   a unit is a number of consecutive indices of the cut axis. If one index takes long, a unit is a part of one
//        index.

#ifndef NACRE_CODEGEN_CPU_UNITS_H
#define NACRE_CODEGEN_CPU_UNITS_H

#include "codegen/cpu/VectorBuilder.h"

namespace nacre::codegen::cpu {

/// Smallest extent of an axis that is divided among threads. With fewer indices, the threads' shares would be unequal,
/// so that columns are divided instead.
constexpr int64_t kFewIndices = 10;

/// Returns the number of indices of a unit: between `least` and `most`, at most twice `extent`, and near `extent` if
/// possible. The result lets halves and quarters of the units be the same parts of the axis in every launch, if
/// possible. Threads then have the same rows in every launch, and find their results in their caches. If that is
/// impossible, the result is `extent`. The result is a multiple of `multiple` if `extent` is.
int64_t evenExtent(int64_t axis, int64_t extent, int64_t least, int64_t most, int64_t multiple = 1);

/// Sets the extent of `function`'s units. The cut axis has `cutExtent` indices, and each takes `indexCost` nanoseconds.
/// A unit is a multiple of `multiple` indices if that leaves several units. Returns the best number of parts of one
/// index.
int64_t divideIntoUnits(KernelFunction &function, double indexCost, int64_t cutExtent, int64_t multiple = 1);

/// Calls `body` with the range of indices of the cut axis that the call's units cover. If an index is divided into
/// parts, `part` is the index of the part. Otherwise `body` runs once for all units of a call.
void emitUnits(VectorBuilder &builder, KernelFunction &function,
               llvm::function_ref<void(mlir::Value low, mlir::Value high, mlir::Value part)> body);

mlir::Value emitMin(VectorBuilder &builder, mlir::Value a, mlir::Value b);
mlir::Value emitMax(VectorBuilder &builder, mlir::Value a, mlir::Value b);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_UNITS_H
