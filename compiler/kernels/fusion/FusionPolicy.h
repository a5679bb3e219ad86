// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  decides which operators share a kernel.
// Why:   an elementwise operator that runs where its operand is still in registers costs no pass over memory.
// How:   1. an anchor (contraction, row, ...) takes the elementwise operators that follow it, as long as one value
//           alone leaves the group; contractions choose first, and of two the later one, so that a residual sum is
//           taken by it;
//        2. the elementwise operators left over form chains in the same way;
//        3. a chain that only one group reads joins it: as operands of its epilogue, or as the prologue of its anchor. So does a
//           lookup that a lookup's group reads: of two tables whose rows are added up, one kernel reads both.
//        4. a depthwise convolution that only a pixel's product of channels reads, and what follows it, join the product's group, where
//           the rule says that computing it again for every block of columns costs less than a kernel of its own.
//        5. a normalization joins the first contraction that reads it as an operand that it may compute; where others read it,
//           too, and come behind that, the contraction's kernel writes it as well;
//        6. reductions of the same rows, and what is computed of them for each row or each element, are one kernel of rows (RowGroups.h),
//           which other anchors but contractions leave them to;
//        7. codes of maxima join the group of these, if one engine computes both: its kernel writes both (CodeGroups.h);
//        8. small results of the function that have the same shape are one kernel (SmallResults.h);
//        9. what only makes the last value of a group wider, or dequantizes it, is left to the one group that reads it: memory holds the
//           narrower value.
//        Nodes for different engines share no group. All values of a group but the last stay inside, so no cycle can arise. Linear in operators and their operands.
//        A contraction whose columns are read in equal parts (the gates of a recurrent cell) takes what the parts meet in,
//        and several values may leave: all who read them come behind the group. So may they of a gradient of a weight that is
//        followed by what the weight and its moments become: nobody reads these before the run ends.

#ifndef NACRE_COMPILER_KERNELS_FUSION_FUSIONPOLICY_H
#define NACRE_COMPILER_KERNELS_FUSION_FUSIONPOLICY_H

#include "dialects/nn/WorkKind.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre::kernels {

using nn::WorkKind;

/// The two halves of a separable convolution.
enum class SeparablePart {
  None,
  Depthwise, ///< One filter a channel.
  Pointwise  ///< Of one tap: a pixel's channels, which are operand 0, times a matrix.
};

/// Stands for an operand that is one number, which bodies contain.
constexpr int kSplatOperand = -2;

/// An operator. Nodes are given in an order in which operands come first.
struct FusionNode {
  WorkKind kind = WorkKind::Boundary;
  /// Nodes that produce the operands; -1 for values that are there before (inputs, constants), or kSplatOperand.
  llvm::SmallVector<int, 2> operands;
  /// Equal for results of equal shape.
  int shape = 0;
  /// Equal for nodes that one engine computes, or that any may: no others share a kernel.
  int engine = 0;
  /// Whether the result is read by anything but nodes.
  bool escapes = false;
  /// Whether all that reads it beside nodes is a state that it becomes when the run ends.
  bool becomesState = false;
  /// Whether its kernel may write several such results, as of what is computed of a gradient.
  bool mayUpdate = false;
  /// Whether all that reads the result beside nodes is what the function returns, and it is so small that one kernel may compute several.
  bool isSmallResult = false;
  /// The operand that the kernel may compute while it reads it; -1 for none.
  int prologueOperand = -1;
  /// Whether it picks rows of a table: several such operators may be in one kernel.
  bool isLookup = false;
  /// Whether it is elementwise, but reads a table at a position that it computes: only nests and rows do that.
  bool readsTable = false;
  /// Whether it is a conversion to a type of more bytes.
  bool widens = false;
  /// Of a reduction that a kernel of rows may hold: equal for those of the same axes of one shape; -1 for all else.
  int rows = -1;
  /// Of such a reduction: the shape of what it reduces, as of `shape`.
  int wholeShape = -1;
  /// For such a reduction, whether a kernel that begins with it may write several values of its rows.
  bool hasSeveralResults = false;
  /// Whether it is one of the equal parts that the columns of its operand, a contraction, are read in: a boundary, unless
  /// the contraction's group takes it.
  bool isPart = false;
  /// Whether it is attention of codes, which may be followed by what makes codes of its sums.
  bool isOfCodes = false;
  /// For codes of maxima, the number of the node that computes the maxima: its kernel may compute the codes, too. Else -1.
  int maxima = -1;
  SeparablePart separable = SeparablePart::None;
  double multiplyAdds = 0; ///< Of a depthwise convolution.
  int64_t columns = 0;     ///< Of a pointwise one.
  /// For each operand, whether it has at most a number a channel.
  llvm::SmallVector<bool, 2> isOfChannels;
  /// Whether a product's kernel may make it of its operands, where it is the left one.
  bool mayBeMade = true;
  /// Whether it normalizes rows, and the kernel of a product that reads them may do so.
  bool normalizesRows = false;
};

/// Which separable convolutions are one kernel. Every block of so many columns of the pointwise half computes the depthwise
/// half for itself.
struct SeparableRule {
  int64_t columns = 0;             ///< 0: none are.
  int64_t fewBlocks = 0;           ///< So many blocks always pay;
  double repeatedMultiplyAdds = 0; ///< more do while what is done again is less than this.

  bool pays(double multiplyAdds, int64_t columnsOfProduct) const;
};

/// Where GPUs compute everything. Tiles of 128 columns are what the smallest of them hold sums for; a launch and a pass over
/// the tensor between cost a phone as much as some two million multiply-adds by windows, and a desktop GPU far more.
constexpr SeparableRule kSeparableOnGpus = {128, 2, 2e6};

struct FusionGroup {
  int anchor = -1;     ///< -1 for a chain of elementwise operators.
  bool isRows = false; ///< The anchor is the first of several operators that reduce or read the same rows.
  int depthwise = -1;  ///< The convolution that the anchor reads as its kernel computes it; -1: none.
  llvm::SmallVector<int, 4> members; ///< In order, the anchor included.
  int last = 0;                      ///< The last member, whose result leaves the group.
  llvm::SmallVector<int, 2> results; ///< All whose result does.
};

/// Groups of all nodes but boundaries, in the order of their last members.
llvm::SmallVector<FusionGroup> formGroups(llvm::ArrayRef<FusionNode> nodes, const SeparableRule &rule = {});

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSION_FUSIONPOLICY_H
