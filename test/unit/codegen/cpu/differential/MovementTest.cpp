// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that move data: permutes, indices into tables, and arrays that are put into panels; see Differential.h.

#include "test/unit/codegen/SampleText.h"
#include "test/unit/codegen/cpu/Differential.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using CpuMovement = nacre::codegen::test::Differential;
using CpuPack = nacre::codegen::test::Differential;

namespace {

//===----------------------------------------------------------------------===//
// Permutes
//===----------------------------------------------------------------------===//

std::string tensorOf(ArrayRef<int64_t> shape, StringRef element) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element.str() + ">";
}

std::string list(ArrayRef<int64_t> values) {
  return llvm::formatv("[{0:$[, ]}]", llvm::make_range(values.begin(), values.end()));
}

/// Output axis i is input axis permutation[i]; `halo` zeros around every axis but the first and the last.
std::string permute(ArrayRef<int64_t> input, ArrayRef<int64_t> permutation, StringRef element, int64_t cut,
                    int64_t halo = 0) {
  const size_t rank = input.size();
  std::string dims, read, kinds;
  SmallVector<int64_t> output, storage, offsets, ones(rank, 1), inverse(rank);
  for (size_t i = 0; i < rank; ++i)
    inverse[permutation[i]] = i;
  for (size_t i = 0; i < rank; ++i) {
    StringRef separator = i == 0 ? "" : ", ";
    dims += llvm::formatv("{0}d{1}", separator, i);
    read += llvm::formatv("{0}d{1}", separator, inverse[i]);
    kinds += llvm::formatv("{0}\"parallel\"", separator);
    output.push_back(input[permutation[i]]);
    const int64_t pad = i > 0 && i + 1 < rank ? halo : 0;
    storage.push_back(output.back() + 2 * pad);
    offsets.push_back(pad);
  }
  const std::string in = tensorOf(input, element), out = tensorOf(output, element), all = tensorOf(storage, element);
  std::string text = llvm::formatv("plan.kernel @kernel permute (%x: {0}) into (%y: {1}) cut {2} : {3} by 1 {{\n", in,
                                   all, cut, output[cut]);
  std::string target = "%y", result = "%r";
  if (halo) {
    const std::string slice = list(offsets) + " " + list(output) + " " + list(ones);
    text += llvm::formatv("%c = arith.constant {0} : {1}\n", element.starts_with("f") ? "0.0" : "0", element);
    text += llvm::formatv("%f = linalg.fill ins(%c : {0}) outs(%y : {1}) -> {1}\n", element, all);
    text += llvm::formatv("%t = tensor.extract_slice %f{0} : {1} to {2}\n", slice, all, out);
    target = "%t";
    result = llvm::formatv("%i = tensor.insert_slice %r into %f{0} : {1} into {2}\n", slice, out, all);
  }
  text +=
      llvm::formatv("%r = linalg.generic {{indexing_maps = [affine_map<({0}) -> ({1})>, affine_map<({0}) -> ({0})>], "
                    "iterator_types = [{2}]} ins(%x : {3}) outs({4} : {5}) {{\n"
                    "^bb0(%a: {6}, %o: {6}):\n  linalg.yield %a : {6}\n} -> {5}\n",
                    dims, read, kinds, in, target, out, element);
  if (halo)
    text += result;
  return text + llvm::formatv("plan.yield {0} : {1}\n}", halo ? "%i" : "%r", all).str();
}

TEST_F(CpuMovement, TransposesOfEveryElementSize) {
  for (StringRef element : {"i8", "i16", "f16", "f32", "i64", "f64"}) {
    check(permute({37, 70}, {1, 0}, element, 0));
    check(permute({5, 4}, {1, 0}, element, 0));
  }
}

