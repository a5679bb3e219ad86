// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which multiply-add instruction a CPU takes, of floats and of bytes.

#include "codegen/cpu/tiles/TileTables.h"

#include "test/unit/codegen/cpu/Machines.h"
#include "gtest/gtest.h"

using namespace nacre::codegen;
using namespace nacre::codegen::cpu;
using namespace nacre::codegen::cpu::test;

namespace {

constexpr uint64_t kVnni = NACRE_CPU_NEED(NACRE_X86_64_V2) | NACRE_CPU_NEED(NACRE_X86_64_V3) |
                           NACRE_CPU_NEED(NACRE_X86_64_V4) | NACRE_CPU_NEED(NACRE_X86_AVX512_VNNI);
constexpr ProductTypes kBytes = {Number::U8, Number::S8, Number::S32, 4};

} // namespace

TEST(MachineRows, EveryBaseArchitectureHasOneForEachFloat) {
  for (const char *cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4", "sandybridge", "alderlake", "znver5"})
    for (const Target &target : llvm::cantFail(parseTargets("linux-x86_64", cpu)))
      for (Number number : {Number::F32, Number::F64}) {
        const MachineRow *row = bestRow(machineRows(), target.needs, {number, number, number});
        ASSERT_TRUE(row) << cpu;
        EXPECT_EQ(row->registerBytes(), target.vectors.bytes) << cpu;
        EXPECT_EQ(row->geometry.registers, target.vectors.registers) << cpu;
      }
  EXPECT_EQ(&kNeon, bestRow(machineRows(), llvm::cantFail(parseTargets("android-arm64", "")).front().needs, {}));
}

TEST(MachineRows, AreThoseOfTheTargetsModel) {
  for (auto [system, cpus] : {std::pair("linux-x86_64", "x86-64-v2"), std::pair("linux-x86_64", "x86-64-v3"),
                              std::pair("linux-x86_64", "x86-64-v4"), std::pair("linux-arm64", "cortex-a53"),
                              std::pair("linux-arm64", "cortex-a76")}) {
    const Target target = llvm::cantFail(parseTargets(system, cpus)).front();
    for (Number number : {Number::F32, Number::F64})
      EXPECT_STREQ(machineOf(target, {number, number, number}).costs.model->name, target.model.name) << cpus;
    EXPECT_EQ(2 * machineOf(target, {}).productsPerCycle(), target.model.flopsPerCycle) << cpus;
    EXPECT_EQ(machineOf(target, {}).nanosecondsOf(target.model.flopsPerNanosecond()), 1) << cpus;
  }
}

TEST(MachineRows, TheMostProductsACycleWin) {
  EXPECT_EQ(&kAvx512, bestRow(machineRows(), kVnni, {}));
  EXPECT_EQ(kAvx512.productsPerCycle(), 32);
  EXPECT_EQ(kAvx2.productsPerCycle(), 16);
  EXPECT_EQ(kSse4.productsPerCycle(), 4);
  EXPECT_EQ(kNeon.productsPerCycle(), 8);
}

TEST(MachineRows, ARowIsTakenWhereItsTypesAndItsFeaturesAreMet) {
  EXPECT_STREQ(bestRow(machineRows(), kVnni, kBytes)->step.instruction, "vpdpbusd zmm");
  EXPECT_STREQ(bestRow(machineRows(), kVnni & ~NACRE_CPU_NEED(NACRE_X86_AVX512_VNNI), kBytes)->step.instruction,
               "vpmaddwd zmm, vpaddd zmm")
      << "the CPU lacks it";
  EXPECT_EQ(&kAvx512, bestRow(machineRows(), kVnni, {})) << "floats stay as they are";
  EXPECT_FALSE(bestRow(machineRows(), kVnni, {Number::U8, Number::S8, Number::S32, 8})) << "no words of eight bytes";
}

/// Whatever the signs and the CPU, bytes are multiplied in tiles, and by all CPUs of an architecture in groups of as
/// many steps.
TEST(MachineRows, EveryBaseArchitectureMultipliesBytes) {
  for (auto [system, cpus] : {std::pair("linux-x86_64", "x86-64-v2"), std::pair("linux-x86_64", "x86-64-v3"),
                              std::pair("linux-x86_64", "x86-64-v4"), std::pair("linux-x86_64", "alderlake"),
                              std::pair("linux-arm64", "cortex-a53"), std::pair("linux-arm64", "cortex-a55"),
                              std::pair("linux-arm64", "cortex-a72"), std::pair("linux-arm64", "cortex-a76"),
                              std::pair("linux-arm64", "neoverse-n2")})
    for (Number lhs : {Number::U8, Number::S8})
      for (Number rhs : {Number::U8, Number::S8}) {
        const Target target = llvm::cantFail(parseTargets(system, cpus)).front();
        EXPECT_TRUE(bestRow(machineRows(), target.needs, {lhs, rhs, Number::S32, 4}, false, target.inOrder)) << cpus;
      }
  auto nameOf = [](const char *cpu, int64_t k) {
    const Target target = llvm::cantFail(parseTargets("linux-arm64", cpu)).front();
    const ProductTypes types = {Number::S8, Number::S8, Number::S32, k};
    return std::string(bestRow(machineRows(), target.needs, types, false, target.inOrder)->step.instruction);
  };
  EXPECT_EQ(nameOf("cortex-a76", 4), "sdot .4s");
  EXPECT_EQ(nameOf("cortex-a76", 8), "sdot .4s");
  EXPECT_EQ(nameOf("cortex-a55", 4), "sdot .4s, in order");
  EXPECT_EQ(nameOf("neoverse-n2", 8), "smmla .4s");
  EXPECT_EQ(nameOf("neoverse-n2", 4), "sdot .4s");
  EXPECT_EQ(nameOf("cortex-a72", 8), "smull .8h, sadalp .4s");
}

/// Rows of bytes are widened once for all columns, but a single one as it is multiplied. Words of two bytes have their
/// sums in order.
TEST(MachineRows, PairsOfBytesReadWideRows) {
  for (auto [cpu, k] : {std::pair("x86-64-v2", 4), std::pair("x86-64-v3", 2), std::pair("x86-64-v3", 4),
                        std::pair("skylake-avx512", 2), std::pair("skylake-avx512", 4)})
    for (Number lhs : {Number::U8, Number::S8})
      for (Number rhs : {Number::U8, Number::S8}) {
        const Target target = llvm::cantFail(parseTargets("linux-x86_64", cpu)).front();
        const MachineRow &several = machineOf(target, {lhs, rhs, Number::S32, k});
        EXPECT_TRUE(several.readsWideRows()) << cpu;
        EXPECT_EQ(several.step.types.rhs, rhs) << cpu;
        EXPECT_EQ(several.step.sumsOfLane, k / 2) << cpu;
        EXPECT_EQ(&several, &machineOf(target, {Number::S16, rhs, Number::S32, k})) << "widened already";
        EXPECT_FALSE(machineOf(target, {lhs, rhs, Number::S32, k}, /*isSingleRow=*/true).readsWideRows()) << cpu;
      }
  EXPECT_FALSE(bestRow(machineRows(), NACRE_CPU_NEED(NACRE_X86_64_V2), {Number::U8, Number::S8, Number::S32, 2}));
  const Target avx2 = llvm::cantFail(parseTargets("linux-x86_64", "x86-64-v3")).front();
  const ContractionShape shape = {1, 512, 512, 512, 1024};
  EXPECT_EQ(choosePanelWidth(machineOf(avx2, {Number::U8, Number::S8, Number::S32, 2}), shape), 16);
  EXPECT_EQ(splitRun(machineOf(avx2, {Number::U8, Number::S8, Number::S32, 2}), 512, 2, 512).rows, 6);
}

/// Rows whose two products must fit 16 bits are for contractions of which that is known, and faster there; dot products
/// are faster still.
TEST(MachineRows, ProductsInPairsNeedWeightsThatFit) {
  auto rowOf = [](const char *cpu, bool pairsFit) {
    const Target target = llvm::cantFail(parseTargets("linux-arm64", cpu)).front();
    return *bestRow(machineRows(), target.needs, {Number::S8, Number::S8, Number::S32, 4, pairsFit}, false,
                    target.inOrder);
  };
  for (const char *cpu : {"generic", "cortex-a53", "cortex-a72"}) {
    EXPECT_FALSE(rowOf(cpu, false).step.multiplyAddTwo) << cpu;
    EXPECT_TRUE(rowOf(cpu, true).step.multiplyAddTwo) << cpu;
    EXPECT_GT(rowOf(cpu, true).productsPerCycle(), rowOf(cpu, false).productsPerCycle()) << cpu;
  }
  EXPECT_STREQ(rowOf("cortex-a76", true).step.instruction, "sdot .4s");
}

/// A single row widens each register for one multiplication: what is slow to widen is taken in another width.
TEST(MachineRows, NarrowColumnsMayHaveAnotherRow) {
  const ProductTypes halves = {Number::F32, Number::F16, Number::F32},
                     bfloats = {Number::F32, Number::BF16, Number::F32};
  for (const ProductTypes &types : {halves, bfloats})
    EXPECT_EQ(&kAvx512, bestRow(machineRows(), kVnni, types)) << "many rows";
  EXPECT_EQ(bestRow(machineRows(), kVnni, halves, /*isSingleRow=*/true)->step.lanes, 8);
  EXPECT_EQ(&kAvx512, bestRow(machineRows(), kVnni, bfloats, /*isSingleRow=*/true));
  EXPECT_EQ(&kAvx512, bestRow(machineRows(), kVnni, {}, /*isSingleRow=*/true));
  EXPECT_EQ(&kNeon, bestRow(machineRows(), NACRE_CPU_NEED(NACRE_ARM64_NEON), halves, /*isSingleRow=*/true));
}

/// Halves are added up in fp16 only for kernels that permit it, and on cores that have the instruction.
TEST(MachineRows, SumsOfHalvesNeedPermissionAndTheFeature) {
  auto nameOf = [](const char *system, const char *cpu, const ProductTypes &types, bool isSingleRow = false) {
    const Target target = llvm::cantFail(parseTargets(system, cpu)).front();
    const MachineRow &row = machineOf(target, types, isSingleRow);
    EXPECT_EQ(row.step.needs & ~target.needs, 0U) << cpu;
    return std::string(row.step.instruction);
  };
  const ProductTypes stored = {Number::F32, Number::F16, Number::F32};
  for (bool isSingleRow : {false, true}) {
    EXPECT_EQ(nameOf("linux-arm64", "cortex-a76", halvesOf(64), isSingleRow), "fmla .8h");
    EXPECT_EQ(nameOf("linux-arm64", "cortex-a55", halvesOf(64), isSingleRow), "fmla .8h, in order");
    EXPECT_EQ(nameOf("linux-arm64", "cortex-a76", stored, isSingleRow), "fmla .4s") << "no permission";
    EXPECT_EQ(nameOf("linux-arm64", "cortex-a76", halvesOf(8), isSingleRow), "fmla .4s") << "too few steps";
    EXPECT_EQ(nameOf("linux-arm64", "", halvesOf(64), isSingleRow), "fmla .4s") << "no feature";
    EXPECT_EQ(nameOf("linux-arm64", "cortex-a53", halvesOf(64), isSingleRow), "fmla .4s, in order");
    for (const char *cpu : {"x86-64-v3", "x86-64-v4"})
      EXPECT_EQ(nameOf("linux-x86_64", cpu, halvesOf(64), isSingleRow),
                nameOf("linux-x86_64", cpu, stored, isSingleRow));
  }
  EXPECT_EQ(nameOf("linux-arm64", "cortex-a76", {}), "fmla .4s") << "floats stay as they are";
  const Target target = llvm::cantFail(parseTargets("linux-arm64", "cortex-a76")).front();
  const MachineRow &halves = machineOf(target, halvesOf(64));
  EXPECT_GT(halves.productsPerCycle(), 1.6 * kNeon.productsPerCycle());
  EXPECT_LT(halves.productsPerCycle(), 2 * kNeon.productsPerCycle()) << "sums are added to fp32 sums";
  EXPECT_EQ(halves.registerBytes(), 16);
  EXPECT_EQ(halves.widenCycles(Number::F16), 0);
}

TEST(MachineRows, LittleCoresHaveRowsOfTheirOwn) {
  const Target target = llvm::cantFail(parseTargets("linux-arm64", "cortex-a55")).front();
  for (Number number : {Number::F32, Number::F64}) {
    const MachineRow &row = machineOf(target, {number, number, number});
    EXPECT_TRUE(row.costs.inOrder);
    EXPECT_EQ(row.productsPerCycle(), row.step.lanes) << "a multiply-add a cycle";
  }
  EXPECT_TRUE(machineOf(target, {Number::F32, Number::F16, Number::F32}, /*isSingleRow=*/true).costs.inOrder);
  EXPECT_FALSE(machineOf(llvm::cantFail(parseTargets("linux-arm64", "")).front(), {}).costs.inOrder);
}

/// Four steps at once: tiles, panels and prices follow from the row.
TEST(MachineRows, ANewRowIsPricedByTheSameTables) {
  const MachineRow &dot = *bestRow(machineRows(), kVnni, kBytes);
  const ContractionShape shape = {1, 56, 256, 576, 576};
  EXPECT_EQ(choosePanelWidth(dot, shape), 32);
  EXPECT_EQ(splitRun(dot, 56, 2, 576).rows, 14);
  EXPECT_NEAR(runCycles(kAvx512, shape) / runCycles(dot, shape), 4, 0.4);
  // Depths are rounded up to what the instruction takes.
  EXPECT_EQ(runCycles(dot, {1, 56, 256, 573, 573}), runCycles(dot, {1, 56, 256, 576, 576}));
  EXPECT_LT(runCycles(dot, {1, 56, 256, 572, 572}), runCycles(dot, shape));
}

/// Products by an element of a register, as NEON's: a register of a row holds four times four steps.
TEST(MachineRows, ADotProductByElementTakesARegisterPerIteration) {
  const MachineRow &dot =
      *bestRow(machineRows(), NACRE_CPU_NEED(NACRE_ARM64_DOTPROD) | NACRE_CPU_NEED(NACRE_ARM64_NEON),
               {Number::S8, Number::S8, Number::S32, 4});
  EXPECT_EQ(stepsPerIteration(dot, 8, 2), 4);
  EXPECT_EQ(choosePanelWidth(dot, {1, 512, 480, 512, 512}), 16);
  EXPECT_EQ(splitRun(dot, 512, 4, 512).rows, 4);
}
