// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  depthwise convolutions of halves, and the epilogues of products of halves (plan.half_sums).
// Why:   registers of halves must not change a result of an epilogue, infinities and NaNs included.
// How:   kernels run under qemu. Loops compute each element with the same roundings, and both must be equal.

#include "test/unit/codegen/cpu/RunHalfProducts.h"

#include <array>
#include <cmath>

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using namespace nacre::codegen::test;

namespace {

constexpr int64_t kSteps = 64;
constexpr double kCap = 0.3; ///< No half: bounds must be rounded, too.

/// A product whose results are at most kCap.
Product capped(Product product) {
  const std::string bound = "%m = arith.maximumf ";
  const size_t at = product.text.find(bound), end = product.text.find('\n', at);
  const std::string operands = product.text.substr(at + bound.size(), end - at - bound.size());
  product.text.replace(at, end - at,
                       "%lower = arith.maximumf " + operands + "\n    %cap = arith.constant 0.3 : f32\n" +
                           "    %m = arith.minimumf %lower, %cap : f32");
  product.cap = kCap;
  return product;
}

/// Returns `a` + `b` in f32.
double addSingles(double a, double b) { return double(float(a) + float(b)); }

/// Returns an element. Each sum of `steps` terms is f16, and is added to a sum in f32; if `steps` is 0, all sums are
/// f32. If there is only one sum, it is not added to zero.
double computeElement(const Product &product, std::vector<Storage> &storages, int64_t element, int64_t steps) {
  const Terms terms = product.terms(element);
  double total = 0, sum = 0;
  for (auto [step, factors] : llvm::enumerate(terms)) {
    const double left = storages[0].at(factors.first), right = storages[1].at(factors.second);
    if (steps == 0) {
      total = double(std::fma(float(left), float(right), float(total)));
      continue;
    }
    sum = roundedToHalf(sum + left * right);
    if (int64_t(step + 1) % steps == 0 || step + 1 == terms.size()) {
      total = addSingles(total, sum);
      sum = 0;
    }
  }
  if (product.hasBias)
    total = addSingles(total, storages[2].at(element % product.columns));
  if (product.hasResidual)
    total = addSingles(total, storages[3].at(element));
  if (product.isRectified && !std::isnan(total))
    total = std::max(total, 0.0);
  if (product.cap && !std::isnan(total))
    total = std::min(total, double(float(*product.cap)));
  return storages.back().elementType.isF16() ? roundedToHalf(total) : total;
}

class HalfEndings : public RunHalfProducts {
protected:
  /// Runs `products` on `cpu`, and compares each element. `change` changes the storages before.
  void check(const std::string &cpu, ArrayRef<Product> products, bool hasNote = true, bool isNoteUsed = true,
             llvm::function_ref<void(std::vector<Storage> &)> change = nullptr) {
    auto compare = [&](const Product &product, std::vector<Storage> &storages) {
      for (int64_t element = 0; element < storages.back().size(); ++element) {
        const double value = storages.back().at(element),
                     wanted = computeElement(product, storages, element, isNoteUsed ? kSteps : 0);
        ASSERT_TRUE(value == wanted || (std::isnan(value) && std::isnan(wanted)))
            << value << " instead of " << wanted << " at element " << element;
      }
    };
    run(cpu, hasNote ? kSteps : 0, products, compare, change);
  }
};

Product depthwise(ConvolutionText text, bool residual = false) {
  text.depthwise = true;
  text.filters = text.channels;
  return convolution(text, residual);
}

std::vector<Product> depthwiseConvolutions() {
  std::vector<Product> products;
  auto add = [&](const ConvolutionText &text, bool residual = false) { products.push_back(depthwise(text, residual)); };
  add({{9, 7}, 24, 24});
  products.push_back(capped(products.back()));
  // The last vector of channels is not whole.
  for (int64_t channels : {3, 12, 13, 15})
    add({{5, 6}, channels, channels}, /*residual=*/channels == 12);
  add({{8, 9}, 16, 16, {}, /*stride=*/2});
  add({{7, 5}, 16, 16, {}, /*stride=*/2, /*dilation=*/3});
  add({{6, 7}, 8, 8, {5, 5}, 1, 1, /*batch=*/2}, /*residual=*/true);
  add({{9, 8}, 20, 20, {1, 7}});
  add({{9, 1}, 10, 10, {4, 1}});
  add({{5, 4}, 16, 16, {7, 9}}); // 63 taps, as many as a short sum may have.
  // So few rows that blocks of channels are divided.
  add({{3, 7}, 64, 64});
  ConvolutionText channels{{8, 9}, 28, 28};
  channels.cut = 3;
  add(channels);
  products.push_back(capped(products.back()));
  return products;
}

TEST_F(HalfEndings, DepthwiseConvolutions) {
  check("cortex-a76", depthwiseConvolutions());
  check("cortex-a55", depthwiseConvolutions());
}

/// Without the note or the feature, or with too many taps, sums are f32.
TEST_F(HalfEndings, DepthwiseSumsAreSinglesOtherwise) {
  const std::vector<Product> products = depthwiseConvolutions();
  check("cortex-a76", products, /*hasNote=*/false, /*isNoteUsed=*/false);
  check("cortex-a72", products, /*hasNote=*/true, /*isNoteUsed=*/false);
  check("cortex-a76", {depthwise({{6, 5}, 24, 24, {9, 8}}), depthwise({{6, 5}, 10, 10, {13, 5}})}, /*hasNote=*/true,
        /*isNoteUsed=*/false);
}

std::vector<Product> pointwise() {
  std::vector<Product> products;
  auto add = [&](int64_t channels, int64_t filters, int64_t panel, bool residual) {
    ConvolutionText text{{6, 11}, channels, filters, {1, 1}};
    text.panel = panel;
    products.push_back(convolution(text, residual));
    products.push_back(capped(products.back()));
  };
  for (bool residual : {false, true}) {
    add(/*channels=*/16, 96, /*panel=*/16, residual); // One short sum, which the epilogue reads.
    add(/*channels=*/64, 21, /*panel=*/8, residual);
    add(/*channels=*/128, 40, /*panel=*/16, residual); // Two short sums, and two registers of f32 sums.
  }
  products.push_back(matmul({9, 24, 40, 0, /*panel=*/24})); // A result of f32.
  return products;
}

TEST_F(HalfEndings, Products) {
  check("cortex-a76", pointwise());
  check("cortex-a55", pointwise());
}

/// Bounds that follow an overflow, and NaNs.
TEST_F(HalfEndings, InfinitiesAndNans) {
  auto change = [](std::vector<Storage> &storages) {
    constexpr uint16_t largest = 0x7bff, infinite = 0x7c00, negative = 0xfc00, nan = 0x7e00;
    Storage &left = storages.front();
    for (auto [number, half] : llvm::enumerate(std::array{largest, infinite, negative, nan}))
      memcpy(left.data() + 2 * (left.size() * int64_t(number + 1) / 6), &half, 2);
    // Sums above 65504 are infinite.
    Storage &right = storages[1], &bias = storages[2];
    memcpy(right.data(), &largest, 2);
    memcpy(bias.data() + 2, &largest, 2);
    memcpy(bias.data() + 4, &nan, 2);
    memcpy(bias.data() + 6, &negative, 2);
  };
  std::vector<Product> products = {depthwise({{9, 7}, 24, 24}), depthwise({{8, 9}, 13, 13, {}, 2}, /*residual=*/true)};
  for (int64_t channels : {16, 128})
    for (bool residual : {false, true}) {
      ConvolutionText text{{6, 11}, channels, 40, {1, 1}};
      text.panel = 8;
      products.push_back(convolution(text, residual));
    }
  for (size_t number = 0, count = products.size(); number < count; ++number)
    products.push_back(capped(products[number]));
  check("cortex-a76", products, /*hasNote=*/true, /*isNoteUsed=*/true, change);
}

} // namespace
