// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  kernels of products whose left operand is made in the kernel, as text: scaled and shifted, or normalized rows.
// Why:   as KernelTexts.h.

#ifndef NACRE_TEST_UNIT_CODEGEN_PROLOGUETEXTS_H
#define NACRE_TEST_UNIT_CODEGEN_PROLOGUETEXTS_H

#include "test/unit/codegen/KernelTexts.h"

namespace nacre::codegen {

/// [m, k] by [k, n]; element (r, c) of the left operand is x(r, c) * g(c) + b(c), then no less than zero. If rows
/// are normalized, x is less their mean, by their deviation.
struct PrologueText {
  int64_t m, n, k;
  bool normalized = false;
  bool written = false;  ///< The left operand is a second result.
  bool residual = false; ///< x is the sum of two tensors.
  bool biased = false;   ///< The result has a bias.
  unsigned cut = 0;
  std::string element = "f32";

  std::string text() const {
    const std::string left = tensorText({m, k}, element), rows = tensorText({m}, "f32"),
                      columns = tensorText({k}, element), weight = tensorText({k, n}, element),
                      right = tensorText({m, n}, element), sums = tensorText({m, n}, "f32"),
                      bias = tensorText({n}, element);
    const bool isHalf = element != "f32", finishes = biased || isHalf;
    std::string text = "\nplan.kernel @kernel contraction (%x: " + left + ", %g: " + columns + ", %b: " + columns +
                       ", %w: " + weight + (residual ? ", %u: " + left : "") + (biased ? ", %c: " + bias : "") +
                       ") into (%y: " + right + (written ? ", %l: " + left : "") + ") cut " + std::to_string(cut) +
                       " : " + std::to_string(cut == 0 ? m : n) + " by 1 {\n  %zero = arith.constant 0.0 : f32\n" +
                       "  %share = arith.constant " + std::to_string(1.0 / double(k)) + " : f32\n" +
                       "  %least = arith.constant 1.0e-5 : f32\n  %one = arith.constant 1.0 : f32\n";
    if (normalized) {
      text += "  %rows = tensor.empty() : " + rows + "\n";
      text += llvm::formatv("  %none = linalg.fill ins(%zero : f32) outs(%rows : {0}) -> {0}\n", rows);
      text += reduction("%sum", "%x", "", left, rows, loaded("%a") + "    %n = arith.addf %o, %av : f32\n");
      text += reduction("%squares", "%x", "%sum", left, rows,
                        loaded("%a") + "    %m = arith.mulf %s, %share : f32\n    %d = arith.subf %av, %m : f32\n" +
                            "    %p = arith.mulf %d, %d : f32\n    %n = arith.addf %o, %p : f32\n");
    }
    const std::string map = "affine_map<(r, c) -> (r, c)>", ofRow = "affine_map<(r, c) -> (r)>",
                      ofColumn = "affine_map<(r, c) -> (c)>", target = written ? "%l" : "%e";
    if (!written)
      text += "  %e = tensor.empty() : " + left + "\n";
    text += "  %left = linalg.generic {indexing_maps = [" + map + (residual ? ", " + map : "") +
            (normalized ? ", " + ofRow + ", " + ofRow : "") + ", " + ofColumn + ", " + ofColumn + ", " + map +
            "], iterator_types = [\"parallel\", \"parallel\"]}\n      ins(%x" + (residual ? ", %u" : "") +
            (normalized ? ", %sum, %squares" : "") + ", %g, %b : " + left + (residual ? ", " + left : "") +
            (normalized ? ", " + rows + ", " + rows : "") + ", " + columns + ", " + columns + ") outs(" + target +
            " : " + left + ") {\n  ^bb0(%a: " + element + (residual ? ", %a2: " + element : "") +
            (normalized ? ", %s: f32, %q: f32" : "") + ", %h: " + element + ", %i: " + element + ", %o: " + element +
            "):\n" + loaded("%a") + loaded("%h") + loaded("%i");
    std::string value = "%av";
    if (residual) {
      text += loaded("%a2") + "    %both = arith.addf " + value + ", %a2v : f32\n";
      value = "%both";
    }
    if (normalized) {
      text += "    %m = arith.mulf %s, %share : f32\n    %d = arith.subf " + value +
              ", %m : f32\n    %v = arith.mulf %q, %share : f32\n    %w1 = arith.addf %v, %least : f32\n"
              "    %w2 = math.sqrt %w1 : f32\n    %w3 = arith.divf %one, %w2 : f32\n"
              "    %norm = arith.mulf %d, %w3 : f32\n";
      value = "%norm";
    }
    text += "    %t1 = arith.mulf " + value +
            ", %hv : f32\n    %t2 = arith.addf %t1, %iv : f32\n    %t3 = arith.maximumf %t2, %zero : f32\n";
    if (isHalf)
      text += "    %t4 = arith.truncf %t3 : f32 to " + element + "\n";
    text += "    linalg.yield " + std::string(isHalf ? "%t4" : "%t3") + " : " + element + "\n  } -> " + left + "\n";
    text += product(left, weight, sums, finishes);
    if (finishes)
      text += epilogue(sums, bias, right);
    return text + "  plan.yield " + (finishes ? "%r" : "%z") + (written ? ", %left" : "") + " : " + right +
           (written ? ", " + left : "") + "\n}\n";
  }

private:
  /// The definition of NAMEv, the element in f32.
  std::string loaded(const std::string &name) const {
    return element == "f32" ? "    " + name + "v = arith.addf " + name + ", %zero : f32\n"
                            : "    " + name + "v = arith.extf " + name + " : " + element + " to f32\n";
  }

