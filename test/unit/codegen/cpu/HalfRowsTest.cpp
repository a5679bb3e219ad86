// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  products of halves that are added up in fp16 for some steps, and then in fp32 (plan.half_sums).
// Why:   only some arm64 cores have the instructions, and the rounding errors must stay what the note permits.
// How:   kernels run under qemu, and are compared with loops in double precision. The bound of an element's error
//        follows from its terms: each step rounds a sum of at most as many terms as the note says.

#include "codegen/form/ContractionForm.h"
#include "dialects/plan/Notes.h"
#include "test/unit/codegen/SeparableTexts.h"
#include "test/unit/codegen/cpu/Arm64Kernels.h"
#include "test/unit/codegen/cpu/RunHalfProducts.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <cmath>

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using namespace nacre::codegen::test;

namespace {

class HalfRows : public RunHalfProducts {
protected:
  /// Runs `products` on `cpu` with the note `steps`; 0 for no note. `isNoteUsed`: the sums must be those of the note.
  void check(const std::string &cpu, int64_t steps, ArrayRef<Product> products, bool isNoteUsed = true) {
    run(cpu, steps, products, [&](const Product &product, std::vector<Storage> &storages) {
      compare(product, storages, isNoteUsed ? steps : 0);
    });
  }

  /// Compares with loops in double precision.
  static void compare(const Product &product, std::vector<Storage> &storages, int64_t steps) {
    Storage &result = storages.back();
    double errors = 0, values = 0;
    for (int64_t element = 0; element < result.size(); ++element) {
      std::vector<double> terms;
      for (auto [left, right] : product.terms(element))
        terms.push_back(storages[0].at(left) * storages[1].at(right));
      double value = 0, bound = 0;
      for (size_t step = 0; step < terms.size(); ++step) {
        value += terms[step];
        double sum = 0, largest = 0;
        for (size_t before = 0; before < size_t(steps) && before <= step; ++before)
          largest = std::max(largest, std::abs(sum += terms[step - before]));
        bound += steps ? kRounding * largest + kTiny : 0;
      }
      bound = 1.01 * bound + product.errorOfSingles;
      if (product.hasBias)
        value += storages[2].at(element % product.columns);
      if (product.hasResidual)
        value += storages[3].at(element);
      const double expected = product.isRectified ? std::max(value, 0.0) : value;
      const double error = std::abs(result.at(element) - expected);
      ASSERT_LE(error, bound + kRounding * (std::abs(value) + bound) + kTiny) << "at element " << element;
      errors += error * error;
      values += expected * expected;
    }
    // A sum of n steps rounds n / 2 terms on average in each step. Rounding errors are independent and have one third
    // of the square of their bound. The result is rounded once more.
    const double ofSums = kRounding * std::sqrt(double(steps) / 6);
    EXPECT_LE(std::sqrt(errors / values), 1.2 * std::hypot(ofSums, kRounding / std::sqrt(3)));
  }
};

std::vector<Product> matmuls() {
  std::vector<Product> products;
  // Fewer steps than a short sum, as many, a few more, and several sums.
  for (int64_t depth : {7, 48, 64, 65, 129, 200})
    products.push_back(matmul({13, 40, depth, 0, /*panel=*/16}));
  products.push_back(matmul({24, 24, 576, 0, /*panel=*/24}));
  products.push_back(matmul({11, 33, 100, 0, /*panel=*/32}));
  // One row, which reads columns of the weight only once.
  products.push_back(matmul({1, 70, 300, 0, /*panel=*/64, /*cut=*/1}));
  // Right operands that each unit packs, whose rows or columns lie one after another.
  products.push_back(matmul({9, 21, 70, /*batch=*/3}));
  products.push_back(matmul({9, 21, 70, /*batch=*/2, 0, 0, /*transposed=*/true}));
  // Rows that lie side by side, and rows of a slice.
  products.push_back(matmul({19, 24, 90, 0, /*panel=*/24, 0, false, /*lhsTransposed=*/true}));
  MatmulText strided{10, 16, 80, 0, /*panel=*/16};
  strided.inset = 2;
  products.push_back(matmul(strided));
  // Parts of the depth, between which sums are in memory.
  products.push_back(matmul({26, 16, 2500, 0, /*panel=*/16}));
  return products;
}

std::vector<Product> convolutions() {
  std::vector<Product> products;
  auto add = [&](const ConvolutionText &text, bool residual = false) {
    products.push_back(convolution(text, residual));
  };
  add({{9, 7}, 24, 20, {}, 1, 1, 1, 1, false, /*panel=*/24});
  add({{6, 11}, 16, 32, {}, 1, 1, 2, 1, false, /*panel=*/16}, /*residual=*/true);
  add({{8, 8}, 3, 16, {}, /*stride=*/2, 1, 1, 1, false, /*panel=*/16});
  add({{5, 9}, 8, 8, {5, 5}, 1, /*dilation=*/2, 1, 1, false, /*panel=*/8});
  add({{4, 10}, 32, 32, {}, 1, 1, 1, /*groups=*/2, false, /*panel=*/16});
  add({{10, 10}, 96, 48, {1, 1}, 1, 1, 1, 1, false, /*panel=*/24}, /*residual=*/true);
  return products;
}

TEST_F(HalfRows, Matmuls) {
  check("cortex-a76", 64, matmuls());
  check("cortex-a76", 128, matmuls());
}

TEST_F(HalfRows, Convolutions) {
  check("cortex-a76", 64, convolutions());
  check("cortex-a76", 100, convolutions());
}

TEST_F(HalfRows, InOrder) {
  check("cortex-a55", 64, matmuls());
  check("cortex-a55", 32, convolutions());
}

/// Without the note, without the feature, and where short sums would be very short, sums are fp32.
TEST_F(HalfRows, SumsAreSinglesOtherwise) {
  check("cortex-a76", 0, matmuls());
  check("cortex-a72", 64, matmuls(), /*isNoteUsed=*/false);
  check("cortex-a76", 8, convolutions(), /*isNoteUsed=*/false);
  // A register of halves would reach beyond such panels.
  check("cortex-a76", 64, {matmul({9, 40, 100, 0, /*panel=*/20})}, /*isNoteUsed=*/false);
}

std::vector<Product> convolutionsByWinograd(int64_t tile, const Sizes &window = {}, int64_t grain = 0) {
  std::vector<Product> products;
  for (int64_t channels : {21, 64}) { // One block of channels, and several short sums.
    ConvolutionText text{{9, 11}, channels, 40, window};
    text.panel = 16;
    text.winograd = tile;
    text.grain = grain ? grain : tile;
    products.push_back(convolution(text, /*residual=*/channels == 64));
    products.back().errorOfSingles = 1e-4; // Factors of transforms are up to 8.
  }
  return products;
}

/// Winograd widens halves before it transforms them for large tiles or filters, and for CPUs without arithmetic of
/// halves. Sums are fp32, also with the note.
TEST_F(HalfRows, SumsByWinogradAreSingles) {
  for (const std::vector<Product> &products : {convolutionsByWinograd(6), convolutionsByWinograd(2, {5, 5})}) {
    check("cortex-a76", 64, products, /*isNoteUsed=*/false);
    check("cortex-a55", 64, products, /*isNoteUsed=*/false);
  }
  check("cortex-a72", 64, convolutionsByWinograd(2), /*isNoteUsed=*/false);
  check("cortex-a72", 64, convolutionsByWinograd(2, {}, /*grain=*/4),
        /*isNoteUsed=*/false); // In tiles of four outputs.
  check("cortex-a72", 64, convolutionsByWinograd(4), /*isNoteUsed=*/false);
  check("cortex-a76", 0, convolutionsByWinograd(2));
}

/// Convolutions by tiles whose values are transformed and multiplied as halves. Their errors are at least those of such
/// sums, and below `most`.
class WinogradOfHalves : public HalfRows {
protected:
  void checkTiles(int64_t tile, double most) {
    std::vector<Product> products = convolutionsByWinograd(tile);
    for (ConvolutionText text : {ConvolutionText{{8, 8}, 16, 24}, {{3, 5}, 300, 8}, {{7, 7}, 48, 48}}) {
      text.panel = text.filters;
      text.winograd = text.grain = tile;
      products.push_back(convolution(text));
    }
    for (const char *cpu : {"cortex-a76", "cortex-a55"})
      for (int64_t steps : {16, 32})
        checkErrors(cpu, steps, products, most);
  }

private:
  void checkErrors(const char *cpu, int64_t steps, const std::vector<Product> &products, double most) {
    run(cpu, steps, products, [&](const Product &product, std::vector<Storage> &storages) {
      double errors = 0, values = 0;
      for (int64_t element = 0; element < storages.back().size(); ++element) {
        double value = storages[2].at(element % product.columns);
        for (auto [left, right] : product.terms(element))
          value += storages[0].at(left) * storages[1].at(right);
        const double expected = std::max(value + (product.hasResidual ? storages[3].at(element) : 0), 0.0);
        errors += std::pow(storages.back().at(element) - expected, 2);
        values += expected * expected;
      }
      // Errors of fp32 sums would be those of the result's rounding, at most 2.8e-4. These are larger, but small.
      EXPECT_GT(std::sqrt(errors / values), 4e-4);
      EXPECT_LT(std::sqrt(errors / values), most);
    });
  }
};

TEST_F(WinogradOfHalves, TilesOfTwoOutputs) { checkTiles(2, 2e-3); }

TEST_F(WinogradOfHalves, TilesOfFourOutputs) { checkTiles(4, 6e-3); }

/// The second half of a separable convolution is a product of halves, too. Its sums differ a little from fp32 sums.
TEST_F(HalfRows, SecondHalves) {
  if (!runsArm64())
    GTEST_SKIP() << "qemu-aarch64 and aarch64-linux-gnu-g++ are not installed";
  auto module = parseSourceString<ModuleOp>(separableTextOfHalves().text(), ParserConfig(&context));
  ASSERT_TRUE(module);
  auto kernel = *module->getOps<plan::KernelOp>().begin();
  std::mt19937 random(1);
  std::vector<Storage> inputs;
  for (Type type : kernel.getBody().getArgumentTypes())
    inputs.emplace_back(cast<RankedTensorType>(type)).fill(random);
  Arm64Kernels kernels("cortex-a76");
  kernels.add(kernel, inputs);
  plan::setHalfSums(kernel, 32);
  kernels.add(kernel, inputs);
  kernels.run();
  Storage &singles = kernels.storagesOf(0).back(), &halves = kernels.storagesOf(1).back();
  double largest = 0, differing = 0;
  for (int64_t i = 0; i < singles.size(); ++i)
    largest = std::max(largest, std::abs(singles.at(i)));
  for (int64_t i = 0; i < singles.size(); ++i) {
    EXPECT_NEAR(singles.at(i), halves.at(i), 5e-3 * largest) << "at element " << i;
    differing += singles.at(i) != halves.at(i);
  }
  EXPECT_GT(differing, 0) << "the note has no effect";
}

/// Each sum of so many steps is rounded as fp16 rounds, from zero on, and added to the sums before it in fp32.
TEST_F(HalfRows, SumsAreFlushedAfterEachBlock) {
  if (!runsArm64())
    GTEST_SKIP() << "qemu-aarch64 and aarch64-linux-gnu-g++ are not installed";
  constexpr int64_t steps = 32;
  const Product product = matmul({10, 32, 4 * steps, 0, /*panel=*/16});
  for (const char *cpu : {"cortex-a76", "cortex-a55"}) {
    SCOPED_TRACE(cpu);
    auto module = parseSourceString<ModuleOp>(product.text, ParserConfig(&context));
    auto kernel = *module->getOps<plan::KernelOp>().begin();
    plan::setHalfSums(kernel, steps);
    std::mt19937 random(1);
    std::vector<Storage> inputs;
    for (Type type : kernel.getBody().getArgumentTypes())
      inputs.emplace_back(cast<RankedTensorType>(type)).fill(random);
    Arm64Kernels kernels(cpu);
    kernels.add(kernel, std::move(inputs));
    kernels.run();
    std::vector<Storage> &storages = kernels.storagesOf(0);
    for (int64_t element = 0; element < storages.back().size(); ++element) {
      float total = 0;
      double sum = 0;
      for (auto [step, factors] : llvm::enumerate(product.terms(element))) {
        sum = roundedToHalf(sum + storages[0].at(factors.first) * storages[1].at(factors.second));
        if ((step + 1) % steps == 0) {
          total += float(sum);
          sum = 0;
        }
      }
      ASSERT_EQ(storages.back().at(element), roundedToHalf(total)) << "at element " << element;
    }
  }
}

} // namespace