TEST_F(CpuMovement, ImagesToPixelsAndBack) {
  check(permute({1, 3, 19, 23}, {0, 2, 3, 1}, "f32", 1));
  check(permute({1, 3, 19, 23}, {0, 2, 3, 1}, "f32", 1, /*halo=*/2));
  check(permute({1, 19, 23, 3}, {0, 3, 1, 2}, "f32", 1));
  check(permute({2, 19, 23, 2}, {0, 3, 1, 2}, "f32", 0));
  check(permute({1, 20, 7, 9}, {0, 2, 3, 1}, "f32", 1, /*halo=*/1));
  check(permute({1, 7, 9, 20}, {0, 3, 1, 2}, "f32", 1));
}

TEST_F(CpuMovement, TransposesThatKeepTheInnermostAxis) {
  check(permute({6, 4, 13}, {1, 0, 2}, "f32", 0));
  check(permute({1, 2, 2, 3, 5, 4}, {0, 1, 4, 2, 5, 3}, "f32", 1));
}

//===----------------------------------------------------------------------===//
// Indexed
//===----------------------------------------------------------------------===//

TEST_F(CpuMovement, RowsOfATableAndASum) {
  check(R"(
plan.kernel @kernel indexed (%w: tensor<5x27xf32>, %i: tensor<19xi64>, %x: tensor<19x27xf32>) into (%y: tensor<19x27xf32>) cut 0 : 19 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i, %x : tensor<19xi64>, tensor<19x27xf32>) outs(%y : tensor<19x27xf32>) {
  ^bb0(%at: i64, %a: f32, %o: f32):
    %zero = arith.constant 0 : i64
    %last = arith.constant 4 : i64
    %low = arith.maxsi %at, %zero : i64
    %clamped = arith.minsi %low, %last : i64
    %row = arith.index_cast %clamped : i64 to index
    %column = linalg.index 1 : index
    %e = tensor.extract %w[%row, %column] : tensor<5x27xf32>
    %s = arith.addf %a, %e : f32
    linalg.yield %s : f32
  } -> tensor<19x27xf32>
  plan.yield %r : tensor<19x27xf32>
})");
}

