// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both halves of a separable convolution in one kernel.

#include "test/unit/compiler/kernels/FusionGraph.h"
#include "gtest/gtest.h"

using namespace nacre::kernels;

namespace {

constexpr SeparableRule kRule = {/*columns=*/64, /*fewBlocks=*/2, /*repeatedMultiplyAdds=*/1000};

struct SeparableGraph : FusionGraph {
  /// Its channels are a shape of their own.
  int depthwise(int input, double multiplyAdds = 2000) {
    int node = contraction({input, -1}, 1);
    nodes[node].role = roles::Depthwise{multiplyAdds};
    return node;
  }
  int biased(int operand, bool ofChannels = true) {
    int node = elementwise({operand, -1}, 1);
    nodes[node].isOfChannels = {false, ofChannels};
    return node;
  }
  int pointwise(int input, int64_t columns) {
    int node = contraction({input, -1}, 2);
    nodes[node].role = roles::Pointwise{columns};
    return node;
  }
  llvm::SmallVector<FusionGroup> fuse() {
    nodes.back().escapes = true;
    return formGroups(nodes, kRule);
  }
};

} // namespace

TEST(SeparableFusion, BothHalvesOfASeparableConvolutionAreOneKernel) {
  SeparableGraph graph;
  int first = graph.depthwise(-1), bias = graph.biased(first), second = graph.pointwise(bias, 96);
  int sum = graph.elementwise({second, -1}, 2);
  auto groups = graph.fuse();
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].anchor, second);
  EXPECT_EQ(groups[0].depthwise, first);
  EXPECT_EQ(groups[0].last, sum);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{first, bias, second, sum}));
  EXPECT_EQ(formGroups(graph.nodes).size(), 2u) << "where no rule says so, they are two";
}

TEST(SeparableFusion, HalvesAreApartWhereTheFirstIsReadTwice) {
  SeparableGraph graph;
  int first = graph.depthwise(-1), second = graph.pointwise(first, 8);
  graph.elementwise({first}, 1);
  graph.nodes[second].escapes = true;
  for (const FusionGroup &group : graph.fuse())
    EXPECT_EQ(group.depthwise, -1);

  SeparableGraph output;
  int stored = output.depthwise(-1);
  output.nodes[stored].escapes = true;
  output.pointwise(stored, 8);
  EXPECT_EQ(output.fuse().size(), 2u);
}

TEST(SeparableFusion, ANumberForEveryPixelIsNotReadWithEachBlockOfColumns) {
  SeparableGraph graph;
  graph.pointwise(graph.biased(graph.depthwise(-1), /*ofChannels=*/false), 8);
  EXPECT_EQ(graph.fuse().size(), 2u);
}

/// 129 columns are three blocks of 64: the first half is computed twice more.
TEST(SeparableFusion, WhatIsComputedAgainIsWeighed) {
  auto groupsOf = [](int64_t columns, double multiplyAdds) {
    SeparableGraph graph;
    graph.pointwise(graph.depthwise(-1, multiplyAdds), columns);
    return graph.fuse().size();
  };
  EXPECT_EQ(groupsOf(128, 1e9), 1u);
  EXPECT_EQ(groupsOf(129, 500), 1u);
  EXPECT_EQ(groupsOf(129, 501), 2u);
}
