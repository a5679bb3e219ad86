// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8-bit integers stored with the other sign: the same bytes with the highest bit flipped. Dot product instructions
// require certain signs of their operands: x86 has unsigned times signed, arm64 has signed times signed. A flip is an
// `xor` and a `bitcast`, which any pass can fold; i8 v is ui8 v + 128.

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_FLIPS_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_FLIPS_H

#include "dialects/nn/NnDialect.h"
#include "mlir/IR/Builders.h"

namespace nacre::graph {

/// True if elements of `type` are integers of 8 bits.
bool isByte(mlir::Type type);

/// Returns the element type of 8 bits with the other sign than that of `type`.
mlir::Type getFlippedType(mlir::Type type);

/// Returns what a flip adds to the numbers of `type`: 128 to signed ones, -128 to unsigned ones.
int64_t getFlipOffset(mlir::Type type);

/// Returns `value` with the other sign.
mlir::Value createFlip(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

/// Returns the value whose flip is `value`, or null.
mlir::Value matchFlip(mlir::Value value);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_FLIPS_H
