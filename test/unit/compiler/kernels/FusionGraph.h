// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs of nodes for tests of fusion.

#ifndef NACRE_TEST_UNIT_COMPILER_KERNELS_FUSIONGRAPH_H
#define NACRE_TEST_UNIT_COMPILER_KERNELS_FUSIONGRAPH_H

#include "compiler/kernels/fusion/FusionPolicy.h"

#include <vector>

namespace nacre::kernels {

/// A small graph. Each call appends a node and returns its number.
struct FusionGraph {
  llvm::SmallVector<FusionNode> nodes;

  int add(WorkKind kind, llvm::ArrayRef<int> operands, int shape = 0, int prologueOperand = -1) {
    FusionNode node;
    node.kind = kind;
    node.operands.assign(operands.begin(), operands.end());
    node.shape = shape;
    node.prologueOperand = prologueOperand;
    nodes.push_back(std::move(node));
    return int(nodes.size()) - 1;
  }
  int elementwise(llvm::ArrayRef<int> operands, int shape = 0) { return add(WorkKind::Elementwise, operands, shape); }
  int contraction(llvm::ArrayRef<int> operands, int shape = 0) { return add(WorkKind::Contraction, operands, shape); }
  llvm::SmallVector<FusionGroup> run() {
    nodes.back().escapes = true;
    return formGroups(nodes);
  }
};

inline std::vector<int> members(const FusionGroup &group) { return {group.members.begin(), group.members.end()}; }

} // namespace nacre::kernels

#endif // NACRE_TEST_UNIT_COMPILER_KERNELS_FUSIONGRAPH_H
