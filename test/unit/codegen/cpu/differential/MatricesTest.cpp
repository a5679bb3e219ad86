// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls and convolutions of bytes and bf16 by the matrices of AMX, which are emulated (EmulatedTiles.h); see
// Differential.h.

#include "test/unit/codegen/BytesTexts.h"
#include "test/unit/codegen/cpu/Differential.h"
#include "test/unit/codegen/cpu/EmulatedTiles.h"

using namespace nacre::codegen;

namespace {

class CpuMatrices : public test::Differential {
protected:
  void SetUp() override {
    if (!test::EmulatedTiles::arePossible())
      GTEST_SKIP() << "this machine has no AVX-512 of Ice Lake or Zen 4";
  }

  /// Compares the code of `text`, and says if it multiplies matrices.
  bool multiplies(const std::string &text, double tolerance = 0) {
    test::EmulatedTiles tiles;
    checkOn({"sapphirerapids"}, text, tolerance);
    return test::EmulatedTiles::products() > 0;
  }

  bool multipliesBfloats(MatmulText text) {
    text.element = "bf16";
    text.depth = {2, text.k};
    return multiplies(text.text(), 0x1p-8 + 1e-5);
  }
};

} // namespace

TEST_F(CpuMatrices, EverySign) {
  for (bool lhs : {false, true})
    for (bool rhs : {false, true})
      for (int64_t panel : {0, 32}) {
        BytesText bytes = matmulOfBytes(9, 64, 37, panel);
        bytes.isUnsignedLhs = lhs;
        bytes.isUnsignedRhs = rhs;
        bytes.wide = 1;
        EXPECT_TRUE(multiplies(bytes.text()));
      }
}

/// Whole registers of rows, parts of one, and too few rows.
TEST_F(CpuMatrices, EveryCountOfRows) {
  for (int64_t rows : {4, 15, 16, 17, 31, 32, 33, 70})
    EXPECT_TRUE(multiplies(matmulOfBytes(rows, 32, 35, 32).text())) << rows;
  for (int64_t rows : {1, 3})
    EXPECT_FALSE(multiplies(matmulOfBytes(rows, 64, 35, 32).text())) << rows;
}

TEST_F(CpuMatrices, EveryCountOfColumns) {
  for (int64_t columns : {1, 15, 16, 17, 31, 33, 100})
    for (int64_t panel : {16, 32, 48, 64}) {
      BytesText bytes = matmulOfBytes(21, 64, columns, panel);
      bytes.hasEpilogue = columns % 2 == 0;
      EXPECT_TRUE(multiplies(bytes.text())) << columns;
    }
}

/// Runs whose words fill a register, or divide into equal parts of one. Others are multiplied as vectors.
TEST_F(CpuMatrices, EveryDepth) {
  for (int64_t depth : {24, 64, 72, 96, 104, 640})
    EXPECT_TRUE(multiplies(matmulOfBytes(20, depth, 20, 32).text())) << depth;
  for (int64_t depth : {8, 63, 66, 68})
    EXPECT_FALSE(multiplies(matmulOfBytes(20, depth, 20, 32).text())) << depth;
}

/// Products in parts of the depth, between which sums wait in scratch.
TEST_F(CpuMatrices, LargeDepths) {
  for (int64_t depth : {2560, 6080}) {
    EXPECT_TRUE(multiplies(matmulOfBytes(70, depth, 33, 32).text())) << depth;
    EXPECT_TRUE(multiplies(matmulOfBytes(5, depth, 33, 32).text())) << depth;
  }
}

TEST_F(CpuMatrices, Convolutions) {
  for (int64_t channels : {24, 64, 320})
    for (int64_t step : {1, 2}) {
      BytesText bytes = convolutionOfBytes(channels, step, 32);
      bytes.run = channels;
      EXPECT_TRUE(multiplies(bytes.text())) << channels;
      bytes.groups = 3;
      EXPECT_TRUE(multiplies(bytes.text())) << channels;
    }
  BytesText reversed = convolutionOfBytes(64, 1, 32);
  reversed.isReversed = true;
  EXPECT_TRUE(multiplies(reversed.text()));
}

TEST_F(CpuMatrices, Bfloats) {
  for (int64_t rows : {4, 16, 29, 64})
    for (int64_t columns : {16, 33, 70})
      EXPECT_TRUE(multipliesBfloats({rows, columns, 64, 0, /*panel=*/columns > 32 ? 64 : 32})) << rows;
  for (int64_t depth : {12, 32, 48, 1024, 5120})
    EXPECT_TRUE(multipliesBfloats({26, 32, depth, 0, /*panel=*/32})) << depth;
  for (int64_t depth : {4, 62})
    EXPECT_FALSE(multipliesBfloats({26, 32, depth, 0, /*panel=*/32})) << depth;
}
