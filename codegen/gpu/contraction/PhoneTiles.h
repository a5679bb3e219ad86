// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  chooses the Winograd tiles for phones' GPUs.
// Why:   their shared memory is no faster than a cache, so a tile is compared with a direct one by its arithmetic and
//        reads.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_PHONETILES_H
#define NACRE_CODEGEN_GPU_CONTRACTION_PHONETILES_H

#include "codegen/gpu/contraction/TileTables.h"

namespace nacre::codegen::gpu {

/// Appends the Winograd tiles that are faster than `direct` on some phones, each with the families that use it.
void pushPhoneTiles(const TileRequest &request, const GpuTile &direct, llvm::SmallVectorImpl<GpuTile> &tiles);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_PHONETILES_H
