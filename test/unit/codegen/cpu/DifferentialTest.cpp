// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  runs kernels that emitters wrote beside what the fallback makes of them, on random data.
// Why:   the fallback is upstream's lowering: whatever differs is an emitter's mistake. And units in any order, or a
// share that
//        is cut in two, must never change a bit.
// How:   compile, load in-process, run in three divisions, compare whole storages with their surroundings.

#include "codegen/Backend.h"
#include "dialects/plan/PlanDialect.h"
#include "runtime/include/nacre/model_format.h"
#include "test/unit/codegen/Storage.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/TargetSelect.h"
#include "gtest/gtest.h"

#include <cmath>
#include <regex>

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;

namespace {

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

class Differential : public testing::Test {
protected:
  static void SetUpTestSuite() {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  }

  Differential() { context.loadDialect<plan::PlanDialect>(); }

  /// `text` is one kernel. Its emitter must take it, and do what the fallback does.
  void check(const std::string &text, double tolerance = 1e-5) {
    SCOPED_TRACE(text);
    auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    ASSERT_TRUE(module);
    auto kernel = *module->getOps<plan::KernelOp>().begin();
    std::vector<Storage> emitted, plain;
    run(kernel, /*fallback=*/false, emitted);
    // No emitter of this kind takes another kind's work.
    kernel.setKind(plan::KernelKind::Scan);
    run(kernel, /*fallback=*/true, plain);
    ASSERT_EQ(emitted.size(), plain.size());
    for (size_t i = 0; i < emitted.size(); ++i)
      compare(emitted[i], plain[i], tolerance);
  }

private:
  void run(plan::KernelOp kernel, bool fallback, std::vector<Storage> &storages) {
    auto targets = parseTargets("host", "");
    ASSERT_TRUE(bool(targets)) << llvm::toString(targets.takeError());
    FailureOr<KernelCode> code = compileKernel(kernel, targets->front(), Emit::Object, "kernel");
    ASSERT_TRUE(succeeded(code));
    ASSERT_EQ(code->fallback, fallback);

    auto jit = llvm::cantFail(llvm::orc::LLJITBuilder().create());
    llvm::cantFail(jit->addObjectFile(
        llvm::MemoryBuffer::getMemBufferCopy(StringRef(code->object.data(), code->object.size()), "kernel")));
    auto function = llvm::cantFail(jit->lookup("kernel")).toPtr<nacre_kernel_function>();

    const int64_t extent = kernel.getCutExtent(), grain = kernel.getGrain();
    const int64_t middle = (extent / 2 + grain - 1) / grain * grain;
    std::vector<std::vector<Storage>> results;
    for (auto [cut, backwards] : {std::pair(extent, false), std::pair(extent, true), std::pair(middle, false)}) {
      std::mt19937 random(1);
      results.push_back({});
      for (Type type : kernel.getBody().getArgumentTypes())
        results.back().emplace_back(cast<RankedTensorType>(type)).fill(random);
      launch(function, *code, results.back(), 0, cut, backwards);
      launch(function, *code, results.back(), cut, extent, backwards);
    }
    for (const std::vector<Storage> &result : results)
      for (size_t i = 0; i < result.size(); ++i)
        EXPECT_EQ(result[i].memory, results.front()[i].memory) << "storage " << i << " depends on the division";
    storages = std::move(results.front());
  }

  static void launch(nacre_kernel_function function, const KernelCode &code, std::vector<Storage> &storages,
                     int64_t begin, int64_t end, bool backwards) {
    std::vector<void *> buffers;
    for (Storage &storage : storages)
      buffers.push_back(storage.data());
    void *scratch = aligned_alloc(64, code.scratchBytes / 64 * 64 + 64);
    nacre_kernel_args arguments{buffers.data(), scratch, begin, end, nullptr};
    const int64_t units = (end - begin + code.unitExtent - 1) / code.unitExtent * code.unitsPerBlock;
    if (!backwards)
      function(&arguments, 0, units);
    for (int64_t unit = units; backwards && unit-- > 0;)
      function(&arguments, unit, unit + 1);
    free(scratch);
  }

