// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  functions that shaders compute in another way than CPUs: angles and powers without f64, remainders, and
//        numbers that drivers take for zero.
// Why:   their bounds (codegen/Functions.h) hold for all floats, and where they are computed no instruction does.
// How:   a kernel of one operation on floats from all over a range, and on special values; the C library's double
//        precision is exact for this purpose.

#include "test/unit/codegen/gpu/VulkanDevice.h"
#include "test/unit/codegen/gpu/VulkanHarness.h"

#include "llvm/Support/FormatVariadic.h"
#include <cfloat>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

using namespace mlir;
using namespace nacre::codegen;

namespace {

constexpr int64_t kRows = 64, kCount = kRows * kRows; // in vectors of four
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

using Numbers = std::vector<float>;

class GpuMath : public GpuDifferential {
protected:
  /// Runs `body` for every %a and %b. Returns its %v.
  Numbers run(const char *body, const Numbers &a, const Numbers &b) {
    const std::string text = llvm::formatv(kElementwise, kRows, body);
    MLIRContext context;
    std::vector<Storage> storages(3, Storage(RankedTensorType::get({kRows, kRows}, Float32Type::get(&context))));
    for (auto [storage, numbers] : {std::pair(&storages[0], &a), std::pair(&storages[1], &b)})
      std::memcpy(storage->data(), numbers->data(), numbers->size() * sizeof(float));
    const GpuKernelCode code = variantsOf(text).back();
    VulkanDevice::get()->run(code, storages, SmallVector<int64_t>(3, kGpuBufferAlignment), 0, kRows);
    Numbers results(a.size());
    std::memcpy(results.data(), storages[2].data(), results.size() * sizeof(float));
    return results;
  }

  /// `ulps` are of the exact result; zeros that should be subnormal numbers are right.
  void check(const char *body, const std::function<double(double, double)> &exact, double ulps, const Numbers &a,
             const Numbers &b) {
    if (!VulkanDevice::get())
      GTEST_SKIP() << "there is no Vulkan device; install mesa-vulkan-drivers for one";
    const Numbers results = run(body, a, b);
    for (size_t i = 0; i < a.size(); ++i) {
      const double must = exact(a[i], b[i]), is = results[i];
      if (std::isnan(must) || std::isinf(float(must))) {
        ASSERT_TRUE(std::isnan(must) ? std::isnan(is) : is == float(must))
            << body << " of " << a[i] << ", " << b[i] << " is " << is << ", must be " << must;
        continue;
      }
      const double unit = std::ldexp(1.0, std::max(std::ilogb(must), -126) - 23);
      ASSERT_LE(std::abs(is - must), std::max(ulps * unit, std::abs(must) < FLT_MIN ? double(FLT_MIN) : 0.0))
          << body << " of " << a[i] << ", " << b[i] << " is " << is << ", must be " << must;
    }
  }
  void check(const char *body, double (*exact)(double), double ulps, const Numbers &a) {
    check(body, [exact](double x, double) { return exact(x); }, ulps, a, a);
  }

  /// Either sign, magnitudes from `low` to `high`, as many of each power of two.
  Numbers spread(float low, float high) {
    std::uniform_real_distribution<float> exponents(std::log2(low), std::log2(high));
    Numbers numbers;
    for (int64_t i = 0; i < kCount; ++i)
      numbers.push_back(float(std::exp2(double(exponents(random))) * (random() & 1 ? -1 : 1)));
    return numbers;
  }

