// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/fusion/FusionPolicy.h"
#include "gtest/gtest.h"

using namespace nacre::kernels;

namespace {

/// Builds small graphs: every call appends a node and returns its number.
struct Graph {
  llvm::SmallVector<FusionNode> nodes;

  int add(WorkKind kind, llvm::ArrayRef<int> operands, int shape = 0, int prologueOperand = -1) {
    FusionNode node;
    node.kind = kind;
    node.operands.assign(operands.begin(), operands.end());
    node.shape = shape;
    node.prologueOperand = prologueOperand;
    nodes.push_back(std::move(node));
    return nodes.size() - 1;
  }
  int elementwise(llvm::ArrayRef<int> operands, int shape = 0) { return add(WorkKind::Elementwise, operands, shape); }
  int contraction(llvm::ArrayRef<int> operands, int shape = 0) { return add(WorkKind::Contraction, operands, shape); }
  llvm::SmallVector<FusionGroup> run() {
    nodes.back().escapes = true;
    return formGroups(nodes);
  }
};

std::vector<int> members(const FusionGroup &group) { return {group.members.begin(), group.members.end()}; }

} // namespace

TEST(FusionPolicy, AnAnchorTakesTheChainThatFollows) {
  Graph graph;
  int conv = graph.contraction({-1, -1});
  int bias = graph.elementwise({conv, -1});
  int relu = graph.elementwise({bias});
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].anchor, conv);
  EXPECT_EQ(groups[0].last, relu);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{conv, bias, relu}));
}

TEST(FusionPolicy, OfTwoContractionsTheLaterTakesTheSum) {
  Graph graph;
  int first = graph.contraction({-1, -1});
  int second = graph.contraction({-1, -1});
  int sum = graph.elementwise({first, second});
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{first}));
  EXPECT_EQ(members(groups[1]), (std::vector<int>{second, sum}));
}

TEST(FusionPolicy, UsesThatMeetAgainStayInRegisters) {
  // x * sigmoid(x): the product has two uses, but only one value leaves the group.
  Graph graph;
  int conv = graph.contraction({-1, -1});
  int sigmoid = graph.elementwise({conv});
  int product = graph.elementwise({conv, sigmoid});
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{conv, sigmoid, product}));
}

TEST(FusionPolicy, AValueReadElsewhereEndsTheGroup) {
  Graph graph;
  int conv = graph.contraction({-1, -1});
  int relu = graph.elementwise({conv});
  int left = graph.contraction({relu, -1});
  int right = graph.elementwise({relu});
  graph.elementwise({left, right});
  auto groups = graph.run();
  EXPECT_EQ(groups[0].last, relu);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{conv, relu}));
}

TEST(FusionPolicy, AResultOfAnotherShapeIsNoEpilogue) {
  Graph graph;
  int product = graph.contraction({-1, -1}, /*shape=*/0);
  int broadcast = graph.elementwise({product, -1}, /*shape=*/1);
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[1].anchor, -1);
  EXPECT_EQ(members(groups[1]), (std::vector<int>{broadcast}));
}

TEST(FusionPolicy, AChainBeforeARowIsItsPrologue) {
  Graph graph;
  int scale = graph.elementwise({-1, -1});
  int mask = graph.elementwise({scale, -1});
  int softmax = graph.add(WorkKind::Row, {mask}, 0, /*prologueOperand=*/0);
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].anchor, softmax);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{scale, mask, softmax}));
}

TEST(FusionPolicy, AChainBeforeAContractionIsAKernel) {
  Graph graph;
  int scale = graph.elementwise({-1, -1});
  int conv = graph.contraction({scale, -1});
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{scale}));
  EXPECT_EQ(members(groups[1]), (std::vector<int>{conv}));
}

TEST(FusionPolicy, ASideChainJoinsTheEpilogueThatReadsIt) {
  Graph graph;
  int gate = graph.elementwise({-1});
  int conv = graph.contraction({-1, -1});
  int product = graph.elementwise({conv, gate});
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{gate, conv, product}));
}