  static void compare(Storage &emitted, Storage &plain, double tolerance) {
    double largest = 0;
    for (int64_t i = 0; i < plain.size(); ++i)
      largest = std::max(largest, std::isfinite(plain.at(i)) ? std::abs(plain.at(i)) : 0);
    for (int64_t i = 0; i < plain.size(); ++i) {
      const double is = emitted.at(i), must = plain.at(i);
      if (is != must && !(std::isnan(is) && std::isnan(must)))
        ASSERT_NEAR(is, must, isa<FloatType>(plain.elementType) ? tolerance * largest : 0) << "at element " << i;
    }
    EXPECT_EQ(emitted.guards(), plain.guards());
  }

  MLIRContext context;
};

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

TEST_F(Differential, TransposesOfEveryElementSize) {
  for (StringRef element : {"i8", "i16", "f16", "f32", "i64", "f64"}) {
    check(permute({37, 70}, {1, 0}, element, 0));
    check(permute({5, 4}, {1, 0}, element, 0));
  }
}

TEST_F(Differential, ImagesToPixelsAndBack) {
  check(permute({1, 3, 19, 23}, {0, 2, 3, 1}, "f32", 1));
  check(permute({1, 3, 19, 23}, {0, 2, 3, 1}, "f32", 1, /*halo=*/2));
  check(permute({1, 19, 23, 3}, {0, 3, 1, 2}, "f32", 1));
  check(permute({2, 19, 23, 2}, {0, 3, 1, 2}, "f32", 0));
  check(permute({1, 20, 7, 9}, {0, 2, 3, 1}, "f32", 1, /*halo=*/1));
  check(permute({1, 7, 9, 20}, {0, 3, 1, 2}, "f32", 1));
}

TEST_F(Differential, TransposesThatKeepTheInnermostAxis) {
  check(permute({6, 4, 13}, {1, 0, 2}, "f32", 0));
  check(permute({1, 2, 2, 3, 5, 4}, {0, 1, 4, 2, 5, 3}, "f32", 1));
}

//===----------------------------------------------------------------------===//
// Indexed
//===----------------------------------------------------------------------===//

TEST_F(Differential, RowsOfATableAndASum) {
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

TEST_F(Differential, LinesBetweenLinesOfPixels) {
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

//===----------------------------------------------------------------------===//
// Nests, rows, contractions
//===----------------------------------------------------------------------===//

TEST_F(Differential, BiasIntoASliceOfALargerStorage) {
  check(R"(
plan.kernel @kernel nest (%x: tensor<60x37xf32>, %b: tensor<37xf32>) into (%y: tensor<60x50xf32>) cut 0 : 60 by 1 {
  %zero = arith.constant 0.0 : f32
  %t = tensor.extract_slice %y[0, 8] [60, 37] [1, 1] : tensor<60x50xf32> to tensor<60x37xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<60x37xf32>, tensor<37xf32>) outs(%t : tensor<60x37xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<60x37xf32>
  %i = tensor.insert_slice %r into %y[0, 8] [60, 37] [1, 1] : tensor<60x37xf32> into tensor<60x50xf32>
  plan.yield %i : tensor<60x50xf32>
})");
}

TEST_F(Differential, WindowsThatLeaveTheImage) {
  check(R"(
plan.kernel @kernel nest (%x: tensor<1x13x12x9xf32>) into (%y: tensor<1x9x8x9xf32>) cut 1 : 7 by 1 {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %lowest : f32
  } : tensor<1x13x12x9xf32> to tensor<1x15x14x9xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %region = linalg.fill ins(%zero : f32) outs(%y : tensor<1x9x8x9xf32>) -> tensor<1x9x8x9xf32>
  %t = tensor.extract_slice %region[0, 1, 1, 0] [1, 7, 6, 9] [1, 1, 1, 1] : tensor<1x9x8x9xf32> to tensor<1x7x6x9xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%t : tensor<1x7x6x9xf32>) -> tensor<1x7x6x9xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, c, i, j) -> (n, h * 2 + i, w * 2 + j, c)>, affine_map<(n, h, w, c, i, j) -> (i, j)>,
                                        affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %window : tensor<1x15x14x9xf32>, tensor<3x3xf32>) outs(%f : tensor<1x7x6x9xf32>) {
  ^bb0(%a: f32, %unread: f32, %o: f32):
    %m = arith.maximumf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<1x7x6x9xf32>
  %i = tensor.insert_slice %r into %region[0, 1, 1, 0] [1, 7, 6, 9] [1, 1, 1, 1] : tensor<1x7x6x9xf32> into tensor<1x9x8x9xf32>
  plan.yield %i : tensor<1x9x8x9xf32>
})");
}

