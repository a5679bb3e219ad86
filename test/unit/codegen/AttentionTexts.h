// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  kernels of attention as text, as nacre-form-kernels writes them.
// Why:   the engines are tested on the same kernels; a test gives sizes and special properties, not MLIR.

#ifndef NACRE_TEST_UNIT_CODEGEN_ATTENTIONTEXTS_H
#define NACRE_TEST_UNIT_CODEGEN_ATTENTIONTEXTS_H

#include "llvm/Support/FormatVariadic.h"

#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace nacre::codegen {

struct AttentionText {
  int64_t batches, rows, keys, depth, columns;
  bool interleaved = false; ///< Heads lie side by side in a row, as products write them; else one after another.
  bool shared = false;      ///< All batches have the first one's keys and values.
  bool masked = false;      ///< A number for each key masks it; all scores are scaled.
  std::string element = "f32";
  bool cutAmongRows = false; ///< Else among batches.
  bool bounded = false;      ///< A row sees three keys before its position, and the key at it.
  bool sunk = false;         ///< Capped, and with a sink: the first number of the mask.
  bool causal = false;       ///< Requires `bounded`: a row sees all keys before its position.
  int64_t offset = 2;        ///< Position of the first row among the keys, if `bounded`.

  std::string text() const;
  std::string scored() const; ///< The body of the sweep that finishes the scores.
};

inline constexpr char kAttention[] = R"(
plan.kernel @kernel attention (%q: tensor<QSxTYPE>, %k: tensor<KSxTYPE>, %v: tensor<VSxTYPE>, %mask: tensor<NxTYPE>)
    into (%y: tensor<YSxTYPE>) cut AXIS : EXTENT by 1 {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %one = arith.constant 1.0 : f32
  %scale = arith.constant 0.3 : f32
  %e0 = tensor.empty() : tensor<BxMxNxf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<BxMxNxf32>) -> tensor<BxMxNxf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (QMAP)>, affine_map<(b, m, n, k) -> (KMAP)>,
                                        affine_map<(b, m, n, k) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<QSxTYPE>, tensor<KSxTYPE>) outs(%f0 : tensor<BxMxNxf32>) {
  ^bb0(%a: TYPE, %b: TYPE, %o: f32):
    WIDEN
    %p = arith.mulf %aw, %bw : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<BxMxNxf32>
  %e1 = tensor.empty() : tensor<BxMxNxf32>
  %m = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (n)>, affine_map<(b, m, n) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %mask : tensor<BxMxNxf32>, tensor<NxTYPE>) outs(%e1 : tensor<BxMxNxf32>) KEYBOUNDS{
  ^bb0(%a: f32, %g: TYPE, %o: f32):
    MASKED
  } -> tensor<BxMxNxf32>
  %e2 = tensor.empty() : tensor<BxMxf32>
  %f2 = linalg.fill ins(%lowest : f32) outs(%e2 : tensor<BxMxf32>) -> tensor<BxMxf32>
  %largest = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, SINKMAPaffine_map<(b, m, n) -> (b, m)>],
                             iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%mSINKREAD : tensor<BxMxNxf32>SINKTYPE) outs(%f2 : tensor<BxMxf32>) {
  ^bb0(%a: f32, SINKVALUE%o: f32):
    LARGER
    linalg.yield %t : f32
  } -> tensor<BxMxf32>
  %e3 = tensor.empty() : tensor<BxMxNxf32>
  %powers = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>],
                            iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%m, %largest : tensor<BxMxNxf32>, tensor<BxMxf32>) outs(%e3 : tensor<BxMxNxf32>) {
  ^bb0(%a: f32, %g: f32, %o: f32):
    %d = arith.subf %a, %g : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<BxMxNxf32>
  %e4 = tensor.empty() : tensor<BxMxf32>
  %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<BxMxf32>) -> tensor<BxMxf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%powers : tensor<BxMxNxf32>) outs(%f4 : tensor<BxMxf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %o, %a : f32
    linalg.yield %t : f32
  } -> tensor<BxMxf32>
  %e5 = tensor.empty() : tensor<BxMxNxf32>
  %weights = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, SINKMAPSaffine_map<(b, m, n) -> (b, m, n)>],
                             iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%powers, %sumSINKREADS : tensor<BxMxNxf32>, tensor<BxMxf32>SINKTYPES) outs(%e5 : tensor<BxMxNxf32>) {
  ^bb0(%a: f32, %g: f32, SINKVALUES%o: f32):
    TOTAL%i = arith.divf %one, %gs : f32
    %t = arith.mulf %a, %i : f32
    linalg.yield %t : f32
  } -> tensor<BxMxNxf32>
  SUMS
  %f6 = linalg.fill ins(%zero : f32) outs(%e6 : tensor<YSxf32>) -> tensor<YSxf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (VMAP)>,
                                        affine_map<(b, m, n, k) -> (YMAP)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%weights, %v : tensor<BxMxNxf32>, tensor<VSxTYPE>) outs(%f6 : tensor<YSxf32>) {
  ^bb0(%a: f32, %b: TYPE, %o: f32):
    WEIGHED
    %p = arith.mulf %a, %bw : f32
    %t = arith.addf %o, %p : f32
    linalg.yield %t : f32
  } -> tensor<YSxf32>
  END
}
)";

