// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that put an array into panels; see Differential.h. What they leave beyond the last column is zero, as in a weight.

#include "test/unit/codegen/cpu/Differential.h"

#include "llvm/Support/FormatVariadic.h"

using CpuPack = nacre::codegen::test::Differential;

namespace {

struct Pack {
  std::string read;  ///< Of x by (a, b, c), or (a, b).
  std::string input; ///< Type of x.
  std::string shape; ///< What is packed.
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
