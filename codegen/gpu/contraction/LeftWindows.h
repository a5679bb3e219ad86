// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  computes the left operand of a product that reads a depthwise convolution: sums over windows, followed by
//        elementwise operations.
// Why:   a launch for a depthwise convolution usually costs more than its computation.
// How:   channels are computed in quads. All elements and weights of a window are in flight before the first is used.
//        If an invocation has few of them, they stay in registers while a template multiplies; otherwise, the sums do.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_LEFTWINDOWS_H
#define NACRE_CODEGEN_GPU_CONTRACTION_LEFTWINDOWS_H

#include "codegen/gpu/GpuTile.h"
#include "codegen/gpu/contraction/ContractionGrid.h"
#include <memory>

namespace nacre::codegen::gpu {

/// Returns the source for a tile of `grid`, whose contraction has a prologue of windows.
std::unique_ptr<LeftSource> makeLeftWindows(ContractionGrid &grid, const GpuTile &tile);

/// Largest number of taps of a window. More taps would need too much code.
constexpr int64_t kMostTaps = 49;

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_LEFTWINDOWS_H
