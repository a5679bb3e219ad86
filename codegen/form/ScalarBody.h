// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  tests for the bodies of linalg.generics that the emitters of every engine can inline.

#ifndef NACRE_CODEGEN_FORM_SCALARBODY_H
#define NACRE_CODEGEN_FORM_SCALARBODY_H

#include "mlir/IR/Block.h"

namespace nacre::codegen {

/// True if `body` only has operations of arith and math, and those on scalars of plan. Their operands must be
/// arguments, constants or results of such operations. With `readsTables`, the body may also read tables.
bool canInline(mlir::Block &body, bool readsTables = false);
/// Like canInline(), but the body may also convert indices of loops to i32.
bool canInlineWithIndices(mlir::Block &body);

/// True if `op` is the index of a loop that is only converted to i32, or this conversion.
bool isLoopIndex(mlir::Operation &op);

/// True if `op` reads an element of a 1D kernel argument at an index that the body computes.
bool isTableRead(mlir::Operation &op);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_SCALARBODY_H
