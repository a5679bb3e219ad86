// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rotary position embedding: rotates pairs of numbers by an angle that grows with the position.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_ATTENTION_ROTARYEMBEDDING_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_ATTENTION_ROTARYEMBEDDING_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Rotates the first numbers of the last axis of `x`, twice as many as the last axis of `cosines` and `sines` has.
/// These broadcast to the other axes; later numbers stay. A pair is two neighbours if `isInterleaved`, else one number
/// of each half.
mlir::Value rotate(NnBuilder &nn, mlir::Value x, mlir::Value cosines, mlir::Value sines, bool isInterleaved);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_ATTENTION_ROTARYEMBEDDING_H
