// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a tile from text.
// Why:   whoever measures wants to try tiles that the tables do not choose.
// How:   names of fields and their numbers.

#ifndef NACRE_CODEGEN_GPU_PARSEGPUTILE_H
#define NACRE_CODEGEN_GPU_PARSEGPUTILE_H

#include "codegen/gpu/GpuTile.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace nacre::codegen::gpu {

/// Reads a tile to be tried, as `shared:rows=8,quads=2,columns=16,lines=16,depth=16`, `cooperative:...` or `split:...`;
/// what is not named has GpuTile's value. The message says what is wrong with it.
llvm::Expected<GpuTile> parseGpuTile(llvm::StringRef text);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_PARSEGPUTILE_H
