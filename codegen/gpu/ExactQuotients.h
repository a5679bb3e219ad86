// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the operations that drivers must round exactly: quotients that become integers, and products in their
//        dividends.
// Why:   a quantized model has one code for each such quotient. A value midway between two codes may get the wrong one.
//        This happens if a driver fuses a product and a sum, or divides less exactly than IEEE 754.
// How:   users are followed within the body. A product that must not be fused is marked; LowerToSpirv decorates it.

#ifndef NACRE_CODEGEN_GPU_EXACTQUOTIENTS_H
#define NACRE_CODEGEN_GPU_EXACTQUOTIENTS_H

#include "mlir/IR/Operation.h"

namespace nacre::codegen::gpu {

/// True if a user rounds the quotient `op` to an integer. Vulkan allows a division an error of 2.5 ulp. That changes
/// the integer if the true quotient lies midway between two integers, as quantized numbers do.
bool isRounded(mlir::Operation *op);

/// True if `op` is a product that is added to other values, and the quotient of the sum is rounded to an integer.
bool isPartOfRoundedQuotient(mlir::Operation *op);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_EXACTQUOTIENTS_H
