// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  one linalg operation on memory as plain loops, for LLVM's vectorizers.
// Why:   linalg's own order of loops is that of its maps; vectors want the contiguous one innermost. Sums are never allowed
//        to be added up in another order, nor products to be fused with them: LLVM would do so for the rows of a vector and
//        not for those that are left, and which these are depends on how the work is divided.
// How:   1. the order: the loop along which most operands are contiguous becomes the innermost;
//        2. upstream's loops;
//        3. one loop of them, at one index, where the caller walks it.

#ifndef NACRE_CODEGEN_CPU_FALLBACK_LINALGLOOPS_H
#define NACRE_CODEGEN_CPU_FALLBACK_LINALGLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include <optional>

namespace nacre::codegen::cpu {

/// Replaces `op` by scf loops. Its loop `heldLoop`, if there is one, does not iterate: `index` says where it is.
llvm::LogicalResult lowerToLoops(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op,
                                 std::optional<unsigned> heldLoop, mlir::Value index);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_FALLBACK_LINALGLOOPS_H
