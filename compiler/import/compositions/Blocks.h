// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves blocks of neighbouring elements to the channels or to the batch, and back. Channels are last.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_BLOCKS_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_BLOCKS_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Reorders [N, H, W, C] to [N, H / block, W / block, block * block * C], rows of the block first. Both axes are
/// divisible.
mlir::Value spaceToDepth(NnBuilder &nn, mlir::Value x, int64_t block);
/// Undoes spaceToDepth.
mlir::Value depthToSpace(NnBuilder &nn, mlir::Value x, int64_t block);

/// Reorders [N, spatial..., rest...] to [blocks... * N, spatial / blocks..., rest...]. All axes are divisible.
mlir::Value spaceToBatch(NnBuilder &nn, mlir::Value x, Ints blocks);
/// Undoes spaceToBatch.
mlir::Value batchToSpace(NnBuilder &nn, mlir::Value x, Ints blocks);

/// Returns the elements of each window of [N, spatial..., C] next to each other: [N, steps..., cells * C]. The first
/// axis of a window is outermost. Windows do not exceed the input; each covers `kernel` cells, `dilations` apart.
mlir::Value extractWindows(NnBuilder &nn, mlir::Value x, Ints kernel, Ints strides, Ints dilations);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_BLOCKS_H
