// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves blocks of neighbouring elements to the channels or to the batch, and back. Channels are the last axis.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_BLOCKS_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_BLOCKS_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Reorders [N, H, W, C] to [N, H / block, W / block, block * block * C]. The rows of a block are outermost in the
/// channels. `block` must divide H and W.
mlir::Value spaceToDepth(NnBuilder &nn, mlir::Value x, int64_t block);
/// Undoes spaceToDepth().
mlir::Value depthToSpace(NnBuilder &nn, mlir::Value x, int64_t block);

/// Reorders [N, spatial..., rest...] to [blocks... * N, spatial / blocks..., rest...]. Each block must divide its axis.
mlir::Value spaceToBatch(NnBuilder &nn, mlir::Value x, Ints blocks);
/// Undoes spaceToBatch().
mlir::Value batchToSpace(NnBuilder &nn, mlir::Value x, Ints blocks);

/// Returns the elements of each window of [N, spatial..., C] next to each other: [N, steps..., cells * C]. The first
/// axis of a window is outermost. Windows must not exceed the input. Each covers `kernel` cells along each axis, at
/// distances of `dilations`.
mlir::Value extractWindows(NnBuilder &nn, mlir::Value x, Ints kernel, Ints strides, Ints dilations);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_BLOCKS_H