TEST(FusionPolicy, BoundariesAreInNoGroup) {
  Graph graph;
  int relu = graph.elementwise({-1});
  int reshape = graph.add(WorkKind::Boundary, {relu});
  int exp = graph.elementwise({reshape});
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{relu}));
  EXPECT_EQ(members(groups[1]), (std::vector<int>{exp}));
}

TEST(FusionPolicy, AProgramStaysAlone) {
  Graph graph;
  int before = graph.elementwise({-1});
  int sums = graph.add(WorkKind::Serial, {before});
  int after = graph.elementwise({sums});
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{before}));
  EXPECT_EQ(members(groups[1]), (std::vector<int>{sums}));
  EXPECT_EQ(members(groups[2]), (std::vector<int>{after}));
}

TEST(FusionPolicy, ALongChainIsCutIntoKernelsOfBoundedSize) {
  Graph graph;
  int last = graph.elementwise({-1});
  for (int i = 1; i < 1000; ++i)
    last = graph.elementwise({last});
  auto groups = graph.run();
  size_t total = 0;
  for (const FusionGroup &group : groups) {
    EXPECT_LE(group.members.size(), 64u);
    total += group.members.size();
  }
  EXPECT_EQ(total, 1000u);
  EXPECT_LE(groups.size(), 20u);
}

//===----------------------------------------------------------------------===//
// Products that are read in parts
//===----------------------------------------------------------------------===//

namespace {

struct PartedGraph : Graph {
  int part(int product, int shape = 1) {
    int node = add(WorkKind::Boundary, {product}, shape);
    nodes[node].role = roles::ProductPart{};
    return node;
  }
};

} // namespace

TEST(FusionPolicy, ACellSharesTheKernelOfItsGates) {
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

// What comes behind another reader may depend on it, and could not be computed before it.
TEST(FusionPolicy, RowsOfTwoTablesMeetInOneKernel) {
  Graph graph;
  int words = graph.add(WorkKind::Indexed, {-1, -1}), types = graph.add(WorkKind::Indexed, {-1, -1});
  int sum = graph.elementwise({words, types});
  graph.nodes[words].role = graph.nodes[types].role = roles::RowLookup{};
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].anchor, types);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{words, types, sum}));
}

TEST(FusionPolicy, ALookupJoinsNothingButALookupsGroup) {
  Graph graph;
  int words = graph.add(WorkKind::Indexed, {-1, -1});
  int product = graph.contraction({-1, -1});
  graph.elementwise({words, product});
  graph.nodes[words].role = roles::RowLookup{};
  EXPECT_EQ(graph.run().size(), 2u);

  Graph picked; // what picks and what is picked from
  int table = picked.add(WorkKind::Indexed, {-1, -1}), rows = picked.add(WorkKind::Indexed, {table, -1});
  picked.nodes[table].role = picked.nodes[rows].role = roles::RowLookup{};
  EXPECT_EQ(picked.run().size(), 2u);
}

TEST(FusionPolicy, AnotherReaderEndsWhatPartsReach) {
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

TEST(FusionPolicy, PartsThatOthersReadAreViews) {
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

TEST(FusionPolicy, AProductThatIsReadWholeAsWellIsStored) {
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

namespace {

constexpr SeparableRule kRule = {/*columns=*/64, /*fewBlocks=*/2, /*repeatedMultiplyAdds=*/1000};

struct SeparableGraph : Graph {
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
  llvm::SmallVector<FusionGroup> run() {
    nodes.back().escapes = true;
    return formGroups(nodes, kRule);
  }
};

} // namespace

TEST(FusionPolicy, BothHalvesOfASeparableConvolutionAreOneKernel) {
  SeparableGraph graph;
  int first = graph.depthwise(-1), bias = graph.biased(first), second = graph.pointwise(bias, 96);
  int sum = graph.elementwise({second, -1}, 2);
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].anchor, second);
  EXPECT_EQ(groups[0].depthwise, first);
  EXPECT_EQ(groups[0].last, sum);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{first, bias, second, sum}));
  EXPECT_EQ(formGroups(graph.nodes).size(), 2u) << "where no rule says so, they are two";
}