inline constexpr char kNarrowEnd[] =
    R"(%z = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r : tensor<YSxf32>) outs(%y : tensor<YSxTYPE>) {
  ^bb0(%a: f32, %o: TYPE):
    %t = arith.truncf %a : f32 to TYPE
    linalg.yield %t : TYPE
  } -> tensor<YSxTYPE>
  plan.yield %z : tensor<YSxTYPE>)";

inline std::string AttentionText::scored() const {
  std::string body = "%c = arith.mulf %a, %scale : f32\n    ", score = "%c";
  auto then = [&](const std::string &name, const std::string &lines) {
    body += lines + "\n    ";
    score = name;
  };
  if (sunk)
    then("%th", "%th = math.tanh %c : f32");
  if (masked && element != "f32")
    then("%x", "%gw = arith.extf %g : TYPE to f32\n    %x = arith.addf " + score + ", %gw : f32");
  else if (masked)
    then("%x", "%x = arith.addf " + score + ", %g : f32");
  if (bounded)
    then("%t", "%row = linalg.index 1 : index\n    %rw = arith.index_cast %row : index to i32\n    "
               "%key = linalg.index 2 : index\n    %kw = arith.index_cast %key : index to i32\n    "
               "%first = arith.constant " +
                   std::to_string(offset) +
                   " : i32\n    %at = arith.addi %rw, %first : i32\n    "
                   "%far = arith.subi %kw, %at : i32\n    %none = arith.constant 0 : i32\n    "
                   "%least = arith.constant " +
                   std::string(causal ? "-100000" : "-3") +
                   " : i32\n    %below = arith.cmpi sle, %far, %none : i32\n    "
                   "%above = arith.cmpi sge, %far, %least : i32\n    %seen = arith.andi %below, %above : i1\n    "
                   "%t = arith.select %seen, " +
                   score + ", %lowest : f32");
  return body + "linalg.yield " + score + " : f32";
}

