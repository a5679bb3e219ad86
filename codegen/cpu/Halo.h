// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  writes the halo around the elements that a unit computes.
// Why:   a consumer that pads reads its padding from memory. The producer writes it there, in the units that own the
//        neighbouring rows. There is then no need to wait, and any share of the work is complete.
// How:   the border is divided into boxes, and each box into runs of consecutive elements.

#ifndef NACRE_CODEGEN_CPU_HALO_H
#define NACRE_CODEGEN_CPU_HALO_H

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/form/KernelForm.h"

namespace nacre::codegen::cpu {

/// Writes the part of `written`'s halo that belongs to the indices [low, high) of its axis `axis`. This is the border
/// alongside them, and the one below the first or above the last index of the axis. Does nothing if there is no halo.
void emitHalo(VectorBuilder &build, mlir::Value buffer, const WrittenTensor &written, unsigned axis, mlir::Value low,
              mlir::Value high);

/// Emits the same if `part` is 0. If several units compute these indices, the first writes the halo.
void emitHaloOfFirst(VectorBuilder &build, mlir::Value part, mlir::Value buffer, const WrittenTensor &written,
                     unsigned axis, mlir::Value low, mlir::Value high);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_HALO_H
