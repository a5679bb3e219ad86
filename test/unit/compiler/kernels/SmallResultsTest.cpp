// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which small results of a function one kernel computes.

#include "compiler/kernels/fusion/FusionPolicy.h"
#include "gtest/gtest.h"

using namespace nacre::kernels;

namespace {

/// Every call appends an elementwise node and returns its number.
struct Counters {
  llvm::SmallVector<FusionNode> nodes;

  int add(llvm::ArrayRef<int> operands) {
    FusionNode node;
    node.kind = WorkKind::Elementwise;
    node.operands.assign(operands.begin(), operands.end());
    nodes.push_back(std::move(node));
    return nodes.size() - 1;
  }
  int result(llvm::ArrayRef<int> operands) {
    const int node = add(operands);
    nodes[node].escapes = nodes[node].isSmallResult = true;
    return node;
  }
};

std::vector<int> listOf(llvm::ArrayRef<int> numbers) {
  std::vector<int> list = numbers.vec();
  std::sort(list.begin(), list.end());
  return list;
}

} // namespace

TEST(SmallResults, OfOneShapeAreOneKernel) {
  Counters graph;
  const int first = graph.add({-1, kSplatOperand, kSplatOperand}), step = graph.result({first}),
            skipped = graph.result({-1, -1});
  auto groups = formGroups(graph.nodes);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].anchor, -1);
  EXPECT_EQ(groups[0].last, skipped);
  EXPECT_EQ(listOf(groups[0].members), (std::vector<int>{first, step, skipped}));
  EXPECT_EQ(listOf(groups[0].results), (std::vector<int>{step, skipped}));
}

TEST(SmallResults, OtherShapesAndEnginesStayApart) {
  Counters graph;
  graph.result({-1, -1});
  graph.nodes[graph.result({-1, -1})].shape = 1;
  graph.nodes[graph.result({-1, -1})].engine = 1;
  EXPECT_EQ(formGroups(graph.nodes).size(), 3u);
}

TEST(SmallResults, WhatANodeReadsStaysApart) {
  Counters graph;
  const int counted = graph.result({-1, -1});
  graph.nodes[graph.add({counted})].escapes = true;
  graph.result({-1, -1});
  auto groups = formGroups(graph.nodes);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].last, counted);
}

TEST(SmallResults, LargeOnesStayApart) {
  Counters graph;
  graph.result({-1, -1});
  graph.nodes[graph.result({-1, -1})].isSmallResult = false;
  EXPECT_EQ(formGroups(graph.nodes).size(), 2u);
}

TEST(SmallResults, AKernelBindsFewBuffers) {
  Counters graph;
  for (int i = 0; i < 10; ++i)
    graph.result({-1, -1, -1}); // Four buffers each, of 24.
  auto groups = formGroups(graph.nodes);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].results.size(), 6u);
  EXPECT_EQ(groups[1].results.size(), 4u);
}
