// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which operators share a kernel. An elementwise operator that runs while its operand is still in registers
// costs no pass over memory.
//
// 1. An anchor (contraction, row, ...) takes the elementwise operators that follow it, as long as only one value leaves
//    the group. Contractions choose first. The later of two contractions chooses before the other one, so that it takes
//    a residual sum.
// 2. The remaining elementwise operators form chains in the same way.
// 3. A chain that only one group reads joins this group: as operands of its epilogue, or as the prologue of its anchor.
//    A lookup joins a lookup that reads it, so that one kernel reads both tables if their rows are added.
// 4. A depthwise convolution and its epilogue join the group of the pointwise convolution that is their only reader.
//    SeparableRule says when recomputing it for every block of columns costs less than a kernel of its own.
// 5. A normalization joins the first contraction that reads it as its prologue operand. If it has later readers, the
//    kernel of the contraction also writes the normalized rows.
// 6. Reductions of the same rows, and operators per row or per element that use their results, form one kernel
//    (RowGroups.h). They are formed before anchors other than contractions choose.
// 7. Codes of maxima join the group of the maxima, if one engine computes both (CodeGroups.h).
// 8. Small results of the function that have the same shape are one kernel (SmallResults.h).
// 9. Operators at the end of a group that only widen or dequantize its value move to the only group that reads it.
//    Memory then holds the narrower value.
//
// Nodes for different engines share no group. All values of a group except its results stay inside, so no cycle can
// arise. The time is linear in operators and their operands.
//
// Some groups have several results. A contraction whose columns are read in equal parts (the gates of a recurrent cell)
// takes the operators that combine the parts; all readers come after the group. The gradient of a weight takes the
// update of the weight and of its moments; no operator reads the new values before the run ends.

#ifndef NACRE_COMPILER_KERNELS_FUSION_FUSIONPOLICY_H
#define NACRE_COMPILER_KERNELS_FUSION_FUSIONPOLICY_H

#include "dialects/nn/WorkKind.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre::kernels {

using nn::WorkKind;

/// Half of a separable convolution that an operator can be.
enum class SeparablePart {
  None,
  Depthwise, ///< One filter per channel.
  Pointwise  ///< 1x1 convolution: a product of the channels of each pixel (operand 0) with a matrix.
};

/// Value of `operands` for an operand whose elements are all one number, which bodies contain as a constant.
constexpr int kSplatOperand = -2;

/// Operator of a block. Nodes are listed after the nodes that compute their operands.
struct FusionNode {
  WorkKind kind = WorkKind::Boundary;
  /// Nodes that compute the operands; -1 for inputs and constants, kSplatOperand for constants of one number.
  llvm::SmallVector<int, 2> operands;
  /// Number of the shape of the result; equal shapes have equal numbers.
  int shape = 0;
  /// Number of the engine, or of any engine, that computes it. Only nodes with equal numbers share a kernel.
  int engine = 0;
  /// True if anything besides nodes reads the result.
  bool escapes = false;
  /// True if the only reader besides nodes is a state that takes this value when the run ends.
  bool becomesState = false;
  /// True if its kernel may write several such states: the update of a weight and of its moments after the gradient.
  bool mayUpdate = false;
  /// True if the only reader besides nodes is the function's return, and the result is small (see SmallResults.h).
  bool isSmallResult = false;
  /// Operand that the kernel may compute while it reads it; -1 if there is no such operand.
  int prologueOperand = -1;
  /// True if it picks rows of a table. One kernel can hold several such operators.
  bool isLookup = false;
  /// True if it is elementwise and reads a table at a computed position. Only nests and rows may contain it.
  bool readsTable = false;
  /// True if it converts to a type of more bytes.
  bool widens = false;
  /// Number that reductions of one kernel of rows share: they reduce the same axes of the same shape. -1 for other
  /// nodes.
  int rows = -1;
  /// Shape of the operand of such a reduction, numbered like `shape`.
  int wholeShape = -1;
  /// True if a kernel of rows that begins with this reduction may write several values.
  bool hasSeveralResults = false;
  /// True if it is one of the equal parts in which the columns of its operand, a contraction, are read. It is a
  /// boundary, unless the group of the contraction takes it.
  bool isPart = false;
  /// True if it is attention of codes. Operators that quantize its sums may follow it.
  bool isOfCodes = false;
  /// Node that computes the maxima of these codes, whose kernel may compute the codes, too; -1 for other nodes.
  int maxima = -1;
  SeparablePart separable = SeparablePart::None;
  double multiplyAdds = 0; ///< Multiply-adds of a depthwise convolution.
  int64_t columns = 0;     ///< Columns of a pointwise convolution.
  /// True for each operand that has at most one number per channel.
  llvm::SmallVector<bool, 2> isOfChannels;
  /// True if the kernel of a product may compute this result as its left operand.
  bool mayBeMade = true;
  /// True if it normalizes rows and the kernel of a product that reads the rows may compute it.
  bool normalizesRows = false;
};

/// Decides which separable convolutions become one kernel. Each block of `columns` columns of the pointwise half
/// computes the depthwise half again.
struct SeparableRule {
  int64_t columns = 0;             ///< Columns of a block; 0 if no kernels are joined.
  int64_t fewBlocks = 0;           ///< Number of blocks up to which joining always pays.
  double repeatedMultiplyAdds = 0; ///< Most repeated multiply-adds with which more blocks pay.

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
