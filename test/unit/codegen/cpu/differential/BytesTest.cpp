// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls and convolutions of bytes, of every sign, in panels of words and as they lie, with every instruction set; see
// Differential.h. Sums of integers are exact, so all must be equal.

#include "test/unit/codegen/KernelTexts.h"
#include "test/unit/codegen/cpu/Differential.h"

using namespace nacre::codegen;

namespace {

using CpuBytes = test::Differential;

/// A convolution of `rows` x `wide` pixels of the result; of one tap, a matmul.
struct BytesText {
  int64_t rows = 5, wide = 1, channels = 8, columns = 20;
  int64_t taps = 1, step = 1, dilation = 1, groups = 1;
  bool isReversed = false; ///< Rows are read from the last to the first.
  bool isUnsignedLhs = true, isUnsignedRhs = false;
  int64_t panel = 0, k = 4, run = 0; ///< No panel: the right operand as it lies.
  bool isTransposed = false;         ///< Right operand of a matmul.
  bool hasEpilogue = true;
  int64_t cut = 0;

  std::string text() const {
    const int64_t all = columns * groups;
    const int64_t reach = (taps - 1) * dilation + 1;
    const std::string x = tensorText({(rows - 1) * step + reach, (wide - 1) * step + reach, channels * groups}, "i8"),
                      w = isTransposed ? tensorText({all, taps, taps, channels}, "i8")
                                       : tensorText({taps, taps, channels, all}, "i8"),
                      y = tensorText({rows, wide, all}, "i32"),
                      out = hasEpilogue ? tensorText({rows, wide, all}, "i8") : y;
    const std::string loops = "affine_map<(p, q, g, o, i, j, c) -> (";
    auto product = [](const std::string &by, int64_t factor) {
      return factor == 1 ? by : by + " * " + std::to_string(factor);
    };
    const std::string row =
        isReversed ? std::to_string((rows - 1) * step) + " - " + product("p", step) : product("p", step);
    const std::string group = groups == 1 ? "" : "g * " + std::to_string(columns) + " + ",
                      shape = tensorText({groups, columns}, "i32");
    std::string text = "plan.kernel @kernel contraction (%x: " + x + ", %w: " + w +
                       ", %b: " + tensorText({all}, "i32") + ", %s: " + tensorText({all}, "f32") +
                       ") into (%y: " + out + ") cut " + std::to_string(cut) + " : " +
                       std::to_string(cut == 0 ? rows : all) + " by " + std::to_string(cut == 0 ? 1 : panel);
    if (panel)
      text += " attributes {encodings = [unit, #plan.encoding<panel, width = " + std::to_string(panel) +
              (groups == 1 ? "" : ", groups = " + std::to_string(groups)) + " k = " + std::to_string(k) +
              ", run = " + std::to_string(run ? run : channels) + ">, unit, unit]}";
    text += " {\n  %zero = arith.constant 0 : i32\n";
    text += hasEpilogue ? "  %sums = tensor.empty() : " + y + "\n" : "";
    text += "  %shape = tensor.empty() : " + shape + "\n";
    text += "  %init = linalg.fill ins(%zero : i32) outs(" + std::string(hasEpilogue ? "%sums" : "%y") + " : " + y +
            ") -> " + y + "\n";
    text += "  %p = linalg.generic {indexing_maps = [" + loops + row + " + " + product("i", dilation) + ", " +
            product("q", step) + " + " + product("j", dilation) + ", " +
            (groups == 1 ? "" : "g * " + std::to_string(channels) + " + ") + "c)>, " + loops +
            (isTransposed ? group + "o, i, j, c" : "i, j, c, " + group + "o") + ")>, " + loops + "g, o)>, " + loops +
            "p, q, " + group +
            "o)>], iterator_types = [\"parallel\", \"parallel\", \"parallel\", \"parallel\", "
            "\"reduction\", \"reduction\", \"reduction\"]} ins(%x, %w, %shape : " +
            x + ", " + w + ", " + shape + ") outs(%init : " + y + ") {\n  ^bb0(%a: i8, %f: i8, %d: i32, %c: i32):\n";
    text += std::string("    %l = arith.") + (isUnsignedLhs ? "extui" : "extsi") + " %a : i8 to i32\n";
    text += std::string("    %r = arith.") + (isUnsignedRhs ? "extui" : "extsi") + " %f : i8 to i32\n";
    text += "    %m = arith.muli %l, %r : i32\n    %t = arith.addi %c, %m : i32\n    linalg.yield %t : i32\n  } -> " +
            y + "\n";
    if (!hasEpilogue)
      return text + "  plan.yield %p : " + y + "\n}\n";
    const std::string here = "affine_map<(p, q, o) -> (p, q, o)>", across = "affine_map<(p, q, o) -> (o)>";
    text += "  %e = linalg.generic {indexing_maps = [" + here + ", " + across + ", " + across + ", " + here +
            "], iterator_types = [\"parallel\", \"parallel\", \"parallel\"]} ins(%p, %b, %s : " + y + ", " +
            tensorText({all}, "i32") + ", " + tensorText({all}, "f32") + ") outs(%y : " + out +
            ") {\n"
            "  ^bb0(%a: i32, %c: i32, %f: f32, %o: i8):\n"
            "    %i = arith.addi %a, %c : i32\n    %v = arith.sitofp %i : i32 to f32\n"
            "    %n = arith.mulf %v, %f : f32\n    %low = arith.constant -128.0 : f32\n"
            "    %high = arith.constant 127.0 : f32\n    %u = arith.maximumf %n, %low : f32\n"
            "    %w1 = arith.minimumf %u, %high : f32\n    %z = arith.fptosi %w1 : f32 to i32\n"
            "    %h = arith.trunci %z : i32 to i8\n    linalg.yield %h : i8\n  } -> " +
            out + "\n";
    return text + "  plan.yield %e : " + out + "\n}\n";
  }
};

BytesText matmul(int64_t rows, int64_t depth, int64_t columns, int64_t panel = 0) {
  BytesText text;
  text.rows = rows;
  text.channels = depth;
  text.columns = columns;
  text.panel = panel;
  return text;
}

BytesText convolution(int64_t channels, int64_t step, int64_t panel = 0) {
  BytesText text = matmul(5, channels, 20, panel);
  text.wide = 9;
  text.taps = 3;
  text.step = step;
  return text;
}

} // namespace

