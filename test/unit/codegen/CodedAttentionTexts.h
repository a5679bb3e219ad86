// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  kernels of attention of 8-bit codes as text, as nacre-form-kernels writes them.
// Why:   zero points bring sums of rows and columns, which a test turns on and off.

#ifndef NACRE_TEST_UNIT_CODEGEN_CODEDATTENTIONTEXTS_H
#define NACRE_TEST_UNIT_CODEGEN_CODEDATTENTIONTEXTS_H

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <iterator>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace nacre::codegen {

/// Heads lie side by side in a row. The result is of f32, so that a weight that rounds the other way is not a mistake.
struct CodedAttentionText {
  int64_t batches, rows, keys, depth, columns;
  bool isUnsigned = true; ///< Queries and weights.
  bool centred = false;   ///< All zero points are 0: there are no sums.
  bool cutAmongRows = false;

  std::string text() const;
};

inline constexpr char kCodedAttention[] = R"(
plan.kernel @kernel attention (%q: tensor<MxBxDxi8>, %k: tensor<NxBxDxi8>, %v: tensor<NxBxExi8>, %mask: tensor<Nxf32>)
    into (%y: tensor<MxBxExf32>) cut AXIS : EXTENT by 1 {
  %none = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %one = arith.constant 1.0 : f32
  BEFORE
  %e0 = tensor.empty() : tensor<BxMxNxi32>
  %f0 = linalg.fill ins(%none : i32) outs(%e0 : tensor<BxMxNxi32>) -> tensor<BxMxNxi32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (m, b, k)>, affine_map<(b, m, n, k) -> (n, b, k)>,
                                        affine_map<(b, m, n, k) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<MxBxDxi8>, tensor<NxBxDxi8>) outs(%f0 : tensor<BxMxNxi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %aw = LEFT %a : i8 to i32
    %bw = arith.extsi %b : i8 to i32
    %p = arith.muli %aw, %bw : i32
    %t = arith.addi %o, %p : i32
    linalg.yield %t : i32
  } -> tensor<BxMxNxi32>
  %e1 = tensor.empty() : tensor<BxMxNxf32>
  %m = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, SCOREMAPS affine_map<(b, m, n) -> (n)>, affine_map<(b, m, n) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, SCORESUMS %mask : tensor<BxMxNxi32>, SCORETYPES tensor<Nxf32>) outs(%e1 : tensor<BxMxNxf32>) {
  ^bb0(%a: i32, SCOREARGS %g: f32, %o: f32):
    SCORES
    %scale = arith.constant 1.0e-4 : f32
    %f = arith.sitofp %c : i32 to f32
    %h = arith.mulf %f, %scale : f32
    %t = arith.addf %h, %g : f32
    linalg.yield %t : f32
  } -> tensor<BxMxNxf32>
  %e2 = tensor.empty() : tensor<BxMxf32>
  %f2 = linalg.fill ins(%lowest : f32) outs(%e2 : tensor<BxMxf32>) -> tensor<BxMxf32>
  %largest = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>],
                             iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%m : tensor<BxMxNxf32>) outs(%f2 : tensor<BxMxf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.maximumf %o, %a : f32
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
  %e5 = tensor.empty() : tensor<BxMxNxi8>
  %codes = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>],
                           iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%powers, %sum : tensor<BxMxNxf32>, tensor<BxMxf32>) outs(%e5 : tensor<BxMxNxi8>) {
  ^bb0(%a: f32, %g: f32, %o: i8):
    %step = arith.constant 4.0e-3 : f32
    %i = arith.divf %one, %g : f32
    %w = arith.mulf %a, %i : f32
    %c = arith.divf %w, %step : f32
    %t = plan.round %c in LEAST to MOST nan 0 : i8
    linalg.yield %t : i8
  } -> tensor<BxMxNxi8>
  BETWEEN
  %e6 = tensor.empty() : tensor<MxBxExi32>
  %f6 = linalg.fill ins(%none : i32) outs(%e6 : tensor<MxBxExi32>) -> tensor<MxBxExi32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, b, n)>,
                                        affine_map<(b, m, n, k) -> (m, b, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%codes, %v : tensor<BxMxNxi8>, tensor<NxBxExi8>) outs(%f6 : tensor<MxBxExi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %aw = LEFT %a : i8 to i32
    %bw = arith.extsi %b : i8 to i32
    %p = arith.muli %aw, %bw : i32
    %t = arith.addi %o, %p : i32
    linalg.yield %t : i32
  } -> tensor<MxBxExi32>
  %z = linalg.generic {indexing_maps = [affine_map<(m, b, n) -> (m, b, n)>, ENDMAPS affine_map<(m, b, n) -> (m, b, n)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r ENDSUMS : tensor<MxBxExi32> ENDTYPES) outs(%y : tensor<MxBxExf32>) {
  ^bb0(%a: i32, ENDARGS %o: f32):
    ENDING
    %t = arith.sitofp %c : i32 to f32
    linalg.yield %t : f32
  } -> tensor<MxBxExf32>
  plan.yield %z : tensor<MxBxExf32>
}
)";

