// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which bodies of linalg.generics the emitters of every engine can inline.

#ifndef NACRE_CODEGEN_FORM_SCALARBODY_H
#define NACRE_CODEGEN_FORM_SCALARBODY_H

#include "mlir/IR/Block.h"

namespace nacre::codegen {

/// Whether every operation of `body` is of arith or math, on its arguments and on constants from around it. With `readsTables` it may
/// also read tables.
bool canInline(mlir::Block &body, bool readsTables = false);

/// Whether `op` reads an element of an argument of the kernel with one axis, at an index that the body computes.
bool isTableRead(mlir::Operation &op);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_SCALARBODY_H
