// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the text of matmuls and convolutions of bytes, for tests of both engines.

#ifndef NACRE_TEST_UNIT_CODEGEN_BYTESTEXTS_H
#define NACRE_TEST_UNIT_CODEGEN_BYTESTEXTS_H

#include "test/unit/codegen/KernelTexts.h"

namespace nacre::codegen {

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

inline BytesText matmulOfBytes(int64_t rows, int64_t depth, int64_t columns, int64_t panel = 0) {
  BytesText text;
  text.rows = rows;
  text.channels = depth;
  text.columns = columns;
  text.panel = panel;
  return text;
}

inline BytesText convolutionOfBytes(int64_t channels, int64_t step, int64_t panel = 0) {
  BytesText text = matmulOfBytes(5, channels, 20, panel);
  text.wide = 9;
  text.taps = 3;
  text.step = step;
  return text;
}

} // namespace nacre::codegen

#endif // NACRE_TEST_UNIT_CODEGEN_BYTESTEXTS_H
