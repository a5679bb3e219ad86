// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  kernels of f16 that are no products, as text.
// Why:   the kernels phase widens f16 to f32 in each body. CPUs with f16 arithmetic may compute in f16 instead.

#ifndef NACRE_TEST_UNIT_CODEGEN_HALFTEXTS_H
#define NACRE_TEST_UNIT_CODEGEN_HALFTEXTS_H

#include "llvm/Support/FormatVariadic.h"

#include <string>

namespace nacre::codegen {

/// A map of `count` elements of one or two operands. `body` computes %r from %a and %b, all of f32.
inline std::string halfMapText(int64_t count, bool isBinary, const std::string &body) {
  return llvm::formatv(R"(
#all = affine_map<(d0) -> (d0)>
plan.kernel @kernel nest (%x: tensor<{0}xf16>{1}) into (%z: tensor<{0}xf16>) cut 0 : {0} by 1 {{
  %w = linalg.generic {{indexing_maps = [#all, {2}#all], iterator_types = ["parallel"]}
      ins(%x{3} : tensor<{0}xf16>{4}) outs(%z : tensor<{0}xf16>) {{
  ^bb0(%s: f16, {5}%o: f16):
    %a = arith.extf %s : f16 to f32
    {6}
    {7}
    %n = arith.truncf %r : f32 to f16
    linalg.yield %n : f16
  } -> tensor<{0}xf16>
  plan.yield %w : tensor<{0}xf16>
})",
                       count, isBinary ? llvm::formatv(", %y: tensor<{0}xf16>", count).str() : "",
                       isBinary ? "#all, " : "", isBinary ? ", %y" : "",
                       isBinary ? llvm::formatv(", tensor<{0}xf16>", count).str() : "", isBinary ? "%t: f16, " : "",
                       isBinary ? "%b = arith.extf %t : f16 to f32" : "", body);
}

/// A pool of windows of 3x3 whose accumulators are f32: maxima, or means if `isMean`.
inline std::string halfPoolText(int64_t size, int64_t channels, int64_t stride, int64_t pad, bool isMean) {
  const int64_t padded = size + 2 * pad, results = (padded - 3) / stride + 1;
  return llvm::formatv(R"(
#cells = affine_map<(n, h, w, c, i, j) -> (n, h * {0} + i, w * {0} + j, c)>
#window = affine_map<(n, h, w, c, i, j) -> (i, j)>
#places = affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>
#all = affine_map<(n, h, w, c) -> (n, h, w, c)>
plan.kernel @kernel nest (%x: tensor<1x{1}x{1}x{2}xf16>) into (%y: tensor<1x{4}x{4}x{2}xf16>) cut 1 : {4} by 1 {{
  %outside = arith.constant {6} : f16
  %p = tensor.pad %x low[0, {5}, {5}, 0] high[0, {5}, {5}, 0] {{
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %outside : f16
  } : tensor<1x{1}x{1}x{2}xf16> to tensor<1x{3}x{3}x{2}xf16>
  %size = tensor.empty() : tensor<3x3xf32>
  %e = tensor.empty() : tensor<1x{4}x{4}x{2}xf32>
  %start = arith.constant {7} : f32
  %f = linalg.fill ins(%start : f32) outs(%e : tensor<1x{4}x{4}x{2}xf32>) -> tensor<1x{4}x{4}x{2}xf32>
  %r = linalg.generic {{indexing_maps = [#cells, #window, #places],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %size : tensor<1x{3}x{3}x{2}xf16>, tensor<3x3xf32>) outs(%f : tensor<1x{4}x{4}x{2}xf32>) {{
  ^bb0(%a: f16, %unread: f32, %o: f32):
    %v = arith.extf %a : f16 to f32
    %m = arith.{8} %o, %v : f32
    linalg.yield %m : f32
  } -> tensor<1x{4}x{4}x{2}xf32>
  %s = linalg.generic {{indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r : tensor<1x{4}x{4}x{2}xf32>) outs(%y : tensor<1x{4}x{4}x{2}xf16>) {{
  ^bb0(%a: f32, %o: f16):
    %ninth = arith.constant {9} : f32
    %v = arith.mulf %a, %ninth : f32
    %n = arith.truncf %v : f32 to f16
    linalg.yield %n : f16
  } -> tensor<1x{4}x{4}x{2}xf16>
  plan.yield %s : tensor<1x{4}x{4}x{2}xf16>
})",
                       stride, size, channels, padded, results, pad, isMean ? "0.0" : "0xFC00",
                       isMean ? "0.0" : "0xFF800000", isMean ? "addf" : "maximumf", isMean ? "0.11111111" : "1.0");
}

/// Sums of a matrix of f16 along one axis, in f32.
inline std::string halfSumText(int64_t rows, int64_t columns, bool alongRows) {
  return llvm::formatv(R"(
#all = affine_map<(d0, d1) -> (d0, d1)>
#kept = affine_map<(d0, d1) -> ({0})>
plan.kernel @kernel nest (%x: tensor<{1}x{2}xf16>) into (%y: tensor<{3}xf32>) cut 0 : {3} by 1 {{
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<{3}xf32>) -> tensor<{3}xf32>
  %r = linalg.generic {{indexing_maps = [#all, #kept], iterator_types = [{4}]}
      ins(%x : tensor<{1}x{2}xf16>) outs(%f : tensor<{3}xf32>) {{
  ^bb0(%a: f16, %o: f32):
    %v = arith.extf %a : f16 to f32
    %m = arith.addf %o, %v : f32
    linalg.yield %m : f32
  } -> tensor<{3}xf32>
  plan.yield %r : tensor<{3}xf32>
})",
                       alongRows ? "d0" : "d1", rows, columns, alongRows ? rows : columns,
                       alongRows ? R"("parallel", "reduction")" : R"("reduction", "parallel")");
}

/// A transpose of an image between f32, channels first, and f16, channels last.
inline std::string halfTransposeText(int64_t channels, int64_t rows, int64_t columns, bool toHalves) {
  const std::string first = llvm::formatv("tensor<1x{0}x{1}x{2}xf32>", channels, rows, columns).str(),
                    last = llvm::formatv("tensor<1x{1}x{2}x{0}xf16>", channels, rows, columns).str();
  return llvm::formatv(R"(
plan.kernel @kernel permute (%x: {0}) into (%y: {1}) cut 1 : {2} by 1 {{
  %r = linalg.generic {{indexing_maps = [affine_map<(n, a, b, c) -> ({3})>, affine_map<(n, a, b, c) -> (n, a, b, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : {0}) outs(%y : {1}) {{
  ^bb0(%v: {4}, %o: {5}):
    %n = arith.{6} %v : {4} to {5}
    linalg.yield %n : {5}
  } -> {1}
  plan.yield %r : {1}
})",
                       toHalves ? first : last, toHalves ? last : first, toHalves ? rows : channels,
                       toHalves ? "n, c, a, b" : "n, b, c, a", toHalves ? "f32" : "f16", toHalves ? "f16" : "f32",
                       toHalves ? "truncf" : "extf");
}

/// Rows of a table that indices choose, each plus a row of another table and a bias. The sum of three is f32.
inline std::string halfGatherText(int64_t rows, int64_t columns) {
  return llvm::formatv(R"(
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#all = affine_map<(d0, d1) -> (d0, d1)>
plan.kernel @kernel indexed (%table: tensor<5x{1}xf16>, %i: tensor<{0}xi64>, %bias: tensor<{1}xf16>, %x: tensor<{0}x{1}xf16>) into (%y: tensor<{0}x{1}xf16>)
    cut 0 : {0} by 1 {{
  %r = linalg.generic {{indexing_maps = [#row, #column, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%i, %bias, %x : tensor<{0}xi64>, tensor<{1}xf16>, tensor<{0}x{1}xf16>) outs(%y : tensor<{0}x{1}xf16>) {{
  ^bb0(%k: i64, %b: f16, %a: f16, %o: f16):
    %least = arith.constant 0 : i64
    %most = arith.constant 4 : i64
    %low = arith.maxsi %k, %least : i64
    %in = arith.minsi %low, %most : i64
    %at = arith.index_cast %in : i64 to index
    %column = linalg.index 1 : index
    %e = tensor.extract %table[%at, %column] : tensor<5x{1}xf16>
    %u = arith.extf %e : f16 to f32
    %v = arith.extf %a : f16 to f32
    %w = arith.extf %b : f16 to f32
    %s = arith.addf %u, %v : f32
    %t = arith.addf %s, %w : f32
    %n = arith.truncf %t : f32 to f16
    linalg.yield %n : f16
  } -> tensor<{0}x{1}xf16>
  plan.yield %r : tensor<{0}x{1}xf16>
})",
                       rows, columns);
}

} // namespace nacre::codegen

#endif // NACRE_TEST_UNIT_CODEGEN_HALFTEXTS_H
