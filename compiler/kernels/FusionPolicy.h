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
//        All values of a group but the last stay inside, so no cycle can arise. Linear in operators and their operands.
//        A contraction whose columns are read in equal parts (the gates of a recurrent cell) takes what the parts meet in,
//        and several values may leave: all who read them come behind the group.

#ifndef NACRE_COMPILER_KERNELS_FUSIONPOLICY_H
#define NACRE_COMPILER_KERNELS_FUSIONPOLICY_H

#include "dialects/nn/WorkKind.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace nacre::kernels {

using nn::WorkKind;

/// An operator. Nodes are given in an order in which operands come first.
struct FusionNode {
  WorkKind kind = WorkKind::Boundary;
  /// Nodes that produce the operands; -1 for values that are there before (inputs, constants).
  llvm::SmallVector<int, 2> operands;
  /// Equal for results of equal shape.
  int shape = 0;
  /// Whether the result is read by anything but nodes.
  bool escapes = false;
  /// The operand that the kernel may compute while it reads it; -1 for none.
  int prologueOperand = -1;
  /// Whether it picks rows of a table: several such operators may be in one kernel.
  bool isLookup = false;
  /// Whether it is one of the equal parts that the columns of its operand, a contraction, are read in: a boundary, unless
  /// the contraction's group takes it.
  bool isPart = false;
};

struct FusionGroup {
  int anchor = -1;                   ///< -1 for a chain of elementwise operators.
  llvm::SmallVector<int, 4> members; ///< In order, the anchor included.
  int last = 0;                      ///< The last member, whose result leaves the group.
  llvm::SmallVector<int, 2> results; ///< All whose result does.
};

/// Groups of all nodes but boundaries, in the order of their last members.
llvm::SmallVector<FusionGroup> formGroups(llvm::ArrayRef<FusionNode> nodes);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_FUSIONPOLICY_H
