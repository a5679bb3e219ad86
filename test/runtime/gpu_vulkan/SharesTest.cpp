// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which part of a launch the GPU gets, for every cut and every missing feature of devices.
// Why:   a share that the device cannot compute is a wrong answer or a lost device.
// How:   the hand-made model's tables, bent.

#include "runtime/src/gpu_vulkan/plan/shares.h"
#include "test/runtime/ToyModel.h"

#include <gtest/gtest.h>
#include <string>

namespace nacre::test {
namespace {

using namespace runtime;
using namespace runtime::gpu;

struct SharesTest : testing::Test {
  SharesTest() {
    toy.kernels[0].gpu = variants;
    toy.kernels[0].gpu_count = 2;
    toy.steps[0].gpu_end = toy.steps[0].cpu_begin = 48;
    toy.steps[0].grain = 4;
  }

  Share share(uint32_t cut = 0) {
    Reason reason;
    const Share share = choose_share(toy.table, toy.entries[0], toy.steps[0], {cut, wanted, barred}, device, reason);
    why = reason.c_str();
    return share;
  }

  void expectCpu(const char *reason) {
    const Share got = share();
    EXPECT_FALSE(got.on_gpu());
    EXPECT_EQ(got.cpu_begin, 0);
    EXPECT_EQ(got.cpu_end, kRows);
    EXPECT_NE(why.find(reason), std::string::npos) << why;
  }

