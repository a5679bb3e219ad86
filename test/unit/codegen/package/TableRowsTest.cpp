// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tables say of operands: the bytes that are read and written, no more and no fewer.

#include "codegen/package/TableRows.h"
#include "codegen/Target.h"
#include "codegen/package/GpuRows.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace nacre;

namespace {

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

TEST(TableRows, OperandsOfViewsAndOfPackedWeights) {
  MLIRContext context;
  context.loadDialect<plan::PlanDialect>();
  auto module = parseSourceString<ModuleOp>(kViews, ParserConfig(&context));
  ASSERT_TRUE(module);
  std::vector<package::CompiledKernel> kernels;
  for (auto kernel : module->getOps<plan::KernelOp>())
    kernels.push_back({kernel, {}, {}});
  llvm::SmallVector<package::PlacedWeight> weights;
  for (auto weight : module->getOps<plan::WeightOp>())
    weights.push_back({weight, 0, weights.empty() ? uint64_t(64 * 32 * 4) : uint64_t(8 * 8 * 4)});

  llvm::Expected<package::TableRows> rows = package::readRows({*module, kernels, weights, 0, "m", "s", "c"});
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

/// What the tables say of an input of eight elements of this type, or why they say nothing.
/// Counts come behind all outputs, in their own order, wherever their storages stand.
TEST(TableRows, CountsAreTheLastOutputs) {
  MLIRContext context;
  context.loadDialect<plan::PlanDialect>();
  auto module = parseSourceString<ModuleOp>(R"(
plan.kernel @find nest (%x: tensor<4xf32>) into (%n: tensor<i64>) cut 0 : 1 by 1 {
  plan.yield %n : tensor<i64>
}
plan.entry @main attributes {arena_bytes = 0 : i64} {
  %second = plan.storage count "b" 1 : memref<i64>
  %first = plan.storage count "a" 0 : memref<i64>
  %x = plan.storage input "x" 0 : memref<4xf32>
  %y = plan.storage output "y" 0 : memref<4xf32>
  %z = plan.storage output "z" 1 {counts = array<i64: -1, 1, 0>} : memref<2x4x4xf32>
  plan.launch @find(%x) into(%second) {cpu = array<i64: 0, 1>, gpu = array<i64: 0, 0>} : (memref<4xf32>) into (memref<i64>)
}
)",
                                            ParserConfig(&context));
  ASSERT_TRUE(module);
  std::vector<package::CompiledKernel> kernels;
  for (auto kernel : module->getOps<plan::KernelOp>())
    kernels.push_back({kernel, {}, {}});
  llvm::Expected<package::TableRows> rows = package::readRows({*module, kernels, {}, 0, "m", "s", "c"});
  ASSERT_TRUE(bool(rows));
  const package::EntryRows &entry = rows->entries[0];
  ASSERT_EQ(entry.outputs.size(), 4u);
  EXPECT_EQ(entry.counts, 2u);
  EXPECT_EQ(entry.outputs[0].first_count, NACRE_NO_COUNTS);
  ASSERT_LE(entry.outputs[1].first_count + 3, rows->dims.size());
  EXPECT_EQ(ArrayRef(rows->dims).slice(entry.outputs[1].first_count, 3), ArrayRef<int64_t>({-1, 3, 2}));
  EXPECT_EQ(StringRef(rows->strings.blob.data() + entry.outputs[2].name), "a");
  EXPECT_EQ(entry.outputs[3].bytes, sizeof(int64_t));
  EXPECT_EQ(entry.operands[1].space, NACRE_SPACE_OUTPUT);
  EXPECT_EQ(entry.operands[1].index, 3u);
}

/// Loops are brackets, tests and branches lead forward inside them, and each reads one operand.
TEST(TableRows, ControlFlowIsFlat) {
  MLIRContext context;
  context.loadDialect<plan::PlanDialect>();
  auto module = parseSourceString<ModuleOp>(R"(
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
)",
                                            ParserConfig(&context));
  ASSERT_TRUE(module);
  std::vector<package::CompiledKernel> kernels;
  for (auto kernel : module->getOps<plan::KernelOp>())
    kernels.push_back({kernel, {}, {}});
  llvm::Expected<package::TableRows> rows = package::readRows({*module, kernels, {}, 0, "m", "s", "c"});
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

/// What entries call by one name is one piece of memory.
TEST(TableRows, StateIsKnownByItsName) {
  MLIRContext context;
  context.loadDialect<plan::PlanDialect>();
  auto module = parseSourceString<ModuleOp>(R"(
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
)",
                                            ParserConfig(&context));
  ASSERT_TRUE(module);
  std::vector<package::CompiledKernel> kernels;
  for (auto kernel : module->getOps<plan::KernelOp>())
    kernels.push_back({kernel, {}, {}});
  llvm::Expected<package::TableRows> rows = package::readRows({*module, kernels, {}, 0, "m", "s", "c"});
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

llvm::Expected<nacre_tensor> rowOfInput(llvm::StringRef type, llvm::StringRef external = "") {
  MLIRContext context;
  context.loadDialect<plan::PlanDialect>();
  const std::string attributes = external.empty() ? "" : ("{external_type = " + external + "} ").str();
  const std::string text = "plan.entry @main attributes {arena_bytes = 0 : i64} { %x = plan.storage input \"x\" 0 " +
                           attributes + ": memref<8x" + type.str() + "> }";
  auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
  if (!module)
    return llvm::createStringError("the test's own text is wrong: " + text);
  llvm::Expected<package::TableRows> rows = package::readRows({*module, {}, {}, 0, "m", "s", "c"});
  if (!rows)
    return rows.takeError();
  return rows->entries.front().inputs.front();
}

TEST(TableRows, EveryElementTypeHasItsOwnNumber) {
  const std::pair<const char *, nacre_element_type> types[] = {
      {"f32", NACRE_F32},
      {"f64", NACRE_F64},
      {"f16", NACRE_F16},
      {"bf16", NACRE_BF16},
      {"i1", NACRE_BOOL},
      {"i8", NACRE_I8},
      {"i16", NACRE_I16},
      {"i32", NACRE_I32},
      {"i64", NACRE_I64},
      {"ui8", NACRE_U8},
      {"ui16", NACRE_U16},
      {"ui32", NACRE_U32},
      {"ui64", NACRE_U64},
      {"si32", NACRE_I32},
      {"f8E4M3FN", NACRE_F8E4M3FN},
      {"f8E4M3FNUZ", NACRE_F8E4M3FNUZ},
      {"f8E5M2", NACRE_F8E5M2},
      {"f8E5M2FNUZ", NACRE_F8E5M2FNUZ},
      {"f8E8M0FNU", NACRE_F8E8M0},
      {"f4E2M1FN", NACRE_F4E2M1},
      {"i4", NACRE_I4},
      {"ui4", NACRE_U4},
      {"i2", NACRE_I2},
      {"ui2", NACRE_U2},
  };
  for (const auto &[type, number] : types) {
    llvm::Expected<nacre_tensor> row = rowOfInput(type);
    ASSERT_TRUE(bool(row)) << llvm::toString(row.takeError());
    EXPECT_EQ(row->element_type, uint32_t(number)) << type;
  }
}

// Eight booleans are eight bytes, though one of them is a bit to MLIR.
TEST(TableRows, EveryElementBeginsAtAByte) {
  llvm::Expected<nacre_tensor> row = rowOfInput("i1");
  ASSERT_TRUE(bool(row)) << llvm::toString(row.takeError());
  EXPECT_EQ(row->bytes, 8u);
}

// An app knows the tensor; the bytes are those that its elements share.
TEST(TableRows, PackedElementsShareBytes) {
  llvm::Expected<nacre_tensor> row = rowOfInput("i8", "tensor<3x5xi4>");
  ASSERT_TRUE(bool(row)) << llvm::toString(row.takeError());
  EXPECT_EQ(row->element_type, uint32_t(NACRE_I4));
  EXPECT_EQ(row->rank, 2u);
  EXPECT_EQ(row->bytes, 8u);
}

// A number that is none stands before the list of a scale and a zero point for each channel, which lies behind the shapes.
TEST(TableRows, SaysWhatIntegersStandFor) {
  MLIRContext context;
  context.loadDialect<plan::PlanDialect>();
  auto module = parseSourceString<ModuleOp>(R"(
    plan.entry @main attributes {arena_bytes = 0 : i64} {
      %x = plan.storage input "x" 0 {nn.quantization = {axis = 0 : i64, scales = array<f32: 0.25>, zeros = array<i32: -7>}}
        : memref<2x3xi8>
      %y = plan.storage output "y" 0 {nn.quantization = {axis = 1 : i64, scales = array<f32: 0.5, 2.0, 4.0>, zeros = array<i32: 0, -1, 5>}}
        : memref<2x3xi8>
      %z = plan.storage output "z" 1 : memref<2x3xi8>
    }
  )",
                                            ParserConfig(&context));
  ASSERT_TRUE(module);
  llvm::Expected<package::TableRows> rows = package::readRows({*module, {}, {}, 0, "m", "s", "c"});
  ASSERT_TRUE(bool(rows)) << llvm::toString(rows.takeError());
  const nacre_tensor &x = rows->entries[0].inputs[0], &y = rows->entries[0].outputs[0],
                     &z = rows->entries[0].outputs[1];
  EXPECT_EQ(x.scale, 0.25F);
  EXPECT_EQ(x.zero_point, -7);
  EXPECT_EQ(z.scale, 1);
  EXPECT_EQ(z.zero_point, 0);
  EXPECT_TRUE(std::isnan(y.scale));
  EXPECT_EQ(rows->dims[y.zero_point], 1) << "the axis";
  const nacre_channel_info channels[] = {{0.5F, 0}, {2, -1}, {4, 5}};
  EXPECT_EQ(std::memcmp(&rows->dims[y.zero_point + 1], channels, sizeof channels), 0);
}

