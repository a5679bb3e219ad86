// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  one linalg operation on memory as plain loops, for LLVM's vectorizers.
// Why:   linalg's own order of loops is that of its maps, but vectors need the contiguous loop innermost. LLVM must
//        neither reorder sums nor fuse products with them. It would do so for whole vectors and not for the remainder,
//        so that results would depend on the division of the work.
// How:   1. the loop along which most operands are contiguous becomes the innermost;
//        2. upstream emits the loops;
//        3. the loop that the caller walks is replaced by one index.

#ifndef NACRE_CODEGEN_CPU_FALLBACK_LINALGLOOPS_H
#define NACRE_CODEGEN_CPU_FALLBACK_LINALGLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include <optional>

namespace nacre::codegen::cpu {

/// Replaces `op` by scf loops. Its loop `heldLoop`, if there is one, does not iterate but has the value `index`.
llvm::LogicalResult lowerToLoops(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op,
                                 std::optional<unsigned> heldLoop, mlir::Value index);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_FALLBACK_LINALGLOOPS_H
