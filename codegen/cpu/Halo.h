// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  writes the halo around the elements that a unit computes.
// Why:   a padded convolution reads its padding from memory. The kernel that produces its input writes the padding
//        there. Each unit writes the padding next to its own rows, so that no unit waits for another.
// How:   the halo is divided into boxes, and each box into runs of consecutive elements.

#ifndef NACRE_CODEGEN_CPU_HALO_H
#define NACRE_CODEGEN_CPU_HALO_H

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/form/KernelForm.h"

namespace nacre::codegen::cpu {

/// Writes the part of the halo of `written` that belongs to the indices [low, high) of the axis `axis`. This part is
/// the border alongside these indices. It also includes the border before the first and after the last index of the
/// axis. Does nothing if there is no halo.
void emitHalo(VectorBuilder &build, mlir::Value buffer, const WrittenTensor &written, unsigned axis, mlir::Value low,
              mlir::Value high);

/// Like emitHalo(), but the emitted code writes only if `part` is 0. If several units compute the same indices, the
/// first one writes the halo.
void emitHaloOfFirst(VectorBuilder &build, mlir::Value part, mlir::Value buffer, const WrittenTensor &written,
                     unsigned axis, mlir::Value low, mlir::Value high);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_HALO_H
