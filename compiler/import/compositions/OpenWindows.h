// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows along axes whose sizes are known only at run time.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_OPENWINDOWS_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_OPENWINDOWS_H

#include "compiler/import/builder/Geometry.h"
#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// True if a spatial axis of `input` [N, spatial..., C] is open.
bool hasOpenSpace(const NnBuilder &nn, mlir::Value input);

/// Convolves `input` [N, spatial..., C], whose spatial axes may be open. The pads of `window` must not depend on their
/// sizes.
mlir::Value convolve(NnBuilder &nn, mlir::Value input, mlir::Value filter, const Window &window, int64_t groups);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_OPENWINDOWS_H
