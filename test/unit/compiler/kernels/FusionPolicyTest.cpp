// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Epilogues, prologues and lookups that share a kernel with their anchor.

#include "test/unit/compiler/kernels/FusionGraph.h"
#include "gtest/gtest.h"

using namespace nacre::kernels;

TEST(FusionPolicy, AnAnchorTakesTheChainThatFollows) {
  FusionGraph graph;
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
  FusionGraph graph;
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
  FusionGraph graph;
  int conv = graph.contraction({-1, -1});
  int sigmoid = graph.elementwise({conv});
  int product = graph.elementwise({conv, sigmoid});
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{conv, sigmoid, product}));
}

TEST(FusionPolicy, AValueReadElsewhereEndsTheGroup) {
  FusionGraph graph;
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
  FusionGraph graph;
  int product = graph.contraction({-1, -1}, /*shape=*/0);
  int broadcast = graph.elementwise({product, -1}, /*shape=*/1);
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[1].anchor, -1);
  EXPECT_EQ(members(groups[1]), (std::vector<int>{broadcast}));
}

TEST(FusionPolicy, AChainBeforeARowIsItsPrologue) {
  FusionGraph graph;
  int scale = graph.elementwise({-1, -1});
  int mask = graph.elementwise({scale, -1});
  int softmax = graph.add(WorkKind::Row, {mask}, 0, /*prologueOperand=*/0);
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].anchor, softmax);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{scale, mask, softmax}));
}

TEST(FusionPolicy, AChainBeforeAContractionIsAKernel) {
  FusionGraph graph;
  int scale = graph.elementwise({-1, -1});
  int conv = graph.contraction({scale, -1});
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{scale}));
  EXPECT_EQ(members(groups[1]), (std::vector<int>{conv}));
}

TEST(FusionPolicy, ASideChainJoinsTheEpilogueThatReadsIt) {
  FusionGraph graph;
  int gate = graph.elementwise({-1});
  int conv = graph.contraction({-1, -1});
  int product = graph.elementwise({conv, gate});
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{gate, conv, product}));
}

TEST(FusionPolicy, BoundariesAreInNoGroup) {
  FusionGraph graph;
  int relu = graph.elementwise({-1});
  int reshape = graph.add(WorkKind::Boundary, {relu});
  int exp = graph.elementwise({reshape});
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{relu}));
  EXPECT_EQ(members(groups[1]), (std::vector<int>{exp}));
}

TEST(FusionPolicy, AProgramStaysAlone) {
  FusionGraph graph;
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
  FusionGraph graph;
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

TEST(FusionPolicy, RowsOfTwoTablesMeetInOneKernel) {
  FusionGraph graph;
  int words = graph.add(WorkKind::Indexed, {-1, -1}), types = graph.add(WorkKind::Indexed, {-1, -1});
  int sum = graph.elementwise({words, types});
  graph.nodes[words].role = graph.nodes[types].role = roles::RowLookup{};
  auto groups = graph.run();
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].anchor, types);
  EXPECT_EQ(members(groups[0]), (std::vector<int>{words, types, sum}));
}

TEST(FusionPolicy, ALookupJoinsNothingButALookupsGroup) {
  FusionGraph graph;
  int words = graph.add(WorkKind::Indexed, {-1, -1});
  int product = graph.contraction({-1, -1});
  graph.elementwise({words, product});
  graph.nodes[words].role = roles::RowLookup{};
  EXPECT_EQ(graph.run().size(), 2u);

  FusionGraph picked; // what picks and what is picked from
  int table = picked.add(WorkKind::Indexed, {-1, -1}), rows = picked.add(WorkKind::Indexed, {table, -1});
  picked.nodes[table].role = picked.nodes[rows].role = roles::RowLookup{};
  EXPECT_EQ(picked.run().size(), 2u);
}

TEST(FusionPolicy, AContractionComputesItsLeftOperand) {
  // What scales a concatenation; but not what a GPU does not load, or what two read.
  for (auto [mayBeMade, alone] : {std::pair(true, true), {false, true}, {true, false}}) {
    FusionGraph graph;
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
  FusionGraph graph;
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
  FusionGraph graph;
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