// A type that the format lacks was once called i64, or whatever has its width.
TEST(TableRows, OtherElementTypesAreRefused) {
  for (const char *type : {"i3", "i24", "i128", "f8E4M3", "f8E3M4", "f6E2M3FN", "tf32", "f80", "f128", "index"}) {
    llvm::Expected<nacre_tensor> row = rowOfInput(type);
    ASSERT_FALSE(bool(row)) << type;
    const std::string message = llvm::toString(row.takeError());
    EXPECT_NE(message.find("an element type of the model format, but"), std::string::npos) << message;
    EXPECT_NE(message.find(type), std::string::npos) << message;
  }
  llvm::Expected<nacre_tensor> row = rowOfInput("i8", "i3");
  EXPECT_FALSE(bool(row));
  llvm::consumeError(row.takeError());
}

codegen::GpuKernelCode gpuCode(uint32_t word, uint32_t groups = 1) {
  codegen::GpuKernelCode code;
  code.code = {0x07230203, word};
  code.bindings = {0, 1};
  code.groups = groups;
  return code;
}

/// Of kernels with these variants.
uint64_t hashOf(std::initializer_list<std::initializer_list<codegen::GpuKernelCode>> all) {
  std::vector<package::CompiledKernel> kernels;
  for (const auto &variants : all) {
    kernels.emplace_back();
    for (const codegen::GpuKernelCode &variant : variants)
      kernels.back().gpu.variants.push_back(variant);
  }
  return package::hashOfGpuCode(kernels);
}

// What is kept of a model on a device must not be taken for another's.
TEST(TableRows, TheHashTellsGpuCodeApart) {
  const uint64_t hash = hashOf({{gpuCode(1), gpuCode(2)}, {gpuCode(3)}});
  EXPECT_EQ(hash, hashOf({{gpuCode(1), gpuCode(2)}, {gpuCode(3)}}));
  EXPECT_NE(hash, hashOf({{gpuCode(1), gpuCode(2)}, {gpuCode(4)}})) << "a word";
  EXPECT_NE(hash, hashOf({{gpuCode(2), gpuCode(1)}, {gpuCode(3)}})) << "the order";
  EXPECT_NE(hash, hashOf({{gpuCode(1)}, {gpuCode(2), gpuCode(3)}})) << "the kernel";
  EXPECT_NE(hash, hashOf({{gpuCode(1), gpuCode(2)}, {gpuCode(3, 2)}})) << "how it is launched";
  EXPECT_EQ(hashOf({{}, {}}), 0u);
}

} // namespace
