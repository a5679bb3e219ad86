// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  products of bf16 in words of four steps, on arm64 cores that multiply such words, and on others.
// Why:   all CPUs of a library read the same words, and only some have instructions for them.
// How:   kernels run under qemu, and are compared with loops in double precision.

#include "codegen/cpu/tiles/MachineRows.h"
#include "runtime/include/nacre/model_format.h"
#include "test/unit/codegen/cpu/Arm64Kernels.h"
#include "test/unit/codegen/cpu/HalfProducts.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>
#include <optional>

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using namespace nacre::codegen::test;

namespace {

class BfloatRows : public testing::Test {
protected:
  BfloatRows() { context.loadDialect<plan::PlanDialect>(); }

  /// The element `infinity` of each left operand is infinite.
  void check(const std::string &cpu, ArrayRef<Product> products, std::optional<int64_t> infinity = {}) {
    if (!runsArm64())
      GTEST_SKIP() << "qemu-aarch64 and aarch64-linux-gnu-g++ are not installed";
    SCOPED_TRACE(cpu);
    Arm64Kernels kernels(cpu);
    for (const Product &product : products) {
      auto module = parseSourceString<ModuleOp>(product.text, ParserConfig(&context));
      ASSERT_TRUE(module) << product.text;
      auto kernel = *module->getOps<plan::KernelOp>().begin();
      std::mt19937 random(1);
      std::vector<Storage> storages;
      for (Type type : kernel.getBody().getArgumentTypes())
        storages.emplace_back(cast<RankedTensorType>(type)).fill(random);
      if (infinity)
        storages.front().set(*infinity, HUGE_VAL);
      kernels.add(kernel, std::move(storages));
      if (HasFatalFailure())
        return;
    }
    kernels.run();
    for (auto [number, product] : llvm::enumerate(products)) {
      SCOPED_TRACE(product.text);
      compare(product, kernels.storagesOf(number));
      if (HasFatalFailure())
        return;
    }
  }

  static void compare(const Product &product, std::vector<Storage> &storages) {
    constexpr double rounding = 0x1p-8, ofSums = 0x1p-20;
    Storage &result = storages.back();
    for (int64_t element = 0; element < result.size(); ++element) {
      double value = 0, sizes = 0;
      for (auto [left, right] : product.terms(element)) {
        const double term = storages[0].at(left) * storages[1].at(right);
        value += term;
        sizes += std::abs(term);
      }
      if (product.hasBias)
        value += storages[2].at(element % product.columns);
      if (product.hasResidual)
        value += storages[3].at(element);
      if (product.isRectified)
        value = std::max(value, 0.0);
      if (std::isinf(value)) {
        ASSERT_EQ(result.at(element), value) << "at element " << element;
        continue;
      }
      ASSERT_NEAR(result.at(element), value, rounding * std::abs(value) + ofSums * (1 + sizes))
          << "at element " << element;
    }
  }

  MLIRContext context;
};

std::vector<Product> products() {
  std::vector<Product> all;
  auto addMatmul = [&](MatmulText text, int64_t run = 0) {
    text.depth = {4, run ? run : text.k};
    all.push_back(matmul(text, "bf16"));
  };
  // Whole words, words that overlap, and a run that is shorter than a word.
  for (int64_t depth : {3, 8, 17, 64, 131})
    addMatmul({13, 24, depth, 0, /*panel=*/16});
  for (int64_t rows : {1, 2, 5, 8, 9})
    addMatmul({rows, 37, 20, 0, /*panel=*/16});
  addMatmul({24, 24, 576, 0, /*panel=*/24});
  // Parts of the depth, between which sums are in memory.
  addMatmul({26, 16, 5001, 0, /*panel=*/16});
  auto addConvolution = [&](ConvolutionText text, int64_t run, bool residual = false) {
    text.depth = {4, run};
    all.push_back(convolution(text, residual, "bf16"));
  };
  addConvolution({{9, 7}, 24, 20, {}, 1, 1, 1, 1, false, /*panel=*/16}, 24);
  addConvolution({{8, 8}, 3, 16, {}, /*stride=*/2, 1, 1, 1, false, /*panel=*/16}, 9);
  addConvolution({{4, 10}, 32, 32, {}, 1, 1, 1, /*groups=*/2, false, /*panel=*/16}, 16);
  addConvolution({{10, 10}, 96, 48, {1, 1}, 1, 1, 1, 1, false, /*panel=*/16}, 96, /*residual=*/true);
  return all;
}

TEST_F(BfloatRows, OfCoresThatMultiplyWords) {
  check("cortex-a710", products());
  check("cortex-a510", products());
}

TEST_F(BfloatRows, OfOtherCores) {
  check("cortex-a76", products());
  check("cortex-a55", products());
}

/// The last word of a run has steps of the word before it, which must not be multiplied again: infinity times zero is
/// NaN.
TEST_F(BfloatRows, InfinitiesInWordsThatOverlap) {
  constexpr int64_t depth = 17;
  MatmulText text{5, 16, depth, 0, /*panel=*/16};
  text.depth = {4, depth};
  for (const char *cpu : {"cortex-a710", "cortex-a76"})
    check(cpu, {matmul(text, "bf16")}, /*infinity=*/depth + 14);
}

/// Each core has a row for words, and prefers its own instruction.
TEST_F(BfloatRows, TheInstructionIsChosen) {
  auto nameOf = [](const char *target, const char *cpu, int64_t k) -> std::string {
    const Target parsed = cantFail(parseTargets(target, cpu)).front();
    return cpu::machineOf(parsed, cpu::bfloatsOf(k)).step.instruction;
  };
  EXPECT_EQ(nameOf("linux-arm64", "cortex-a710", 4), "bfmmla .4s");
  EXPECT_EQ(nameOf("linux-arm64", "cortex-a510", 4), "bfmmla .4s, in order");
  EXPECT_EQ(nameOf("linux-arm64", "cortex-a76", 4), "shl .4s, fmla .4s");
  EXPECT_EQ(nameOf("linux-x86_64", "znver4", 2), "vdpbf16ps zmm");
  EXPECT_EQ(nameOf("linux-x86_64", "x86-64-v3", 2), "vpslld ymm, vfmadd231ps ymm");
}

} // namespace