TEST_F(CpuMovement, LinesBetweenLinesOfPixels) {
  check(R"(
plan.kernel @kernel indexed (%x: tensor<1x9x6x11xf32>, %low: tensor<17xi32>, %high: tensor<17xi32>, %t: tensor<17xf32>)
    into (%y: tensor<1x17x6x11xf32>) cut 1 : 17 by 1 {
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (h)>, affine_map<(n, h, w, c) -> (h)>, affine_map<(n, h, w, c) -> (h)>,
                                        affine_map<(n, h, w, c) -> (n, h, w, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%low, %high, %t : tensor<17xi32>, tensor<17xi32>, tensor<17xf32>) outs(%y : tensor<1x17x6x11xf32>) {
  ^bb0(%l: i32, %h: i32, %weight: f32, %o: f32):
    %zero = arith.constant 0 : i32
    %l0 = arith.maxsi %l, %zero : i32
    %h0 = arith.maxsi %h, %zero : i32
    %li = arith.index_cast %l0 : i32 to index
    %hi = arith.index_cast %h0 : i32 to index
    %n = linalg.index 0 : index
    %w = linalg.index 2 : index
    %c = linalg.index 3 : index
    %a = tensor.extract %x[%n, %li, %w, %c] : tensor<1x9x6x11xf32>
    %b = tensor.extract %x[%n, %hi, %w, %c] : tensor<1x9x6x11xf32>
    %d = arith.subf %b, %a : f32
    %m = arith.mulf %d, %weight : f32
    %s = arith.addf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x17x6x11xf32>
  plan.yield %r : tensor<1x17x6x11xf32>
})");
}

TEST_F(CpuMovement, RowsBetweenRowsAtComputedPositions) {
  std::string text = nacre::codegen::kSample;
  for (size_t at; (at = text.find("COLS")) != std::string::npos;)
    text.replace(at, 4, "27");
  check(text);
}

//===----------------------------------------------------------------------===//
// Panels: what packing leaves beyond the last column is zero, as in a weight
//===----------------------------------------------------------------------===//

struct Pack {
  std::string read;  ///< Index of x by (a, b, c), or (a, b).
  std::string input; ///< Type of x.
  std::string shape; ///< Shape of the packed tensor.
  int64_t loops, columns, width;
  int64_t wide = 0; ///< Panels of x; 0: it is a plain array.
  std::string element = "f32";
};

std::string textOf(const Pack &pack) {
  const std::string dims = pack.loops == 3 ? "a, b, c" : "a, b", kinds = pack.loops == 3 ? ", \"parallel\"" : "";
  const std::string in = "tensor<" + pack.input + "x" + pack.element + ">",
                    out = "tensor<" + pack.shape + "x" + pack.element + ">";
  const std::string wide = pack.wide ? llvm::formatv("#plan.encoding<panel, width = {0}>", pack.wide).str() : "unit";
  return llvm::formatv(
      "plan.kernel @kernel permute (%x: {0}) into (%y: {1}) cut {2} : {3} by {4} attributes {{encodings = "
      "[{5}, #plan.encoding<panel, width = {4}>]} {{\n"
      "%r = linalg.generic {{indexing_maps = [affine_map<({6}) -> ({7})>, affine_map<({6}) -> ({6})>], "
      "iterator_types = [\"parallel\", \"parallel\"{8}]} ins(%x : {0}) outs(%y : {1}) {{\n"
      "^bb0(%v: {9}, %o: {9}):\n  linalg.yield %v : {9}\n} -> {1}\n"
      "plan.yield %r : {1}\n}",
      in, out, pack.loops - 1, pack.columns, pack.width, wide, dims, pack.read, kinds, pack.element);
}

TEST_F(CpuPack, PacksColumnsSideBySide) {
  checkOnAll(textOf({"a, b", "37x96", "37x96", 2, 96, 32}));
  checkOnAll(textOf({"a, b", "37x70", "37x70", 2, 70, 32}));
  checkOnAll(textOf({"a, b", "3x5", "3x5", 2, 5, 48}));
  check(textOf({"a, b", "37x70", "37x70", 2, 70, 32, 0, "f16"}));
  check(textOf({"a, b", "37x70", "37x70", 2, 70, 16, 0, "f64"}));
}

TEST_F(CpuPack, PacksColumnsFarApart) {
  checkOnAll(textOf({"b, a", "96x37", "37x96", 2, 96, 32}));
  checkOnAll(textOf({"b, a", "70x37", "37x70", 2, 70, 32}));
  checkOnAll(textOf({"b, a", "70x3", "3x70", 2, 70, 64}));
  checkOnAll(textOf({"b, a", "70x37", "37x70", 2, 70, 24})); // no whole vectors of AVX-512
  check(textOf({"b, a", "70x37", "37x70", 2, 70, 32, 0, "f16"}));
  check(textOf({"b, a", "70x37", "37x70", 2, 70, 16, 0, "f64"}));
}

TEST_F(CpuPack, PacksBatchesAndFiltersThatAreTurnedRound) {
  checkOnAll(textOf({"a, c, b", "5x40x17", "5x17x40", 3, 40, 32}));
  checkOnAll(textOf({"-a + 4, c, b", "5x40x17", "5x17x40", 3, 40, 32}));
  checkOnAll(textOf({"-a + 4, b, c", "5x17x40", "5x17x40", 3, 40, 48}));
  checkOnAll(textOf({"c, b, -a + 4", "40x17x5", "5x17x40", 3, 40, 32}));
}

TEST_F(CpuPack, PacksPanelsAcross) {
  checkOnAll(textOf({"a, c, b", "5x40x64", "5x64x40", 3, 40, 32, 32}));
  checkOnAll(textOf({"-a + 4, c, b", "5x40x70", "5x70x40", 3, 40, 32, 32}));
  checkOnAll(textOf({"b, a", "40x17", "17x40", 2, 40, 16, 64}));
}

} // namespace
