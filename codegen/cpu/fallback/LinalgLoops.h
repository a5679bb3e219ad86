// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  lowers one linalg operation on memory to plain loops, for LLVM's vectorizers.
// Why:   linalg's order of loops follows its maps, but vectors need the contiguous loop innermost. LLVM must neither
//        reorder sums nor fuse products with them. It would do so in whole vectors but not in the remainder, and
//        results would depend on the division of the work.
// How:   1. the loop along which most operands are contiguous becomes the innermost;
//        2. upstream's code emits the loops;
//        3. the loop that the caller runs is replaced by one index.

#ifndef NACRE_CODEGEN_CPU_FALLBACK_LINALGLOOPS_H
#define NACRE_CODEGEN_CPU_FALLBACK_LINALGLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include <optional>

namespace nacre::codegen::cpu {

/// Replaces `op` by scf loops. If the loop `heldLoop` is given, it does not iterate, and its index is `index`.
llvm::LogicalResult lowerToLoops(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op,
                                 std::optional<unsigned> heldLoop, mlir::Value index);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_FALLBACK_LINALGLOOPS_H