TEST_F(CpuBytes, EverySign) {
  for (bool lhs : {false, true})
    for (bool rhs : {false, true})
      for (int64_t panel : {0, 32}) {
        BytesText bytes = matmul(9, 24, 37, panel);
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
      checkOnAll(matmul(7, depth, 20, panel).text());
      check(matmul(7, depth, 20, panel).text());
    }
}

TEST_F(CpuBytes, EveryCountOfRows) {
  for (int64_t rows : {1, 2, 3, 6, 13, 14, 15, 29})
    check(matmul(rows, 8, 35, 32).text());
}

TEST_F(CpuBytes, EveryCountOfColumns) {
  for (int64_t columns : {1, 2, 3, 7, 8, 15, 16, 17, 31, 33}) {
    BytesText bytes = matmul(5, 8, columns, 16);
    bytes.hasEpilogue = columns % 2 == 0;
    checkOnAll(bytes.text());
  }
}

/// Rows of taps and channels lie one after another, so all of them are a run.
TEST_F(CpuBytes, Convolutions) {
  for (int64_t channels : {3, 4, 16})
    for (int64_t step : {1, 2}) {
      checkOnAll(convolution(channels, step).text());
      BytesText packed = convolution(channels, step, 32);
      packed.run = channels % 4 == 0 ? channels : 3 * channels;
      checkOnAll(packed.text());
      check(packed.text());
    }
}

TEST_F(CpuBytes, Groups) {
  for (int64_t panel : {0, 16}) {
    BytesText bytes = convolution(5, 1, panel);
    bytes.columns = 11;
    bytes.groups = 3;
    bytes.run = 5;
    checkOnAll(bytes.text());
  }
}

/// Products in parts of the depth, between which sums wait in scratch.
TEST_F(CpuBytes, LargeDepths) {
  for (int64_t depth : {2500, 6003}) {
    checkOnAll(matmul(29, depth, 33, 32).text());
    check(matmul(29, depth, 33, 32).text());
  }
  BytesText taps = convolution(301, 1, 64);
  taps.run = 903;
  check(taps.text());
}

/// Wider than tiles of several rows can be.
TEST_F(CpuBytes, SlicesOfWidePanels) {
  checkOnAll(matmul(17, 40, 100, 64).text());
  checkOnAll(matmul(1, 40, 500, 256).text());
}

TEST_F(CpuBytes, ARightOperandThatLiesAcross) {
  for (int64_t depth : {3, 16, 21}) {
    BytesText bytes = matmul(11, depth, 19);
    bytes.isTransposed = true;
    checkOnAll(bytes.text());
  }
}

/// Rows that are widened are copied in blocks: across gaps, from the last on, and all at once where blocks overlap in
/// parts.
TEST_F(CpuBytes, RowsThatLieAnyhow) {
  for (auto [step, dilation] : {std::pair(1, 1), std::pair(1, 5), std::pair(2, 2), std::pair(3, 2)})
    for (int64_t channels : {4, 24}) {
      BytesText bytes = convolution(channels, step, 16);
      bytes.dilation = dilation;
      bytes.isReversed = channels == 4;
      checkOnAll(bytes.text());
    }
  for (int64_t step : {2, 3}) {
    BytesText bytes = matmul(6, 40, 100, 16);
    bytes.step = step;
    bytes.wide = 5;
    bytes.isReversed = step == 3;
    checkOnAll(bytes.text());
  }
}

/// More rows than a second-level cache holds of them, widened, in units of columns.
TEST_F(CpuBytes, BlocksOfRows) {
  BytesText bytes = matmul(1501, 401, 17, 16);
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
      BytesText bytes = pairs(matmul(9, 24, 37, 16));
      bytes.isUnsignedLhs = lhs;
      bytes.isUnsignedRhs = rhs;
      checkWithHalves(bytes.text());
    }
  for (auto [rows, depth] : {std::pair(1, 30), std::pair(2, 1), std::pair(7, 2), std::pair(7, 3), std::pair(29, 601)})
    checkWithHalves(pairs(matmul(rows, depth, 35, 32)).text());
  for (int64_t channels : {1, 3, 16}) {
    BytesText bytes = pairs(convolution(channels, 2, 16));
    bytes.run = channels % 2 == 0 ? channels : 3 * channels;
    checkWithHalves(bytes.text());
  }
  BytesText groups = pairs(convolution(5, 1, 16));
  groups.columns = 11;
  groups.groups = 3;
  groups.run = 5;
  checkWithHalves(groups.text());
}
#endif

TEST_F(CpuBytes, OneRowCutByColumns) {
  BytesText bytes = matmul(1, 64, 100, 32);
  bytes.cut = 2;
  checkOnAll(bytes.text());
}