/// The sum of the codes %NAME along the last loop.
inline std::string codeSum(const std::string &name, const std::string &of, const std::string &map,
                           const std::string &type, const std::string &extend, const std::string &result) {
  return llvm::formatv(R"(%e{0} = tensor.empty() : tensor<{5}xi32>
  %f{0} = linalg.fill ins(%none : i32) outs(%e{0} : tensor<{5}xi32>) -> tensor<{5}xi32>
  %{0} = linalg.generic {{indexing_maps = [affine_map<(b, m, k) -> ({2})>, affine_map<(b, m, k) -> (b, m)>],
                        iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%{1} : tensor<{3}xi8>) outs(%f{0} : tensor<{5}xi32>) {{
  ^bb0(%a: i8, %o: i32):
    %w = {4} %a : i8 to i32
    %t = arith.addi %o, %w : i32
    linalg.yield %t : i32
  } -> tensor<{5}xi32>
  )",
                       name, of, map, type, extend, result)
      .str();
}

inline std::string CodedAttentionText::text() const {
  const std::string left = isUnsigned ? "arith.extui" : "arith.extsi", right = "arith.extsi";
  auto timesAndAdd = [](const std::string &sum, const std::string &from, const std::string &to, int64_t factor) {
    return llvm::formatv("%n{0} = arith.constant {3} : i32\n    %m{0} = arith.muli %{0}, %n{0} : i32\n    "
                         "%{2} = arith.addi %{1}, %m{0} : i32\n    ",
                         sum, from, to, factor)
        .str();
  };
  const std::string same = "%n = arith.constant 0 : i32\n    %c = arith.addi %a, %n : i32";
  // Longer words first: none is a part of one that is replaced later.
  const std::vector<std::pair<std::string, std::string>> words = {
      {"BEFORE", centred ? ""
                         : codeSum("rows", "q", "m, b, k", "MxBxD", left, "BxM") +
                               codeSum("cols", "k", "m, b, k", "NxBxD", right, "BxN") +
                               codeSum("ofv", "v", "k, b, m", "NxBxE", right, "BxE")},
      {"BETWEEN", centred ? "" : codeSum("ofw", "codes", "b, m, k", "BxMxN", left, "BxM")},
      {"SCOREMAPS", centred ? "" : "affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, n)>,"},
      {"SCORESUMS", centred ? "" : "%rows, %cols,"},
      {"SCORETYPES", centred ? "" : "tensor<BxMxi32>, tensor<BxNxi32>,"},
      {"SCOREARGS", centred ? "" : "%u: i32, %x: i32,"},
      {"SCORES", centred ? same : timesAndAdd("u", "a", "d", 3) + timesAndAdd("x", "d", "c", -120)},
      {"ENDMAPS", centred ? "" : "affine_map<(m, b, n) -> (b, m)>, affine_map<(m, b, n) -> (b, n)>,"},
      {"ENDSUMS", centred ? "" : ", %ofw, %ofv"},
      {"ENDTYPES", centred ? "" : ", tensor<BxMxi32>, tensor<BxExi32>"},
      {"ENDARGS", centred ? "" : "%u: i32, %x: i32,"},
      {"ENDING", centred ? same : timesAndAdd("u", "a", "d", 5) + timesAndAdd("x", "d", "c", -2)},
      {"LEFT", left},
      {"LEAST", isUnsigned ? "0" : "-128"},
      {"MOST", isUnsigned ? "255" : "127"},
      {"AXIS", cutAmongRows ? "0" : "1"},
      {"EXTENT", std::to_string(cutAmongRows ? rows : batches)}};
  std::string text = kCodedAttention;
  for (const auto &[from, to] : words)
    text = std::regex_replace(text, std::regex(from), to);
  // Letters in shapes are sizes.
  std::string sized;
  bool inShape = false;
  for (size_t at = 0; at < text.size(); ++at) {
    inShape = text.compare(at, 7, "tensor<") == 0 || (inShape && text[at] != '>');
    const std::pair<char, int64_t> sizes[] = {{'M', rows}, {'N', keys}, {'B', batches}, {'D', depth}, {'E', columns}};
    const auto *size =
        std::find_if(std::begin(sizes), std::end(sizes), [&](const auto &letter) { return letter.first == text[at]; });
    if (inShape && size != std::end(sizes))
      sized += std::to_string(size->second);
    else
      sized += text[at];
  }
  return sized;
}

} // namespace nacre::codegen

#endif // NACRE_TEST_UNIT_CODEGEN_CODEDATTENTIONTEXTS_H
