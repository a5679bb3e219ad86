// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products that are read in parts, such as the gates of a cell.

#include "test/unit/compiler/kernels/FusionGraph.h"
#include "gtest/gtest.h"

using namespace nacre::kernels;

namespace {

struct PartedGraph : FusionGraph {
  int part(int product, int shape = 1) {
    int node = add(WorkKind::Boundary, {product}, shape);
    nodes[node].role = roles::ProductPart{};
    return node;
  }
};

} // namespace

TEST(PartFusion, ACellSharesTheKernelOfItsGates) {
  PartedGraph graph;
  int product = graph.contraction({-1, -1});
  int forget = graph.part(product), input = graph.part(product), output = graph.part(product);
  int kept = graph.elementwise({forget, -1}, 1);
  int cell = graph.elementwise({kept, input}, 1);
  graph.nodes[cell].escapes = true;
  int tanh = graph.elementwise({cell}, 1);
  int hidden = graph.elementwise({tanh, output}, 1);
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].anchor, product);
  EXPECT_EQ(groups[0].last, hidden);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{product, forget, input, output, kept, cell, tanh, hidden}));
  EXPECT_EQ((std::vector<int>{groups[0].results.begin(), groups[0].results.end()}), (std::vector<int>{cell, hidden}));
}

// Nodes after another reader may depend on it, and could not be computed before it.
TEST(PartFusion, AnotherReaderEndsWhatPartsReach) {
  PartedGraph graph;
  int product = graph.contraction({-1, -1});
  int left = graph.part(product), right = graph.part(product);
  int sum = graph.elementwise({left, right}, 1);
  int row = graph.add(WorkKind::Row, {sum}, 1);
  int both = graph.elementwise({row, sum}, 1);
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{product, left, right, sum}));
  EXPECT_EQ(groups[0].last, sum);
  EXPECT_EQ(members(groups[1]), (std::vector<int>{row, both}));
}

TEST(PartFusion, PartsThatOthersReadAreViews) {
  PartedGraph graph;
  int product = graph.contraction({-1, -1});
  int left = graph.part(product), right = graph.part(product);
  int row = graph.add(WorkKind::Row, {left}, 1);
  int sum = graph.elementwise({row, right}, 1);
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{product}));
  EXPECT_EQ(members(groups[1]), (std::vector<int>{row, sum}));
}

TEST(PartFusion, AProductThatIsReadWholeAsWellIsStored) {
  PartedGraph graph;
  int product = graph.contraction({-1, -1});
  int left = graph.part(product);
  graph.elementwise({left}, 1);
  int whole = graph.elementwise({product});
  graph.nodes[whole].escapes = true;
  graph.elementwise({-1});
  EXPECT_EQ(members(graph.run()[0]).front(), product);
  EXPECT_EQ(graph.run()[0].results.size(), 1u);
}
