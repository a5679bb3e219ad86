// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which operations of a body drivers must round exactly: quotients that become integers, and the operands of these quotients.
// Why:   a quantized model has one code for each such quotient. A real that lies in the middle between two codes becomes another one if a driver
//        fuses a product and a sum, or divides less exactly than IEEE 754.
// How:   users are followed within the body. A product that must not be fused is marked; LowerToSpirv decorates it.

#ifndef NACRE_CODEGEN_GPU_EXACTQUOTIENTS_H
#define NACRE_CODEGEN_GPU_EXACTQUOTIENTS_H

#include "mlir/IR/Operation.h"

namespace nacre::codegen::gpu {

/// Returns whether a user rounds the quotient `op` to an integer. Vulkan allows a division two and a half units in the last
/// place; that is a whole step where the true quotient lies half-way between two integers, as quantized numbers do.
bool isRounded(mlir::Operation *op);

/// Returns whether `op` is a product that is added to others, and the quotient of the sum is rounded to an integer.
bool isPartOfRoundedQuotient(mlir::Operation *op);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_EXACTQUOTIENTS_H
