// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear attention: each position updates a state by its key and value, and then reads the state by its query.
//
// Positions are unrolled. The computation uses at least 32 bits.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_ATTENTION_LINEARATTENTION_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_ATTENTION_LINEARATTENTION_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

struct LinearAttention {
  mlir::Value query; ///< [batch, positions, heads, width of a key]; heads is a multiple of kvHeads
  mlir::Value key;   ///< [batch, positions, kvHeads, width of a key]
  mlir::Value value; ///< [batch, positions, kvHeads, width of a value]
  mlir::Value decay; ///< [batch, positions, kvHeads, width of a key or 1]; the state is multiplied by its exp; may be
                     ///< null
  mlir::Value beta; ///< [batch, positions, kvHeads or 1, 1]; the new value is beta * (value - key * state); may be null
  mlir::Value state; ///< state before the first position, [batch, kvHeads, width of a key, width of a value]
  double scale = 1;
};

struct LinearlyAttended {
  mlir::Value result; ///< [batch, positions, heads * width of a value]
  mlir::Value state;  ///< state after the last position
};
LinearlyAttended attendLinearly(NnBuilder &nn, LinearAttention attention);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_ATTENTION_LINEARATTENTION_H
