// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/fusion/FusionPolicy.h"
#include "gtest/gtest.h"

using namespace nacre::kernels;

namespace {

constexpr int kWhole = 0, kPerRow = 1;

/// Operators over rows: every call appends a node and returns its number.
struct RowGraph {
  llvm::SmallVector<FusionNode> nodes;

  int add(WorkKind kind, llvm::ArrayRef<int> operands, int shape) {
    FusionNode node;
    node.kind = kind;
    node.operands.assign(operands.begin(), operands.end());
    node.shape = shape;
    nodes.push_back(std::move(node));
    return nodes.size() - 1;
  }
  int map(llvm::ArrayRef<int> operands, int shape = kWhole) { return add(WorkKind::Elementwise, operands, shape); }
  int table(int index) {
    nodes[map({-1, index})].role = roles::TableRead{};
    return nodes.size() - 1;
  }
  int reduce(int operand, int rows = 0) {
    int node = add(WorkKind::Nest, {operand}, kPerRow);
    nodes[node].prologueOperand = 0;
    nodes[node].role = roles::RowReduction{rows, kWhole};
    return node;
  }
  llvm::SmallVector<FusionGroup> run() {
    nodes.back().escapes = true;
    return formGroups(nodes);
  }
};

std::vector<int> members(const FusionGroup &group) { return {group.members.begin(), group.members.end()}; }

} // namespace

TEST(RowGroups, ASoftmaxOfIntegersIsOneKernel) {
  RowGraph graph;
  int wide = graph.map({-1});
  int largest = graph.reduce(wide);
  int distance = graph.map({wide, largest});
  int exponential = graph.table(distance);
  int sum = graph.reduce(exponential);
  int headroom = graph.map({sum, kSplatOperand}, kPerRow);
  int reciprocal = graph.map({sum, headroom}, kPerRow);
  int result = graph.map({exponential, reciprocal, headroom});
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_TRUE(groups[0].isRows);
  EXPECT_EQ(groups[0].anchor, largest);
  EXPECT_EQ(members(groups[0]),
            (std::vector<int>{wide, largest, distance, exponential, sum, headroom, reciprocal, result}));
}

TEST(RowGroups, ARowThatIsReadOnceIsANest) {
  // Several threads can share it.
  RowGraph graph;
  int sum = graph.reduce(-1);
  int root = graph.map({sum}, kPerRow);
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_FALSE(groups[0].isRows);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{sum, root}));
}

TEST(RowGroups, AReductionOfOtherAxesIsAnotherKernel) {
  RowGraph graph;
  int x = graph.add(WorkKind::Boundary, {-1}, kWhole);
  int largest = graph.reduce(x, /*rows=*/0);
  int distance = graph.map({x, largest});
  int other = graph.reduce(distance, /*rows=*/1);
  int result = graph.map({distance, other});
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{largest, distance}));
  EXPECT_EQ(members(groups[1]), (std::vector<int>{other, result}));
}

TEST(RowGroups, OnlyNestsAndRowsReadTables) {
  for (auto [kind, together] :
       {std::pair(WorkKind::Contraction, false), {WorkKind::Nest, true}, {WorkKind::Permute, false}}) {
    RowGraph graph;
    int anchor = graph.add(kind, {-1}, kWhole);
    int entry = graph.table(anchor);
    auto groups = graph.run();
    ASSERT_EQ(groups.size(), together ? 1u : 2u);
    EXPECT_EQ(groups.back().last, entry);
  }
}

TEST(RowGroups, MemoryHoldsTheNarrowerValue) {
  // The product stores bytes; whoever reads them dequantizes them. Two readers would do so twice.
  for (int readers : {1, 2}) {
    RowGraph graph;
    int product = graph.add(WorkKind::Contraction, {-1, -1}, kWhole);
    int bytes = graph.map({product});
    int wide = graph.map({bytes});
    graph.nodes[wide].role = roles::Widening{};
    int centred = graph.map({wide, kSplatOperand});
    int softmax = graph.add(WorkKind::Row, {centred}, kWhole);
    graph.nodes[softmax].prologueOperand = 0;
    if (readers == 2)
      graph.add(WorkKind::Permute, {centred}, kWhole);
    auto groups = graph.run();
    const bool moves = readers == 1;
    EXPECT_EQ(members(groups[0]),
              moves ? (std::vector<int>{product, bytes}) : (std::vector<int>{product, bytes, wide, centred}));
    EXPECT_EQ(groups[0].results.front(), moves ? bytes : centred);
    EXPECT_EQ(members(groups[1]), moves ? (std::vector<int>{wide, centred, softmax}) : (std::vector<int>{softmax}));
  }
}

/// A loss and its gradient: terms that others read, and a gradient.
struct LossGraph : RowGraph {
  int label, share, largest, sum, terms, gradient;

  LossGraph() {
    label = map({-1, -1});
    largest = reduce(-1);
    nodes[largest].role = roles::RowReduction{0, kWhole, /*hasSeveralResults=*/true};
    int distance = map({-1, largest});
    sum = reduce(map({distance}));
    int logarithm = map({distance, map({sum}, kPerRow)});
    terms = map({label, logarithm});
    share = reduce(map({label, kSplatOperand}));
    gradient = map({map({logarithm}), share});
    nodes[gradient].escapes = true;
  }
};

TEST(RowGroups, SeveralValuesOfRowsAreResultsOfOneKernel) {
  LossGraph graph;
  graph.add(WorkKind::Nest, {graph.terms}, /*shape=*/2);
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].anchor, graph.largest);
  EXPECT_EQ(groups[0].last, graph.gradient);
  EXPECT_EQ(groups[0].members.front(), graph.label);
  EXPECT_EQ(groups[0].results, (llvm::SmallVector<int, 2>{graph.terms, graph.gradient}));
}

TEST(RowGroups, AReaderBeforeTheLastValueKeepsThemApart) {
  LossGraph graph;
  int reader = graph.add(WorkKind::Nest, {graph.terms}, /*shape=*/2);
  graph.nodes[reader].escapes = true;
  graph.map({graph.gradient, graph.share});
  auto groups = graph.run();
  EXPECT_GT(groups.size(), 2u);
  for (const FusionGroup &group : groups)
    EXPECT_EQ(group.results.size(), 1u);
}

TEST(RowGroups, OnlyWholeRowsAreSeveralResults) {
  LossGraph graph;
  graph.nodes[graph.share].escapes = true;
  for (const FusionGroup &group : graph.run())
    EXPECT_EQ(group.results.size(), 1u);
}
