// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands and steps in the tables: the bytes that are read and written, no more and no fewer.

#include "test/unit/codegen/package/ParsedPlan.h"

using namespace mlir;
using namespace nacre;

namespace {

using TableRows = package::ParsedPlan;

constexpr char kViews[] = R"(
plan.weight @plain = dense<1.0> : tensor<64x32xf32>
plan.weight @packed = dense<1.0> : tensor<8x5xf32> {encoding = #plan.encoding<panel, width = 8>}
plan.kernel @add nest (%w: tensor<4x32xf32>) into (%y: tensor<4x32xf32>) cut 0 : 4 by 1 {
  plan.yield %w : tensor<4x32xf32>
}
plan.kernel @read nest (%w: tensor<8x5xf32>) into (%y: tensor<4x32xf32>) cut 0 : 4 by 1 {
  plan.yield %y : tensor<4x32xf32>
}
plan.kernel @update contraction (%w: tensor<8x5xf32>) into (%y: tensor<8x5xf32>) cut 0 : 4 by 1 attributes {encodings = [#plan.encoding<panel, width = 8>, #plan.encoding<panel, width = 8>]} {
  plan.yield %w : tensor<8x5xf32>
}
plan.entry @main attributes {arena_bytes = 4096 : i64} {
  %plain = plan.use @plain : memref<64x32xf32>
  %packed = plan.use @packed : memref<8x5xf32>
  %arena = plan.storage temporary {offset = 1024 : i64} : memref<16x32xf32>
  plan.for 3 {
  ^bb0(%t: index):
    %rows = plan.view %plain[%t] {offset = 64 : i64, step = 128 : i64} : memref<64x32xf32> to memref<16x32xf32>
    %four = plan.view %rows {offset = 32 : i64} : memref<16x32xf32> to memref<4x32xf32>
    %into = plan.view %arena {offset = 33 : i64} : memref<16x32xf32> to memref<4x32xf32>
    plan.launch @add(%four) into(%into) {cpu = array<i64: 0, 4>, gpu = array<i64: 0, 0>} : (memref<4x32xf32>) into (memref<4x32xf32>)
    plan.launch @read(%packed) into(%into) {cpu = array<i64: 0, 4>, gpu = array<i64: 0, 0>} : (memref<8x5xf32>) into (memref<4x32xf32>)
  }
  %panels = plan.storage temporary {offset = 512 : i64} : memref<8x8xf32>
  %inPanels = plan.view %panels : memref<8x8xf32> to memref<8x5xf32>
  plan.launch @update(%inPanels) into(%inPanels) {cpu = array<i64: 0, 4>, gpu = array<i64: 0, 0>} : (memref<8x5xf32>) into (memref<8x5xf32>)
}
)";

TEST_F(TableRows, OperandsOfViewsAndOfPackedWeights) {
  parse(kViews);
  llvm::SmallVector<package::PlacedWeight> weights;
  for (auto weight : module->getOps<plan::WeightOp>())
    weights.push_back({weight, 0, weights.empty() ? uint64_t(64 * 32 * 4) : uint64_t(8 * 8 * 4)});

  llvm::Expected<package::TableRows> rows = readRows(weights);
  ASSERT_TRUE(bool(rows));
  ASSERT_EQ(rows->entries.size(), 1u);
  ArrayRef<nacre_operand> operands = rows->entries[0].operands;
  ASSERT_EQ(operands.size(), 6u);

  // A view of a view of a weight: its own bytes, not the weight's.
  EXPECT_EQ(operands[0].space, NACRE_SPACE_WEIGHT);
  EXPECT_EQ(operands[0].offset, (64u + 32u) * 4);
  EXPECT_EQ(operands[0].step, 128 * 4);
  EXPECT_EQ(operands[0].bytes, 4u * 32 * 4);
  // A view of a temporary counts from where that lies in the arena.
  EXPECT_EQ(operands[1].space, NACRE_SPACE_ARENA);
  EXPECT_EQ(operands[1].offset, 1024u + 33 * 4);
  EXPECT_EQ(operands[1].step, 0);
  EXPECT_EQ(operands[1].bytes, 4u * 32 * 4);
  // A packed weight is larger than its tensor.
  EXPECT_EQ(operands[2].space, NACRE_SPACE_WEIGHT);
  EXPECT_EQ(operands[2].index, 1u);
  EXPECT_EQ(operands[2].bytes, 8u * 8 * 4);
  // So is what lies in panels in memory, where it is read and where it is written.
  for (unsigned i : {4, 5}) {
    EXPECT_EQ(operands[i].offset, 512u);
    EXPECT_EQ(operands[i].bytes, 8u * 8 * 4);
  }
}

/// Counts come after all outputs, in their own order, wherever their storages are.
TEST_F(TableRows, CountsAreTheLastOutputs) {
  parse(R"(
plan.kernel @find nest (%x: tensor<4xf32>) into (%n: tensor<i64>) cut 0 : 1 by 1 {
  plan.yield %n : tensor<i64>
}
plan.entry @main attributes {arena_bytes = 0 : i64} {
  %second = plan.storage count "b" 1 : memref<i64>
  %first = plan.storage count "a" 0 {nn.limit = ["a", 7]} : memref<i64>
  %x = plan.storage input "x" 0 : memref<4xf32>
  %y = plan.storage output "y" 0 : memref<4xf32>
  %z = plan.storage output "z" 1 {counts = array<i64: -1, 1, 0>} : memref<2x4x4xf32>
  plan.launch @find(%x) into(%second) {cpu = array<i64: 0, 1>, gpu = array<i64: 0, 0>} : (memref<4xf32>) into (memref<i64>)
}
)");
  llvm::Expected<package::TableRows> rows = readRows();
  ASSERT_TRUE(bool(rows));
  const package::EntryRows &entry = rows->entries[0];
  ASSERT_EQ(entry.outputs.size(), 4u);
  EXPECT_EQ(entry.counts, 2u);
  EXPECT_EQ(entry.outputs[0].first_count, NACRE_NO_COUNTS);
  ASSERT_LE(entry.outputs[1].first_count + 3, rows->dims.size());
  EXPECT_EQ(ArrayRef(rows->dims).slice(entry.outputs[1].first_count, 3), ArrayRef<int64_t>({-1, 3, 2}));
  EXPECT_EQ(StringRef(rows->strings.blob.data() + entry.outputs[2].name), "a");
  // A size that the user bounds has its limit among the dims.
  ASSERT_LT(entry.outputs[2].first_bound, rows->dims.size());
  EXPECT_EQ(rows->dims[entry.outputs[2].first_bound], 7);
  EXPECT_EQ(entry.outputs[3].first_bound, NACRE_NO_BOUNDS);
  EXPECT_EQ(entry.outputs[3].bytes, sizeof(int64_t));
  EXPECT_EQ(entry.operands[1].space, NACRE_SPACE_OUTPUT);
  EXPECT_EQ(entry.operands[1].index, 3u);
}

/// Loops are brackets, tests and branches lead forward inside them, and each reads one operand.
TEST_F(TableRows, ControlFlowIsFlat) {
  parse(R"(
plan.kernel @k nest (%x: tensor<i64>) into (%y: tensor<i64>) cut 0 : 1 by 1 {
  plan.yield %x : tensor<i64>
}
plan.entry @main attributes {arena_bytes = 64 : i64} {
  %n = plan.storage input "n" 0 : memref<i64>
  %c = plan.storage input "c" 1 : memref<8xi8>
  %go = plan.storage temporary {offset = 32 : i64} : memref<i8>
  %y = plan.storage output "y" 0 : memref<i64>
  plan.for 5 count %n : memref<i64> {
  ^bb0(%t: index):
    plan.while {
      plan.condition %go : memref<i8>
    } do {
      plan.launch @k(%n) into(%y) {cpu = array<i64: 0, 1>, gpu = array<i64: 0, 0>} : (memref<i64>) into (memref<i64>)
    }
    %ct = plan.view %c[%t] {step = 1 : i64} : memref<8xi8> to memref<i8>
    plan.if %ct : memref<i8> {
      plan.launch @k(%n) into(%y) {cpu = array<i64: 0, 1>, gpu = array<i64: 0, 0>} : (memref<i64>) into (memref<i64>)
    } else {
      plan.launch @k(%n) into(%y) {cpu = array<i64: 0, 1>, gpu = array<i64: 0, 0>} : (memref<i64>) into (memref<i64>)
    }
  }
  plan.while bound 7 {
    plan.condition %go : memref<i8>
  } do {
  }
  plan.if %go : memref<i8> {
  }
}
)");
  llvm::Expected<package::TableRows> rows = readRows();
  ASSERT_TRUE(bool(rows));
  const package::EntryRows &entry = rows->entries[0];

  struct Row {
    uint32_t kind, target, operands;
    int64_t trips;
  };
  const Row expected[] = {{NACRE_STEP_LOOP_BEGIN, 9, 1, 5}, {NACRE_STEP_LOOP_BEGIN, 0, 0, NACRE_ENDLESS},
                          {NACRE_STEP_LOOP_TEST, 4, 1, 0},  {NACRE_STEP_LAUNCH, 0, 2, 1},
                          {NACRE_STEP_LOOP_END, 0, 0, 0},   {NACRE_STEP_BRANCH_IF_ZERO, 8, 1, 0},
                          {NACRE_STEP_LAUNCH, 0, 2, 1},     {NACRE_STEP_JUMP, 9, 0, 0},
                          {NACRE_STEP_LAUNCH, 0, 2, 1},     {NACRE_STEP_LOOP_END, 0, 0, 0},
                          {NACRE_STEP_LOOP_BEGIN, 0, 0, 7}, {NACRE_STEP_LOOP_TEST, 12, 1, 0},
                          {NACRE_STEP_LOOP_END, 0, 0, 0},   {NACRE_STEP_BRANCH_IF_ZERO, 14, 1, 0}};
  ASSERT_EQ(entry.steps.size(), std::size(expected));
  EXPECT_EQ(entry.firstWrite, entry.steps.size()) << "there is no state";
  for (auto [i, row] : llvm::enumerate(expected)) {
    EXPECT_EQ(entry.steps[i].kind, row.kind) << i;
    EXPECT_EQ(entry.steps[i].target, row.target) << i;
    EXPECT_EQ(entry.steps[i].operand_count, row.operands) << i;
    EXPECT_EQ(entry.steps[i].trip_count, row.trips) << i;
  }
  const nacre_operand &count = entry.operands[entry.steps[0].first_operand];
  EXPECT_EQ(count.space, NACRE_SPACE_INPUT);
  EXPECT_EQ(count.bytes, sizeof(int64_t));
  const nacre_operand &go = entry.operands[entry.steps[2].first_operand];
  EXPECT_EQ(go.space, NACRE_SPACE_ARENA);
  EXPECT_EQ(go.offset, 32u);
  EXPECT_EQ(go.bytes, 1u);
  const nacre_operand &condition = entry.operands[entry.steps[5].first_operand];
  EXPECT_EQ(condition.index, 1u);
  EXPECT_EQ(condition.step, 1);
}

/// A name of several entries is one piece of memory.
TEST_F(TableRows, StateIsKnownByItsName) {
  parse(R"(
plan.kernel @k nest (%x: tensor<4xf32>) into (%y: tensor<4xf32>) cut 0 : 4 by 1 {
  plan.yield %x : tensor<4xf32>
}
plan.entry @main attributes {arena_bytes = 0 : i64} {
  %g = plan.storage state "g" 0 : memref<4xf32>
  %h = plan.storage state "h" 1 : memref<4xf32>
  plan.launch @k(%g) into(%h) {cpu = array<i64: 0, 4>, gpu = array<i64: 0, 0>} : (memref<4xf32>) into (memref<4xf32>)
}
plan.entry @other attributes {arena_bytes = 0 : i64} {
  %h = plan.storage state "h" 0 : memref<4xf32>
  %y = plan.storage output "y" 0 : memref<4xf32>
  plan.launch @k(%h) into(%y) {cpu = array<i64: 0, 4>, gpu = array<i64: 0, 0>} : (memref<4xf32>) into (memref<4xf32>)
  plan.for 3 {
  ^bb0(%t: index):
    plan.for 2 {
    ^bb0(%u: index):
      plan.launch @k(%y) into(%h) {cpu = array<i64: 0, 4>, gpu = array<i64: 0, 0>} : (memref<4xf32>) into (memref<4xf32>)
    }
  }
}
)");
  llvm::Expected<package::TableRows> rows = readRows();
  ASSERT_TRUE(bool(rows));
  EXPECT_EQ(rows->entries[0].firstWrite, 0u);
  EXPECT_EQ(rows->entries[1].firstWrite, 1u) << "the outer loop around the launch";
  ASSERT_EQ(rows->variables.size(), 2u);
  const nacre_variable &h = rows->variables[1];
  EXPECT_EQ(StringRef(rows->strings.blob.data() + h.tensor.name), "h");
  EXPECT_EQ(h.tensor.bytes, 16u);
  EXPECT_EQ(h.role, uint32_t(NACRE_STATE_RECURRENT));
  EXPECT_GE(rows->stateBytes, h.offset + 16);
  const nacre_operand &written = rows->entries[0].operands[1], &read = rows->entries[1].operands[0];
  EXPECT_EQ(written.space, NACRE_SPACE_STATE);
  EXPECT_EQ(written.offset, h.offset);
  EXPECT_EQ(read.space, NACRE_SPACE_STATE);
  EXPECT_EQ(read.offset, h.offset);
}

} // namespace
