// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  recognizes operations that drivers must round exactly: quotients that become integers, and products in the
//        dividends of these quotients.
// Why:   a quantized model computes a code from each such quotient. If the value is midway between two codes, a small
//        error gives the wrong one. Drivers cause such errors by fusing a product and a sum, or by inexact division.
// How:   the users of each operation are followed within the body. LowerToSpirv decorates products that must not be
//        fused.

#ifndef NACRE_CODEGEN_GPU_EXACTQUOTIENTS_H
#define NACRE_CODEGEN_GPU_EXACTQUOTIENTS_H

#include "mlir/IR/Operation.h"

namespace nacre::codegen::gpu {

/// True if another operation rounds the quotient `op` to an integer. Vulkan allows divisions an error of 2.5 ulp. It
/// changes the integer if the true quotient is midway between two integers, as is common with quantized values.
bool isRounded(mlir::Operation *op);

/// True if `op` is a product that is added to other values, and the quotient of the sum is rounded to an integer.
bool isPartOfRoundedQuotient(mlir::Operation *op);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_EXACTQUOTIENTS_H