  std::string reduction(const std::string &name, const std::string &x, const std::string &former,
                        const std::string &left, const std::string &rows, const std::string &body) const {
    const std::string ofRow = "affine_map<(r, c) -> (r)>";
    return "  " + name + " = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, " +
           (former.empty() ? "" : ofRow + ", ") + ofRow + "], iterator_types = [\"parallel\", \"reduction\"]}\n" +
           "      ins(" + x + (former.empty() ? "" : ", " + former) + " : " + left +
           (former.empty() ? "" : ", " + rows) + ") outs(%none : " + rows + ") {\n  ^bb0(%a: " + element +
           (former.empty() ? "" : ", %s: f32") + ", %o: f32):\n" + body + "    linalg.yield %n : f32\n  } -> " + rows +
           "\n";
  }

  std::string product(const std::string &left, const std::string &weight, const std::string &sums,
                      bool finishes) const {
    const bool isHalf = element != "f32";
    std::string text = finishes ? "  %e2 = tensor.empty() : " + sums + "\n" : "";
    text +=
        llvm::formatv("  %f = linalg.fill ins(%zero : f32) outs({0} : {1}) -> {1}\n", finishes ? "%e2" : "%y", sums);
    text += "  %z = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, "
            "affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]}\n"
            "      ins(%left, %w : " +
            left + ", " + weight + ") outs(%f : " + sums + ") {\n  ^bb0(%a: " + element + ", %h: " + element +
            ", %o: f32):\n";
    text += widened("%a", element, "f32", "%av") + widened("%h", element, "f32", "%hv");
    return text + "    %p = arith.mulf " + (isHalf ? "%av, %hv" : "%a, %h") +
           " : f32\n    %s = arith.addf %o, %p : f32\n    linalg.yield %s : f32\n  } -> " + sums + "\n";
  }

  std::string epilogue(const std::string &sums, const std::string &bias, const std::string &right) const {
    const std::string map = "affine_map<(r, c) -> (r, c)>", ofColumn = "affine_map<(r, c) -> (c)>";
    std::string text = "  %r = linalg.generic {indexing_maps = [" + map + (biased ? ", " + ofColumn : "") + ", " + map +
                       "], iterator_types = [\"parallel\", \"parallel\"]}\n      ins(%z" + (biased ? ", %c" : "") +
                       " : " + sums + (biased ? ", " + bias : "") + ") outs(%y : " + right + ") {\n  ^bb0(%a: f32" +
                       (biased ? ", %h: " + element : "") + ", %o: " + element + "):\n";
    std::string value = "%a";
    if (biased) {
      text += loaded("%h") + "    %s = arith.addf %a, %hv : f32\n";
      value = "%s";
    }
    if (element != "f32") {
      text += "    %t = arith.truncf " + value + " : f32 to " + element + "\n";
      value = "%t";
    }
    return text + "    linalg.yield " + value + " : " + element + "\n  } -> " + right + "\n";
  }
};

/// Test cases of both engines: rows, columns and depths that fill no tile, few rows, and a cut along the columns.
inline std::vector<PrologueText> prologueTexts() {
  std::vector<PrologueText> texts = {
      {64, 64, 64},        {150, 44, 132}, {37, 40, 70},        {64, 64, 64, true},
      {119, 21, 67, true}, {4, 37, 130},   {3, 140, 130, true}, {1, 100, 128, true},
  };
  texts[2].biased = texts[2].residual = true;
  texts[4].written = texts[4].biased = true;
  texts[6].written = true;
  texts[7].cut = 1;
  return texts;
}

inline std::vector<PrologueText> prologueTextsOfHalves() {
  std::vector<PrologueText> texts = {{20, 24, 136}, {20, 24, 70, true, true}};
  texts[1].biased = true;
  for (PrologueText &text : texts)
    text.element = "f16";
  return texts;
}

} // namespace nacre::codegen

#endif // NACRE_TEST_UNIT_CODEGEN_PROLOGUETEXTS_H