  std::mt19937 random{1};

private:
  static constexpr char kElementwise[] = R"(
#id = affine_map<(d0, d1) -> (d0, d1)>
plan.kernel @kernel nest (%x: tensor<{0}x{0}xf32>, %z: tensor<{0}x{0}xf32>) into (%y: tensor<{0}x{0}xf32>) cut 0 : {0} by 1 {{
  %r = linalg.generic {{indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %z : tensor<{0}x{0}xf32>, tensor<{0}x{0}xf32>) outs(%y : tensor<{0}x{0}xf32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    {1}
    linalg.yield %v : f32
  } -> tensor<{0}x{0}xf32>
  plan.yield %r : tensor<{0}x{0}xf32>
})";
};

constexpr char kSine[] = "%v = math.sin %a : f32", kCosine[] = "%v = math.cos %a : f32",
               kTangent[] = "%v = math.tan %a : f32", kPower[] = "%v = math.powf %a, %b : f32",
               kRemainder[] = "%v = arith.remf %a, %b : f32";

TEST_F(GpuMath, Angles) {
  for (auto [low, high] : {std::pair(1e-30f, 1.f), {1.f, 1e4f}, {1e4f, 1e6f}, {1e6f, FLT_MAX}}) {
    const Numbers angles = spread(low, high);
    check(kSine, std::sin, 2.5, angles);
    check(kCosine, std::cos, 2.5, angles);
    check(kTangent, std::tan, 4, angles);
  }
}

/// Tests the float nearest to a multiple of pi / 2 (Muller et al., "Handbook of floating-point arithmetic"). Tests
/// others that are near, those where the reduction changes, and NaN and infinities.
TEST_F(GpuMath, SpecialAngles) {
  const Numbers angles = {16367173 * 0x1p72f,
                          -16367173 * 0x1p72f,
                          1115.26538f,
                          4.71238899f,
                          1e22f,
                          FLT_MAX,
                          10000,
                          9999.999f,
                          -10000,
                          710,
                          0,
                          -0.f,
                          kInfinity,
                          -kInfinity,
                          kNaN};
  check(kSine, std::sin, 2.5, angles);
  check(kCosine, std::cos, 2.5, angles);
}

TEST_F(GpuMath, Powers) {
  Numbers bases, exponents;
  std::uniform_real_distribution<float> powers(-126, 128);
  for (float most : {1e-3f, 1.f, 100.f}) {
    bases.clear();
    exponents.clear();
    std::uniform_real_distribution<float> logarithms(-most, most);
    for (int64_t i = 0; i < kCount; ++i) {
      bases.push_back(float(std::exp2(double(logarithms(random)))));
      exponents.push_back(float(powers(random) / std::log2(double(bases.back()) + 1e-12)));
    }
    check(kPower, [](double x, double y) { return std::pow(x, y); }, 1.5, bases, exponents);
  }
}

TEST_F(GpuMath, SpecialPowers) {
  Numbers bases, exponents;
  for (float x : {0.f, -0.f, 1.f, -1.f, 2.f, -2.f, 10.f, FLT_MIN, FLT_MAX, -FLT_MAX, kInfinity, -kInfinity, kNaN})
    for (float y : {0.f, -0.f, 1.f, -1.f, 2.f, 3.f, -3.f, 127.f, 128.f, -126.f, 0.3f, FLT_MAX, -FLT_MAX, kInfinity,
                    -kInfinity, kNaN}) {
      bases.push_back(x);
      exponents.push_back(y);
    }
  check(kPower, [](double x, double y) { return std::pow(x, y); }, 1.5, bases, exponents);
}

TEST_F(GpuMath, Remainders) {
  for (float most : {10.f, 1e10f, FLT_MAX})
    check(
        kRemainder, [](double x, double y) { return std::fmod(x, y); }, 0, spread(1 / most, most),
        spread(1 / most, most));
}

TEST_F(GpuMath, SpecialRemainders) {
  Numbers dividends, divisors;
  for (float x : {0.f, -0.f, 1.f, -7.f, 88.8f, 1e10f, -FLT_MAX, FLT_MIN, kInfinity, -kInfinity, kNaN})
    for (float y : {0.f, 1.f, -3.f, 88.8f, 1e-30f, FLT_MAX, kInfinity, -kInfinity, kNaN}) {
      dividends.push_back(x);
      divisors.push_back(y);
    }
  check(kRemainder, [](double x, double y) { return std::fmod(x, y); }, 0, dividends, divisors);
}

TEST_F(GpuMath, ZerosOfNumbersAlone) {
  const Numbers numbers = {1, -1, 0, -0.f, FLT_MAX, kInfinity, -kInfinity, kNaN};
  check("%v = arith.subf %a, %a : f32", [](double x, double y) { return x - y; }, 0, numbers, numbers);
  for (const char *product : {"%c = arith.constant 0.0 : f32\n%v = arith.mulf %a, %c : f32",
                              "%c = arith.constant -0.0 : f32\n%v = arith.mulf %c, %a : f32"})
    check(product, [](double x, double) { return x * 0; }, 0, numbers, numbers);
  // Sums that are 0 of zeros of either sign: their inverse is above zero.
  for (auto [sum, value] : {std::pair("%c = arith.constant 0.0 : f32\n%s = arith.addf %a, %c : f32", 1),
                            std::pair("%c = arith.constant -0.0 : f32\n%s = arith.subf %a, %c : f32", 1),
                            std::pair("%c = arith.constant 0.0 : f32\n%s = arith.subf %c, %a : f32", -1)})
    check((std::string(sum) + "\n%one = arith.constant 1.0 : f32\n%v = arith.divf %one, %s : f32").c_str(),
          value > 0 ? [](double x, double) { return 1 / (x + 0.0); } : [](double x, double) { return 1 / (0.0 - x); },
          1, numbers, numbers);
  for (auto [quotient, zero] : {std::pair("%c = arith.constant 0.0 : f32\n%v = arith.divf %a, %c : f32", 0.0),
                                std::pair("%c = arith.constant -0.0 : f32\n%v = arith.divf %a, %c : f32", -0.0)})
    check(quotient, [zero = zero](double x, double) { return x / zero; }, 0, numbers, numbers);
  check(
      "%c = arith.constant 0.0 : f32\n%q = arith.divf %c, %a : f32\n%v = arith.divf %b, %q : f32",
      [](double x, double y) { return y / (0 / x); }, 0, numbers, Numbers(numbers.size(), 1));
}

} // namespace