inline std::string AttentionText::text() const {
  const bool narrow = element != "f32";
  const int64_t own = shared ? 1 : batches;
  auto sizes = [&](int64_t heads, int64_t across, int64_t last) {
    return interleaved ? llvm::formatv("{0}x{1}x{2}", across, heads, last).str()
                       : llvm::formatv("{0}x{1}x{2}", heads, across, last).str();
  };
  auto map = [&](const std::string &head, const std::string &across, const std::string &last) {
    return interleaved ? across + ", " + head + ", " + last : head + ", " + across + ", " + last;
  };
  const std::string keyed = shared ? "0" : "b";
  const std::string ofSink =
      narrow ? "%sw = arith.extf %k0 : TYPE to f32\n    " : "%sw = arith.addf %k0, %zero : f32\n    ";
  // Longer words first: none is a part of one that is replaced later.
  const std::vector<std::pair<std::string, std::string>> words = {
      {"END", narrow ? kNarrowEnd : "plan.yield %r : tensor<YSxf32>"},
      {"SUMS", narrow ? "%e6 = tensor.empty() : tensor<YSxf32>" : ""},
      {"%e6 : tensor", narrow ? "%e6 : tensor" : "%y : tensor"},
      {"WIDEN", "%aw = arith.extf %a : TYPE to f32\n    %bw = arith.extf %b : TYPE to f32"},
      {"WEIGHED", "%bw = arith.extf %b : TYPE to f32"},
      {"LARGER", sunk ? ofSink + "%l = arith.maximumf %a, %sw : f32\n    %t = arith.maximumf %o, %l : f32"
                      : "%t = arith.maximumf %o, %a : f32"},
      {"TOTAL", sunk ? ofSink + "%d = arith.subf %sw, %h : f32\n    %p = math.exp %d : f32\n    "
                                "%gs = arith.addf %g, %p : f32\n    "
                     : ""},
      {"%gs : f32", sunk ? "%gs : f32" : "%g : f32"},
      {"SINKMAPS", sunk ? "affine_map<(b, m, n) -> (b, m)>, SINKMAP" : ""},
      {"SINKREADS", sunk ? ", %largestSINKREAD" : ""},
      {"SINKTYPES", sunk ? ", tensor<BxMxf32>SINKTYPE" : ""},
      {"SINKVALUES", sunk ? "%h: f32, SINKVALUE" : ""},
      {"SINKMAP", sunk ? "affine_map<(b, m, n) -> (0)>, " : ""},
      {"SINKREAD", sunk ? ", %mask" : ""},
      {"SINKTYPE", sunk ? ", tensor<NxTYPE>" : ""},
      {"SINKVALUE", sunk ? "%k0: TYPE, " : ""},
      {"MASKED", scored()},
      {"KEYBOUNDS", !bounded ? ""
                             : "attrs = {plan.key_bounds = {" + std::string(causal ? "" : "before = 3, ") +
                                   "after = 0, offset = " + std::to_string(offset) + "}} "},
      {"QMAP", map("b", "m", "k")},
      {"KMAP", map(keyed, "n", "k")},
      {"VMAP", map(keyed, "k", "n")},
      {"YMAP", map("b", "m", "n")},
      {"QSx", sizes(batches, rows, depth) + "x"},
      {"KSx", sizes(own, keys, depth) + "x"},
      {"VSx", sizes(own, keys, columns) + "x"},
      {"YSx", sizes(batches, rows, columns) + "x"},
      {"BxMxNx", llvm::formatv("{0}x{1}x{2}x", batches, rows, keys)},
      {"BxMx", llvm::formatv("{0}x{1}x", batches, rows)},
      {"<Nx", llvm::formatv("<{0}x", keys)},
      {"TYPE", element},
      {"AXIS", std::to_string(cutAmongRows == interleaved ? 0 : 1)},
      {"EXTENT", std::to_string(cutAmongRows ? rows : batches)}};
  std::string text = kAttention;
  if (!narrow) // the factors are what is multiplied
    for (auto [from, to] :
         {std::pair("    WIDEN\n", ""), {"    WEIGHED\n", ""}, {"%aw, %bw", "%a, %b"}, {"%a, %bw", "%a, %b"}})
      text = std::regex_replace(text, std::regex(from), to);
  for (const auto &[from, to] : words)
    text = std::regex_replace(text, std::regex(from), to);
  return text;
}

} // namespace nacre::codegen

#endif // NACRE_TEST_UNIT_CODEGEN_ATTENTIONTEXTS_H
