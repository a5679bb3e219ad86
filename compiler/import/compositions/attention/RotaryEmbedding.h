// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rotary position embedding: pairs of numbers turned by an angle that grows with the position.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_ATTENTION_ROTARYEMBEDDING_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_ATTENTION_ROTARYEMBEDDING_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Turns the first numbers of the last axis of `x`, twice as many as `cosines` and `sines` have in theirs, which broadcast
/// to the others; those behind stay. A pair is either two neighbours, or one number of each half.
mlir::Value rotate(NnBuilder &nn, mlir::Value x, mlir::Value cosines, mlir::Value sines, bool isInterleaved);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_ATTENTION_ROTARYEMBEDDING_H
