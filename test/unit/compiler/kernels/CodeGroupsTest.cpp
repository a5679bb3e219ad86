// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/fusion/FusionPolicy.h"
#include "gtest/gtest.h"

using namespace nacre::kernels;

namespace {

/// Maxima of windows, their codes, and operators after them: every call appends a node and returns its number.
struct PoolGraph {
  llvm::SmallVector<FusionNode> nodes;

  int add(WorkKind kind, llvm::ArrayRef<int> operands) {
    FusionNode node;
    node.kind = kind;
    node.operands.assign(operands.begin(), operands.end());
    nodes.push_back(std::move(node));
    return nodes.size() - 1;
  }
  int pool() { return add(WorkKind::Nest, {-1}); }
  int code(int pool) {
    int node = add(WorkKind::Nest, {-1, pool});
    nodes[node].role = roles::MaximumCodes{pool};
    return node;
  }
  int convolution(int operand) { return add(WorkKind::Contraction, {operand, -1}); }
  llvm::SmallVector<FusionGroup> run() {
    nodes.back().escapes = true;
    return formGroups(nodes);
  }
};

std::vector<int> asVector(llvm::ArrayRef<int> numbers) { return numbers.vec(); }

} // namespace

TEST(CodeGroups, MaximaAndCodesAreOneKernel) {
  PoolGraph graph;
  int pool = graph.pool(), code = graph.code(pool);
  int positive = graph.add(WorkKind::Elementwise, {pool, kSplatOperand});
  int kept = graph.add(WorkKind::Elementwise, {positive, code, kSplatOperand});
  graph.convolution(pool);
  graph.nodes[kept].escapes = true;
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].anchor, pool);
  EXPECT_EQ(groups[0].last, kept);
  EXPECT_EQ(asVector(groups[0].members), (std::vector<int>{pool, code, positive, kept}));
  EXPECT_EQ(asVector(groups[0].results), (std::vector<int>{pool, kept}));
}

TEST(CodeGroups, AReaderOfTheMaximaBeforeTheCodesKeepsThemApart) {
  PoolGraph graph;
  int pool = graph.pool(), product = graph.convolution(pool);
  graph.nodes[product].escapes = true;
  graph.code(pool);
  EXPECT_EQ(graph.run().size(), 3u);
}

TEST(CodeGroups, CodesThatReadWhatComesAfterTheMaximaStayApart) {
  PoolGraph graph;
  int pool = graph.pool(), other = graph.pool();
  graph.nodes[other].escapes = true;
  int code = graph.code(pool);
  graph.add(WorkKind::Elementwise, {code, other});
  EXPECT_EQ(graph.run().size(), 3u);
}

TEST(CodeGroups, OtherEnginesAndOtherPoolsKeepThemApart) {
  PoolGraph graph;
  int pool = graph.pool();
  graph.nodes[graph.code(pool)].engine = 1;
  EXPECT_EQ(graph.run().size(), 2u);

  PoolGraph unknown;
  unknown.nodes[unknown.code(unknown.pool())].role = roles::MaximumCodes{};
  EXPECT_EQ(unknown.run().size(), 2u);
}