TEST_F(Differential, SoftmaxOfRows) {
  const std::string softmax = R"(
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
plan.kernel @kernel row (%x: tensor<29xCOLSxf32>) into (%y: tensor<29xCOLSxf32>) cut 0 : 29 by 1 {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<29xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<29xf32>) -> tensor<29xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<29xCOLSxf32>) outs(%f : tensor<29xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<29xf32>
  %ee = tensor.empty() : tensor<29xCOLSxf32>
  %exp = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<29xCOLSxf32>, tensor<29xf32>) outs(%ee : tensor<29xCOLSxf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.subf %a, %c : f32
    %m = math.exp %s : f32
    linalg.yield %m : f32
  } -> tensor<29xCOLSxf32>
  %e2 = tensor.empty() : tensor<29xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<29xf32>) -> tensor<29xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<29xCOLSxf32>) outs(%f2 : tensor<29xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.addf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<29xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<29xCOLSxf32>, tensor<29xf32>) outs(%y : tensor<29xCOLSxf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.divf %a, %c : f32
    linalg.yield %m : f32
  } -> tensor<29xCOLSxf32>
  plan.yield %r : tensor<29xCOLSxf32>
})";
  // Short rows, and rows of several vectors, whose sums are made of several chains.
  for (const char *columns : {"37", "173"})
    check(std::regex_replace(softmax, std::regex("COLS"), columns));
  ;
}

TEST_F(Differential, ConvolutionWithEpilogueAndHalo) {
  check(R"(
plan.kernel @kernel contraction (%x: tensor<1x11x12x5xf32>, %w: tensor<3x3x5x19xf32>, %b: tensor<19xf32>) into (%y: tensor<1x11x12x19xf32>)
    cut 1 : 9 by 1 {
  %zero = arith.constant 0.0 : f32
  %region = linalg.fill ins(%zero : f32) outs(%y : tensor<1x11x12x19xf32>) -> tensor<1x11x12x19xf32>
  %t = tensor.extract_slice %region[0, 1, 1, 0] [1, 9, 10, 19] [1, 1, 1, 1] : tensor<1x11x12x19xf32> to tensor<1x9x10x19xf32>
  %e = tensor.empty() : tensor<1x9x10x19xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x9x10x19xf32>) -> tensor<1x9x10x19xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, kh, kw, i) -> (n, h + kh, w + kw, i)>,
                                        affine_map<(n, h, w, o, kh, kw, i) -> (kh, kw, i, o)>,
                                        affine_map<(n, h, w, o, kh, kw, i) -> (n, h, w, o)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x11x12x5xf32>, tensor<3x3x5x19xf32>) outs(%f : tensor<1x9x10x19xf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %m = arith.mulf %a, %d : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x9x10x19xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, h, w, o) -> (n, h, w, o)>, affine_map<(n, h, w, o) -> (o)>, affine_map<(n, h, w, o) -> (n, h, w, o)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c, %b : tensor<1x9x10x19xf32>, tensor<19xf32>) outs(%t : tensor<1x9x10x19xf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %s = arith.addf %a, %d : f32
    linalg.yield %s : f32
  } -> tensor<1x9x10x19xf32>
  %i = tensor.insert_slice %r into %region[0, 1, 1, 0] [1, 9, 10, 19] [1, 1, 1, 1] : tensor<1x9x10x19xf32> into tensor<1x11x12x19xf32>
  plan.yield %i : tensor<1x11x12x19xf32>
})");
}

TEST_F(Differential, BatchedProductWithATransposedOperand) {
  check(R"(
plan.kernel @kernel contraction (%q: tensor<2x21x3x16xf32>, %k: tensor<2x23x3x16xf32>) into (%y: tensor<2x3x21x23xf32>) cut 0 : 2 by 1 {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : tensor<2x3x21x23xf32>) -> tensor<2x3x21x23xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, k) -> (b, m, h, k)>, affine_map<(b, h, m, n, k) -> (b, n, h, k)>,
                                        affine_map<(b, h, m, n, k) -> (b, h, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x21x3x16xf32>, tensor<2x23x3x16xf32>) outs(%f : tensor<2x3x21x23xf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %m = arith.mulf %a, %d : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x3x21x23xf32>
  plan.yield %r : tensor<2x3x21x23xf32>
})");
}

} // namespace
