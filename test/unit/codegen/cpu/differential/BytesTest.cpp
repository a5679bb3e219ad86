// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls and convolutions of bytes, of every sign, in panels of words and as they lie, with every instruction set; see
// Differential.h. Sums of integers are exact, so all must be equal.

#include "test/unit/codegen/BytesTexts.h"
#include "test/unit/codegen/cpu/Differential.h"

using namespace nacre::codegen;

namespace {

using CpuBytes = test::Differential;

} // namespace

TEST_F(CpuBytes, EverySign) {
  for (bool lhs : {false, true})
    for (bool rhs : {false, true})
      for (int64_t panel : {0, 32}) {
        BytesText bytes = matmulOfBytes(9, 24, 37, panel);
        bytes.isUnsignedLhs = lhs;
        bytes.isUnsignedRhs = rhs;
        checkOnAll(bytes.text());
        check(bytes.text()); // this machine's own instructions
      }
}

/// A run whose steps are no multiple of k ends with words that overlap; one shorter than k, with zeros.
TEST_F(CpuBytes, EveryDepth) {
  for (int64_t depth : {1, 2, 3, 4, 5, 7, 8, 17, 30})
    for (int64_t panel : {0, 16}) {
      checkOnAll(matmulOfBytes(7, depth, 20, panel).text());
      check(matmulOfBytes(7, depth, 20, panel).text());
    }
}

TEST_F(CpuBytes, EveryCountOfRows) {
  for (int64_t rows : {1, 2, 3, 6, 13, 14, 15, 29})
    check(matmulOfBytes(rows, 8, 35, 32).text());
}

TEST_F(CpuBytes, EveryCountOfColumns) {
  for (int64_t columns : {1, 2, 3, 7, 8, 15, 16, 17, 31, 33}) {
    BytesText bytes = matmulOfBytes(5, 8, columns, 16);
    bytes.hasEpilogue = columns % 2 == 0;
    checkOnAll(bytes.text());
  }
}

/// Rows of taps and channels lie one after another, so all of them are a run.
TEST_F(CpuBytes, Convolutions) {
  for (int64_t channels : {3, 4, 16})
    for (int64_t step : {1, 2}) {
      checkOnAll(convolutionOfBytes(channels, step).text());
      BytesText packed = convolutionOfBytes(channels, step, 32);
      packed.run = channels % 4 == 0 ? channels : 3 * channels;
      checkOnAll(packed.text());
      check(packed.text());
    }
}

TEST_F(CpuBytes, Groups) {
  for (int64_t panel : {0, 16}) {
    BytesText bytes = convolutionOfBytes(5, 1, panel);
    bytes.columns = 11;
    bytes.groups = 3;
    bytes.run = 5;
    checkOnAll(bytes.text());
  }
}

/// Products in parts of the depth, between which sums wait in scratch.
TEST_F(CpuBytes, LargeDepths) {
  for (int64_t depth : {2500, 6003}) {
    checkOnAll(matmulOfBytes(29, depth, 33, 32).text());
    check(matmulOfBytes(29, depth, 33, 32).text());
  }
  BytesText taps = convolutionOfBytes(301, 1, 64);
  taps.run = 903;
  check(taps.text());
}

/// Wider than tiles of several rows can be.
TEST_F(CpuBytes, SlicesOfWidePanels) {
  checkOnAll(matmulOfBytes(17, 40, 100, 64).text());
  checkOnAll(matmulOfBytes(1, 40, 500, 256).text());
}

TEST_F(CpuBytes, ARightOperandThatLiesAcross) {
  for (int64_t depth : {3, 16, 21}) {
    BytesText bytes = matmulOfBytes(11, depth, 19);
    bytes.isTransposed = true;
    checkOnAll(bytes.text());
  }
}

/// Rows that are widened are copied in blocks: across gaps, from the last on, and all at once where blocks overlap in
/// parts.
TEST_F(CpuBytes, RowsThatLieAnyhow) {
  for (auto [step, dilation] : {std::pair(1, 1), std::pair(1, 5), std::pair(2, 2), std::pair(3, 2)})
    for (int64_t channels : {4, 24}) {
      BytesText bytes = convolutionOfBytes(channels, step, 16);
      bytes.dilation = dilation;
      bytes.isReversed = channels == 4;
      checkOnAll(bytes.text());
    }
  for (int64_t step : {2, 3}) {
    BytesText bytes = matmulOfBytes(6, 40, 100, 16);
    bytes.step = step;
    bytes.wide = 5;
    bytes.isReversed = step == 3;
    checkOnAll(bytes.text());
  }
}

/// More rows than a second-level cache holds of them, widened, in units of columns.
TEST_F(CpuBytes, BlocksOfRows) {
  BytesText bytes = matmulOfBytes(1501, 401, 17, 16);
  bytes.cut = 2;
  check(bytes.text());
  checkOnAll(bytes.text());
}

#ifdef __x86_64__
/// Words of two bytes: of a CPU that has AVX2 or AVX-512, and no instruction for four.
TEST_F(CpuBytes, WordsOfTwoBytes) {
  auto pairs = [](BytesText bytes) {
    bytes.k = 2;
    return bytes;
  };
  for (bool lhs : {false, true})
    for (bool rhs : {false, true}) {
      BytesText bytes = pairs(matmulOfBytes(9, 24, 37, 16));
      bytes.isUnsignedLhs = lhs;
      bytes.isUnsignedRhs = rhs;
      checkWithHalves(bytes.text());
    }
  for (auto [rows, depth] : {std::pair(1, 30), std::pair(2, 1), std::pair(7, 2), std::pair(7, 3), std::pair(29, 601)})
    checkWithHalves(pairs(matmulOfBytes(rows, depth, 35, 32)).text());
  for (int64_t channels : {1, 3, 16}) {
    BytesText bytes = pairs(convolutionOfBytes(channels, 2, 16));
    bytes.run = channels % 2 == 0 ? channels : 3 * channels;
    checkWithHalves(bytes.text());
  }
  BytesText groups = pairs(convolutionOfBytes(5, 1, 16));
  groups.columns = 11;
  groups.groups = 3;
  groups.run = 5;
  checkWithHalves(groups.text());
}
#endif

TEST_F(CpuBytes, OneRowCutByColumns) {
  BytesText bytes = matmulOfBytes(1, 64, 100, 32);
  bytes.cut = 2;
  checkOnAll(bytes.text());
}
