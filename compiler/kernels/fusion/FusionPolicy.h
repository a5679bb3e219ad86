// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which operators share a kernel. An elementwise operator that runs while its operand is still in registers
// costs no pass over memory.
//
// 1. An anchor (contraction, row, ...) takes the elementwise operators that follow it, as long as only one value leaves
//    the group. Contractions choose first. A later contraction chooses before an earlier one, so that the later one
//    takes the sum of a residual block.
// 2. The remaining elementwise operators form chains in the same way.
// 3. If only one group reads a chain, the chain joins this group. It becomes part of the epilogue, or the prologue of
//    the anchor. A lookup joins a lookup that reads it: if their rows are added, one kernel reads both tables.
// 4. A depthwise convolution and its epilogue join the group of the pointwise convolution that is their only reader.
//    SeparableRule decides if repeating it for every block of columns costs less than a separate kernel.
// 5. A normalization joins the first contraction that reads it as its prologue operand. If it has later readers, the
//    kernel of the contraction also writes the normalized rows.
// 6. Reductions of the same rows, and operators per row or per element that use their results, form one kernel
//    (RowGroups.h). They are formed before anchors other than contractions choose.
// 7. Codes of maxima join the group of the maxima, if the same engine computes both (CodeGroups.h).
// 8. Small results of the function that have the same shape are one kernel (SmallResults.h).
// 9. Operators at the end of a group that only widen or dequantize its value move to the only group that reads it.
//    Memory then holds the narrower value.
//
// Nodes for different engines share no group. Only the results of a group leave it, so no cycle can arise. The time is
// linear in the number of operators and operands.
//
// Some groups have several results. A contraction whose columns are read in equal parts (the gates of a recurrent cell)
// takes the operators that combine the parts. All readers come after this group. The gradient of a weight takes the
// updates of the weight and of its moments. No operator reads the new values before the run ends.

#ifndef NACRE_COMPILER_KERNELS_FUSION_FUSIONPOLICY_H
#define NACRE_COMPILER_KERNELS_FUSION_FUSIONPOLICY_H

#include "compiler/kernels/fusion/FusionNode.h"

#include "llvm/ADT/ArrayRef.h"

namespace nacre::kernels {

/// Decides which separable convolutions become one kernel. The kernel computes the depthwise half again for each block
/// of `columns` columns of the pointwise half.
struct SeparableRule {
  int64_t columns = 0;             ///< Columns of a block; 0 if separable convolutions stay two kernels.
  int64_t fewBlocks = 0;           ///< Number of blocks up to which one kernel is always faster.
  double repeatedMultiplyAdds = 0; ///< Limit of repeated multiply-adds if there are more blocks.

  bool pays(double multiplyAdds, int64_t columnsOfProduct) const;
};

/// Rule if GPUs compute everything. The smallest GPUs hold sums of tiles of 128 columns. A launch and a pass over the
/// tensor cost a phone as much as about 2 million multiply-adds of windows. They cost a desktop GPU much more.
constexpr SeparableRule kSeparableOnGpus = {128, 2, 2e6};

struct FusionGroup {
  int anchor = -1;     ///< Anchor; -1 for a chain of elementwise operators.
  bool isRows = false; ///< True if the anchor is the first of several operators that reduce or read the same rows.
  int depthwise = -1;  ///< Depthwise convolution that this kernel computes for its anchor; or -1.
  llvm::SmallVector<int, 4> members; ///< Members in order, including the anchor.
  int last = 0;                      ///< Last member.
  llvm::SmallVector<int, 2> results; ///< Members whose results leave the group.
};

/// Returns the groups of all nodes except boundaries, in the order of their last members.
llvm::SmallVector<FusionGroup> formGroups(llvm::ArrayRef<FusionNode> nodes, const SeparableRule &rule = {});

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_FUSIONPOLICY_H
