// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kernel does the update of a weight: that of its gradient, if no other kernel reads its result.

#include "test/unit/compiler/kernels/FusionGraph.h"
#include "gtest/gtest.h"

using namespace nacre::kernels;

namespace {

/// v' = k v + g, w' = w - r v'.
struct UpdatingGraph : FusionGraph {
  int gradient = add(WorkKind::Contraction, {-1, -1}), kept = add(WorkKind::Elementwise, {-1, -1}),
      moment = add(WorkKind::Elementwise, {kept, gradient}), step = add(WorkKind::Elementwise, {moment, -1}),
      weight = add(WorkKind::Elementwise, {-1, step});

  UpdatingGraph() {
    nodes[gradient].mayUpdate = true;
    for (int state : {moment, weight})
      nodes[state].escapes = nodes[state].becomesState = true;
  }
};

std::vector<int> listOf(llvm::ArrayRef<int> numbers) { return numbers.vec(); }

} // namespace

TEST(UpdateFusion, AGradientTakesTheUpdateThatFollows) {
  UpdatingGraph graph;
  auto groups = formGroups(graph.nodes);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(listOf(groups[0].members),
            (std::vector<int>{graph.gradient, graph.kept, graph.moment, graph.step, graph.weight}));
  EXPECT_EQ(groups[0].last, graph.weight);
  EXPECT_EQ(listOf(groups[0].results), (std::vector<int>{graph.moment, graph.weight}));
}

TEST(UpdateFusion, OneResultMayBeAll) {
  UpdatingGraph graph;
  graph.nodes[graph.moment].escapes = graph.nodes[graph.moment].becomesState = false;
  auto groups = formGroups(graph.nodes);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(listOf(groups[0].results), (std::vector<int>{graph.weight}));
}

TEST(UpdateFusion, WhatSomebodyElseReadsStaysApart) {
  UpdatingGraph graph;
  graph.nodes[graph.add(WorkKind::Contraction, {graph.moment, -1})].escapes = true;
  auto groups = formGroups(graph.nodes);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].last, graph.moment);
  EXPECT_EQ(groups[1].last, graph.weight);
}

TEST(UpdateFusion, WhatIsAnOutputTooStaysApart) {
  UpdatingGraph graph;
  graph.nodes[graph.moment].becomesState = false;
  auto groups = formGroups(graph.nodes);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].last, graph.moment);
  EXPECT_EQ(groups[1].last, graph.weight);
}

TEST(UpdateFusion, OtherContractionsGiveOneResult) {
  UpdatingGraph graph;
  graph.nodes[graph.gradient].mayUpdate = false;
  auto groups = formGroups(graph.nodes);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(listOf(groups[0].results), (std::vector<int>{graph.moment}));
}

TEST(UpdateFusion, AMapBeginsTheUpdateWhereTheGradientIsKnownBefore) {
  UpdatingGraph graph;
  // The gradient is an output, too.
  graph.nodes[graph.gradient].escapes = true;
  EXPECT_EQ(formGroups(graph.nodes).size(), 3u);
  graph.nodes[graph.kept].mayUpdate = true;
  auto groups = formGroups(graph.nodes);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(listOf(groups[0].results), (std::vector<int>{graph.gradient}));
  EXPECT_EQ(groups[1].anchor, -1);
  EXPECT_EQ(listOf(groups[1].results), (std::vector<int>{graph.moment, graph.weight}));
}
