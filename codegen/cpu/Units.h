// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how a share of the cut axis becomes units for threads.
// Why:   a unit must take longer than handing it out, and there should be several for each thread; every emitter of
//        loops decides it in the same way.
// How:   a unit is a number of consecutive indices of the cut axis; where one index is long already, a part of it.

#ifndef NACRE_CODEGEN_CPU_UNITS_H
#define NACRE_CODEGEN_CPU_UNITS_H

#include "codegen/cpu/VectorBuilder.h"

namespace nacre::codegen::cpu {

/// An axis of fewer indices is not divided among threads, whose shares would differ: columns are.
constexpr int64_t kFewIndices = 10;

/// Indices of a unit, about `extent` (twice as many at most) and from `least` to `most`, such that half the units, or better also a quarter of
/// them, are that part of the axis: threads then have the same rows of every launch, and find in their caches what they
/// wrote. `extent` where there are none, a multiple of `multiple` if that is one.
int64_t evenExtent(int64_t axis, int64_t extent, int64_t least, int64_t most, int64_t multiple = 1);

/// Sets the extent of `function`'s units: `indexCost` is the nanoseconds of one index of a cut axis of `cutExtent`;
/// `multiple` of so many indices where that leaves several units. Returns how many parts an index is best divided into.
int64_t divideIntoUnits(KernelFunction &function, double indexCost, int64_t cutExtent, int64_t multiple = 1);

/// The indices of the cut axis that the call's units cover, and which part of them, where an index has parts. Runs once
/// for all of a call's units where an index has none.
void emitUnits(VectorBuilder &builder, KernelFunction &function,
               llvm::function_ref<void(mlir::Value low, mlir::Value high, mlir::Value part)> body);

mlir::Value emitMin(VectorBuilder &builder, mlir::Value a, mlir::Value b);
mlir::Value emitMax(VectorBuilder &builder, mlir::Value a, mlir::Value b);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_UNITS_H
