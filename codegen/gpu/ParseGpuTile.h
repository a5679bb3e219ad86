// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  parses a tile from text.
// Why:   developers can measure tiles that the tables do not choose.
// How:   the text has a kind, and names of fields with their values.

#ifndef NACRE_CODEGEN_GPU_PARSEGPUTILE_H
#define NACRE_CODEGEN_GPU_PARSEGPUTILE_H

#include "codegen/gpu/GpuTile.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace nacre::codegen::gpu {

/// Parses a tile, such as `shared:rows=8,quads=2,columns=16,lines=16,depth=16`, `cooperative:...` or `split:...`.
/// Each kind has its own fields (visitNumbers). Fields that are not named have the kind's defaults. Returns an error
/// that names the problem if the text or the tile is invalid.
llvm::Expected<GpuTile> parseGpuTile(llvm::StringRef text);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_PARSEGPUTILE_H