  ToyModel toy;
  uint8_t bindings[3] = {0, 1, 2};
  nacre_gpu_variant variants[2] = {{nullptr, bindings, NACRE_GPU_NEED(NACRE_GPU_FLOAT_16), 8, 0, 3, 3, 256, 16384,
                                    1 << NACRE_GPU_NVIDIA, 0, 0, 0, 0},
                                   {nullptr, bindings, 0, 4, 0, 3, 3, 64, 0, 0, 0, 0, 0, 0}};
  Capabilities device = {
      NACRE_GPU_NEED(NACRE_GPU_FLOAT_16), NACRE_GPU_NVIDIA, 256, 16384, {65535, 65535}, 8, 1 << 27, 64};
  uint32_t wanted = 0;
  uint64_t barred = 0;
  std::string why;
};

TEST_F(SharesTest, FollowTheModelWhereTheCutIsNotMoved) {
  const Share got = share();
  EXPECT_EQ(got.variant, &variants[0]);
  EXPECT_EQ(got.gpu_end, 48);
  EXPECT_EQ(got.cpu_begin, 48);
  EXPECT_EQ(got.cpu_end, kRows);
  EXPECT_EQ(why, "");
}

TEST_F(SharesTest, MoveToGrains) {
  const struct {
    uint32_t percent;
    int64_t cut;
  } expected[] = {{0, 0}, {6, 0}, {7, 4}, {50, 32}, {99, 60}, {100, 64}};
  for (auto [percent, cut] : expected) {
    const Share got = share(NACRE_GPU_CUT(percent));
    EXPECT_EQ(got.gpu_end, cut) << percent;
    EXPECT_EQ(got.cpu_begin, cut) << percent;
    EXPECT_EQ(got.cpu_end, kRows) << percent;
  }
  toy.steps[0].grain = 7; // which 64 is no multiple of
  EXPECT_EQ(share(NACRE_GPU_CUT(99)).gpu_end, 63);
  EXPECT_EQ(share(NACRE_GPU_CUT(100)).gpu_end, 64);
  toy.steps[0].cut_extent = INT64_MAX / 2; // times 100 is too much for an int64
  device.groups[1] = UINT32_MAX;
  toy.steps[0].grain = 1;
  variants[0].unit_extent = INT64_MAX / 4;
  EXPECT_EQ(share(NACRE_GPU_CUT(50)).gpu_end, INT64_MAX / 2 / 100 * 50 + INT64_MAX / 2 % 100 / 2);
}

TEST_F(SharesTest, TakeTheFirstVariantThatTheDeviceMeets) {
  const auto falls = [&](auto &field, auto value) {
    const auto good = field;
    field = value;
    EXPECT_EQ(share().variant, &variants[1]);
    EXPECT_TRUE(share().on_gpu());
    field = good;
    EXPECT_EQ(share().variant, &variants[0]);
  };
  falls(device.features, 0u);
  falls(device.family, uint32_t(NACRE_GPU_MALI));
  falls(device.invocations, 128u);
  falls(device.shared_bytes, 16383u);
  falls(variants[0].groups, 65536u);
  falls(variants[0].binding_count, 9u);
}

TEST_F(SharesTest, TakeTheVariantThatIsWantedIfItServes) {
  wanted = 2;
  EXPECT_EQ(share().variant, &variants[1]);
  wanted = 3; // there is none
  EXPECT_EQ(share().variant, &variants[0]);
  variants[1].needs = NACRE_GPU_NEED(63);
  wanted = 2;
  EXPECT_EQ(share().variant, &variants[0]);
}

TEST_F(SharesTest, TakeNoVariantThatIsBarred) {
  barred = 1;
  EXPECT_EQ(share().variant, &variants[1]);
  wanted = 1;
  EXPECT_EQ(share().variant, &variants[1]);
  barred = 3;
  expectCpu("the device lacks code that works on it");
}

TEST_F(SharesTest, BindShiftedOperandsAnywhere) {
  toy.kernels[0].gpu_count = 1;
  device.alignment = 256; // the arena's operand is at 128
  EXPECT_FALSE(share().on_gpu());
  variants[0].shifted = 1 << 2;
  EXPECT_TRUE(share().on_gpu());
  toy.operands[2].step = 4;
  EXPECT_TRUE(share().on_gpu());
  variants[0].shifted = 1 << 1; // another one
  expectCpu("an operand at an offset that the device does not bind");
  variants[0].shifted = 1 << 2;
  device.range = kRows * kColumns * sizeof(float) + 255;
  EXPECT_TRUE(share().on_gpu());
  --device.range; // what is bound may begin 255 bytes before
  expectCpu("an operand larger than the device binds");
}

TEST_F(SharesTest, BindLargeOperandsInPieces) {
  const uint64_t bytes = kRows * kColumns * sizeof(float);
  static constexpr uint8_t pieces[] = {0, 0, 1, 2, 2, 0};
  variants[1].bindings = pieces;
  variants[1].binding_count = 6;
  variants[1].piece_bytes = 4096;
  ASSERT_EQ(bytes, 3 * 4096u);
  const uint64_t begins[] = {0, 4096, 0, 0, 4096, 8192};
  for (uint32_t i = 0; i < 6; ++i) {
    EXPECT_EQ(piece_of(variants[1], i, bytes - 12).begin, begins[i]) << i;
    EXPECT_EQ(piece_of(variants[1], i, bytes - 12).bytes, i == 5 ? 4084u : 4096u) << i;
  }
  EXPECT_EQ(piece_of(variants[1], 5, 8192).bytes, 0u);
  EXPECT_EQ(piece_of(variants[0], 1, bytes).bytes, bytes);

  // The whole where the device binds it, else the pieces.
  EXPECT_EQ(share().variant, &variants[0]);
  device.range = 4096;
  EXPECT_EQ(share().variant, &variants[1]);
  device.range = 4095;
  expectCpu("an operand larger than the device binds");
  device.range = 4096;
  toy.operands[0].bytes = 8192;
  expectCpu("an operand with fewer pieces than are bound");
}

TEST_F(SharesTest, LeaveToTheCpuWhatCannotBeBound) {
  device.range = kRows * kColumns * sizeof(float) - 1;
  expectCpu("'mul_1+add_1' stays on the CPU, because there is an operand larger than the device binds");
  device.range = 1 << 27;
  device.alignment = 256; // the arena's operand is at 128
  expectCpu("an operand at an offset that the device does not bind");
  device.alignment = 64;
  toy.operands[2].step = 32;
  expectCpu("an operand at an offset that the device does not bind");
  toy.operands[2].step = 0;
  toy.operands[1].bytes *= 2;
  expectCpu("an operand beyond its weight");
  toy.operands[1].bytes = 0;
  expectCpu("an operand of unknown size");
  toy.operands[1].bytes = 4;
  device.groups[1] = 5; // 48 / 8 rows
  expectCpu("the device lacks dispatches of that size");
  device.groups[1] = 6;
  EXPECT_TRUE(share().on_gpu());
  toy.kernels[0].gpu_count = 0;
  expectCpu("the device lacks code for GPUs");
  EXPECT_FALSE(share(NACRE_GPU_CUT(50)).on_gpu());
  EXPECT_EQ(why, ""); // a moved cut moves what there is code for
}

} // namespace
} // namespace nacre::test