TEST(FusionPolicy, HalvesAreApartWhereTheFirstIsReadTwice) {
  SeparableGraph graph;
  int first = graph.depthwise(-1), second = graph.pointwise(first, 8);
  graph.elementwise({first}, 1);
  graph.nodes[second].escapes = true;
  for (const FusionGroup &group : graph.run())
    EXPECT_EQ(group.depthwise, -1);

  SeparableGraph output;
  int stored = output.depthwise(-1);
  output.nodes[stored].escapes = true;
  output.pointwise(stored, 8);
  EXPECT_EQ(output.run().size(), 2u);
}

TEST(FusionPolicy, ANumberForEveryPixelIsNotReadWithEachBlockOfColumns) {
  SeparableGraph graph;
  graph.pointwise(graph.biased(graph.depthwise(-1), /*ofChannels=*/false), 8);
  EXPECT_EQ(graph.run().size(), 2u);
}

/// 129 columns are three blocks of 64: the first half is computed twice more.
TEST(FusionPolicy, WhatIsComputedAgainIsWeighed) {
  auto groupsOf = [](int64_t columns, double multiplyAdds) {
    SeparableGraph graph;
    graph.pointwise(graph.depthwise(-1, multiplyAdds), columns);
    return graph.run().size();
  };
  EXPECT_EQ(groupsOf(128, 1e9), 1u);
  EXPECT_EQ(groupsOf(129, 500), 1u);
  EXPECT_EQ(groupsOf(129, 501), 2u);
}

TEST(FusionPolicy, AContractionComputesItsLeftOperand) {
  // What scales a concatenation; but not what a GPU does not load, or what two read.
  for (auto [mayBeMade, alone] : {std::pair(true, true), {false, true}, {true, false}}) {
    Graph graph;
    int concat = graph.add(WorkKind::Boundary, {-1, -1});
    int scale = graph.elementwise({concat, -1});
    int shift = graph.elementwise({scale, -1});
    graph.nodes[shift].mayBeMade = mayBeMade;
    int product = graph.add(WorkKind::Contraction, {shift, -1}, /*shape=*/1, /*prologueOperand=*/0);
    if (!alone)
      graph.add(WorkKind::Contraction, {shift, product}, /*shape=*/2, /*prologueOperand=*/0);
    auto groups = graph.run();
    const bool joins = mayBeMade && alone;
    ASSERT_EQ(groups.size(), joins ? 1u : alone ? 2u : 3u);
    if (joins)
      EXPECT_EQ(members(groups[0]), (std::vector<int>{scale, shift, product}));
  }
}

TEST(FusionPolicy, AContractionNormalizesWhatItReads) {
  Graph graph;
  int rows = graph.add(WorkKind::Row, {-1});
  graph.nodes[rows].role = roles::Normalization{};
  int scaled = graph.elementwise({rows, -1});
  int product = graph.add(WorkKind::Contraction, {scaled, -1}, /*shape=*/1, /*prologueOperand=*/0);
  int other = graph.contraction({product, -1});
  int residual = graph.elementwise({other, scaled});
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{rows, scaled, product}));
  EXPECT_EQ(groups[0].results, (llvm::SmallVector<int, 2>{product, scaled}));
  EXPECT_EQ(members(groups[1]), (std::vector<int>{other, residual}));
}

TEST(FusionPolicy, ANormalizationThatIsReadBeforeStaysAlone) {
  // What the product's epilogue adds depends on the same rows.
  Graph graph;
  int rows = graph.add(WorkKind::Row, {-1});
  graph.nodes[rows].role = roles::Normalization{};
  int product = graph.add(WorkKind::Contraction, {rows, -1}, /*shape=*/0, /*prologueOperand=*/0);
  int other = graph.contraction({rows, -1});
  int pooled = graph.add(WorkKind::Nest, {other});
  int sum = graph.elementwise({product, pooled});
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{rows}));
  EXPECT_EQ(members(groups[3]), (std::vector<int>{product, sum}));
}
