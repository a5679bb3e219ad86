// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  makes the left operand of a product that reads a depthwise convolution: sums over windows, and what follows them.
// Why:   a launch for a depthwise convolution costs more than most of them compute.
// How:   quads of channels: all elements of a window and their weights are on their way before the first is used. Where an
//        invocation has few of them they wait in registers while a template multiplies, else sums do.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_LEFTWINDOWS_H
#define NACRE_CODEGEN_GPU_CONTRACTION_LEFTWINDOWS_H

#include "codegen/gpu/GpuTile.h"
#include "codegen/gpu/contraction/ContractionGrid.h"
#include <memory>

namespace nacre::codegen::gpu {

/// For a tile of the grid, whose contraction has a prologue of windows.
std::unique_ptr<LeftSource> makeLeftWindows(ContractionGrid &grid, const GpuTile &tile);

/// More taps would be too much code.
constexpr int64_t kMostTaps = 49;

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_LEFTWINDOWS_H
