// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of neighbours moved to the channels or to the batch, and back. Channels are last.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_BLOCKS_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_BLOCKS_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// [N, H, W, C] to [N, H / block, W / block, block * block * C], the block's row first; both axes are divisible.
mlir::Value spaceToDepth(NnBuilder &nn, mlir::Value x, int64_t block);
/// The way back.
mlir::Value depthToSpace(NnBuilder &nn, mlir::Value x, int64_t block);

/// [N, spatial..., rest...] to [blocks... * N, spatial / blocks..., rest...]; all axes are divisible.
mlir::Value spaceToBatch(NnBuilder &nn, mlir::Value x, Ints blocks);
/// The way back.
mlir::Value batchToSpace(NnBuilder &nn, mlir::Value x, Ints blocks);

/// The elements of each window of [N, spatial..., C] side by side: [N, steps..., cells * C], the first axis of a window
/// outermost. Windows lie inside; each covers `kernel` cells, `dilations` apart.
mlir::Value extractWindows(NnBuilder &nn, mlir::Value x, Ints kernel, Ints strides, Ints dilations);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_BLOCKS_H
