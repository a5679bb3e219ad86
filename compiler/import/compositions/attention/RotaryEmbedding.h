// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rotary position embedding: rotates pairs of elements by an angle that grows with the position.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_ATTENTION_ROTARYEMBEDDING_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_ATTENTION_ROTARYEMBEDDING_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Rotates the first 2 * n elements of the last axis of `x`, where n is the last axis of `cosines` and `sines`. Both
/// broadcast to the other axes. The other elements do not change. A pair is two neighbours if `isInterleaved`.
/// Otherwise, it is one element of each half.
mlir::Value rotate(NnBuilder &nn, mlir::Value x, mlir::Value cosines, mlir::Value sines, bool isInterleaved);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_ATTENTION_ROTARYEMBEDDING_H
