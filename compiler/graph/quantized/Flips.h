// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes the signedness of 8-bit integers by flipping the highest bit of each byte. Dot product instructions require
// certain signs of their operands: x86 multiplies unsigned by signed bytes, arm64 signed by signed ones. A flip is an
// `xor` and a `bitcast`, which any pass can fold. The i8 value v becomes the ui8 value v + 128.

#ifndef NACRE_COMPILER_GRAPH_QUANTIZED_FLIPS_H
#define NACRE_COMPILER_GRAPH_QUANTIZED_FLIPS_H

#include "dialects/nn/NnDialect.h"
#include "mlir/IR/Builders.h"

namespace nacre::graph {

/// True if elements of `type` are 8-bit integers.
bool isByte(mlir::Type type);

/// Returns the 8-bit element type whose signedness differs from `type`.
mlir::Type getFlippedType(mlir::Type type);

/// Returns the amount by which a flip changes values of `type`: 128 for signed types, -128 for unsigned types.
int64_t getFlipOffset(mlir::Type type);

/// Returns `value` with the other signedness.
mlir::Value createFlip(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

/// Returns the operand if `value` is a flip, or null.
mlir::Value matchFlip(mlir::Value value);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_QUANTIZED_FLIPS_H
