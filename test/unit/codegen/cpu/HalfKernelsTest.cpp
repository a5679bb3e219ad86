// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  kernels that are no products, on CPUs with and without f16 arithmetic.
// Why:   both must give the same bits, for all numbers of f16, as docs/phases/codegen.md promises.
// How:   the same kernels are compiled for a Cortex-A72, which widens f16 to f32, and for a Cortex-A76, which computes
//        in f16 where that is exact. qemu runs both. Maps are also compared with double precision, rounded once.

#include "test/unit/codegen/HalfTexts.h"
#include "test/unit/codegen/cpu/Arm64Kernels.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>
#include <functional>
#include <limits>

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using nacre::codegen::test::Arm64Kernels;

namespace {

constexpr int64_t kHalves = 65536;
constexpr uint16_t kLowestNan = 0x7c01;

bool isNan(uint16_t half) { return (half & 0x7fff) >= kLowestNan; }

double valueOf(uint16_t half) {
  return llvm::APFloat(llvm::APFloat::IEEEhalf(), llvm::APInt(16, half)).convertToDouble();
}

uint16_t roundedToHalf(double value) {
  llvm::APFloat number(value);
  bool loses;
  number.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven, &loses);
  return uint16_t(number.bitcastToAPInt().getZExtValue());
}

/// Zeros, subnormal numbers, infinities, NaNs (also a signalling one), the largest numbers, powers of two with
/// neighbours and halfway cases of their sums.
std::vector<uint16_t> hardHalves() {
  std::vector<uint16_t> halves = {0,     1,     2,      3,      0x1ff,  0x200,  0x201,
                                  0x3fe, 0x3ff, 0x7bff, 0x7bfe, 0x7c00, 0x7d55, 0x7e00};
  for (uint16_t exponent = 1; exponent < 31; exponent += 3)
    for (uint16_t mantissa : {0, 1, 2, 0x155, 0x200, 0x3ff})
      halves.push_back(uint16_t(exponent << 10 | mantissa));
  for (size_t i = 0, positive = halves.size(); i < positive; ++i)
    halves.push_back(uint16_t(halves[i] | 0x8000));
  return halves;
}

/// Fills `storage` with numbers. An eighth of halves are hard ones, and others are any of the finite halves.
void fillWithHardNumbers(Storage &storage, std::mt19937 &random) {
  storage.fill(random);
  if (!storage.elementType.isF16())
    return;
  const std::vector<uint16_t> hard = hardHalves();
  auto *halves = reinterpret_cast<uint16_t *>(storage.data());
  for (int64_t i = 0; i < storage.size(); ++i) {
    const uint32_t bits = random();
    if (bits % 8 == 0)
      halves[i] = hard[bits / 8 % hard.size()];
    else if (bits % 8 == 1)
      halves[i] = uint16_t(bits >> 16);
  }
}

double larger(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}

double smaller(double a, double b) { return -larger(-a, -b); }

/// A body of a map, and the function of double precision that it rounds.
struct Operation {
  std::string body;
  std::function<double(double, double)> value;
};

class HalfKernels : public testing::Test {
protected:
  HalfKernels() { context.loadDialect<plan::PlanDialect>(); }

  void add(Arm64Kernels &kernels, const std::string &text, const std::function<void(std::vector<Storage> &)> &fill) {
    auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    ASSERT_TRUE(module) << text;
    auto kernel = *module->getOps<plan::KernelOp>().begin();
    std::vector<Storage> storages;
    for (Type type : kernel.getBody().getArgumentTypes())
      storages.emplace_back(cast<RankedTensorType>(type));
    fill(storages);
    kernels.add(kernel, std::move(storages));
  }

  /// Runs `texts` on both CPUs, and compares all bits of the results. NaNs are all alike.
  void compareBits(const std::vector<std::string> &texts, const std::function<void(std::vector<Storage> &)> &fill) {
    for (const std::string &text : texts)
      for (Arm64Kernels *kernels : {&wide, &halves}) {
        add(*kernels, text, fill);
        if (HasFatalFailure())
          return;
      }
    wide.run();
    halves.run();
    for (size_t number = 0; number < texts.size(); ++number) {
      SCOPED_TRACE(texts[number]);
      Storage &expected = wide.storagesOf(number).back(), &result = halves.storagesOf(number).back();
      const int64_t width = int64_t(result.bytes) / result.size();
      for (int64_t i = 0; i < result.size(); ++i)
        ASSERT_TRUE(memcmp(result.data() + i * width, expected.data() + i * width, width) == 0 ||
                    (std::isnan(result.at(i)) && std::isnan(expected.at(i))))
            << result.at(i) << " instead of " << expected.at(i) << " at element " << i;
    }
  }

  /// Compares maps of `a` and `b` on both CPUs, and with double precision.
  void checkMaps(const std::vector<Operation> &operations, const std::vector<uint16_t> &a,
                 const std::vector<uint16_t> &b) {
    if (!test::runsArm64())
      GTEST_SKIP() << "qemu-aarch64 and aarch64-linux-gnu-g++ are not installed";
    std::vector<std::string> texts;
    for (const Operation &operation : operations)
      texts.push_back(halfMapText(int64_t(a.size()), !b.empty(), operation.body));
    compareBits(texts, [&](std::vector<Storage> &storages) {
      memcpy(storages[0].data(), a.data(), storages[0].bytes);
      if (!b.empty())
        memcpy(storages[1].data(), b.data(), storages[1].bytes);
    });
    for (size_t number = 0; number < operations.size(); ++number) {
      SCOPED_TRACE(operations[number].body);
      const auto *results = reinterpret_cast<const uint16_t *>(halves.storagesOf(number).back().data());
      for (size_t i = 0; i < a.size(); ++i) {
        const uint16_t expected = roundedToHalf(operations[number].value(valueOf(a[i]), b.empty() ? 0 : valueOf(b[i])));
        ASSERT_TRUE(results[i] == expected || (isNan(results[i]) && isNan(expected)))
            << "of " << valueOf(a[i]) << " and " << (b.empty() ? 0 : valueOf(b[i])) << ": " << valueOf(results[i])
            << " instead of " << valueOf(expected);
      }
    }
  }

  MLIRContext context;
  Arm64Kernels wide{"cortex-a72"}, halves{"cortex-a76"};
};

/// All 65,536 halves, with bounds that f16 has and others, which must be rounded to the bits of f32 that is rounded.
TEST_F(HalfKernels, AllHalves) {
  std::vector<uint16_t> all(kHalves);
  for (int64_t i = 0; i < kHalves; ++i)
    all[i] = uint16_t(i);
  auto bounded = [](float low, float high) -> Operation {
    return {llvm::formatv("%low = arith.constant {0} : f32\n%high = arith.constant {1} : f32\n"
                          "%v = arith.maximumf %a, %low : f32\n%r = arith.minimumf %v, %high : f32",
                          llvm::format_hex(llvm::bit_cast<uint32_t>(low), 10, true),
                          llvm::format_hex(llvm::bit_cast<uint32_t>(high), 10, true)),
            [=](double a, double) { return smaller(larger(a, low), high); }};
  };
  checkMaps(
      {bounded(0, 6),
       bounded(-0.0F, 65504),
       bounded(-1.0F / 3, 0.1F),
       bounded(-1e-9F, 1e9F),
       bounded(1e-8F, std::numeric_limits<float>::infinity()),
       bounded(-65519, 65520),
       {"%r = arith.negf %a : f32", [](double a, double) { return -a; }},
       {"%r = math.absf %a : f32", [](double a, double) { return std::abs(a); }},
       {"%v = math.absf %a : f32\n%r = math.sqrt %v : f32", [](double a, double) { return std::sqrt(std::abs(a)); }},
       {"%r = math.floor %a : f32", [](double a, double) { return std::floor(a); }},
       {"%r = math.ceil %a : f32", [](double a, double) { return std::ceil(a); }},
       {"%r = math.roundeven %a : f32", [](double a, double) { return std::nearbyint(a); }},
       {"%c = arith.constant 0.5 : f32\n%is = arith.cmpf olt, %a, %c : f32\n%v = arith.negf %a : f32\n"
        "%r = arith.select %is, %v, %a : f32",
        [](double a, double) { return a < 0.5 ? -a : a; }},
       {"%c = arith.constant 0.25 : f32\n%r = arith.mulf %a, %c : f32", [](double a, double) { return a * 0.25; }},
       // One third is no number of f16: this product stays f32.
       {"%c = arith.constant 0.333333343 : f32\n%r = arith.mulf %a, %c : f32",
        [](double a, double) { return a * double(0.333333343F); }}},
      all, {});
}

/// One rounding of each operation, with bounds after it: all pairs of hard numbers, and many others.
TEST_F(HalfKernels, Pairs) {
  std::vector<uint16_t> a, b;
  for (uint16_t left : hardHalves())
    for (uint16_t right : hardHalves()) {
      a.push_back(left);
      b.push_back(right);
    }
  std::mt19937 random(1);
  while (a.size() < 100000) {
    const uint32_t bits = random();
    a.push_back(uint16_t(bits));
    // Half of them are near in magnitude, so that sums have ties and quotients many digits.
    b.push_back(a.size() % 2 ? uint16_t(bits >> 16) : uint16_t(bits + (random() % 8192) - 4096));
  }
  checkMaps({{"%r = arith.addf %a, %b : f32", [](double a, double b) { return a + b; }},
             {"%r = arith.subf %a, %b : f32", [](double a, double b) { return a - b; }},
             {"%r = arith.mulf %a, %b : f32", [](double a, double b) { return a * b; }},
             {"%r = arith.divf %a, %b : f32", [](double a, double b) { return a / b; }},
             {"%r = arith.maximumf %a, %b : f32", larger},
             {"%r = arith.minimumf %a, %b : f32", smaller},
             {"%zero = arith.constant 0.0 : f32\n%v = arith.addf %a, %b : f32\n%r = arith.maximumf %v, %zero : f32",
              [](double a, double b) { return larger(a + b, 0); }},
             {"%six = arith.constant 6.0 : f32\n%v = arith.mulf %a, %b : f32\n%w = arith.negf %v : f32\n%r = "
              "arith.minimumf %w, %six : f32",
              [](double a, double b) { return smaller(-(a * b), 6); }},
             {"%v = arith.maximumf %a, %b : f32\n%w = arith.negf %b : f32\n%r = arith.subf %v, %w : f32",
              [](double a, double b) { return larger(a, b) + b; }}},
            a, b);
}

/// Pools: maxima are f16, and means are f32 in wider vectors.
TEST_F(HalfKernels, Pools) {
  if (!test::runsArm64())
    GTEST_SKIP() << "qemu-aarch64 and aarch64-linux-gnu-g++ are not installed";
  std::vector<std::string> texts;
  for (bool isMean : {false, true})
    for (int64_t channels : {1, 4, 13, 100}) {
      texts.push_back(halfPoolText(9, channels, 2, 0, isMean));
      texts.push_back(halfPoolText(7, channels, 1, 1, isMean));
    }
  compareBits(texts, [&](std::vector<Storage> &storages) {
    std::mt19937 same(2);
    fillWithHardNumbers(storages[0], same);
  });
}

/// Kernels that must compute in f32: their vectors are wider, but sums have the order that they had.
TEST_F(HalfKernels, OrderOfSums) {
  if (!test::runsArm64())
    GTEST_SKIP() << "qemu-aarch64 and aarch64-linux-gnu-g++ are not installed";
  std::vector<std::string> texts;
  for (int64_t columns : {3, 4, 12, 31, 1030})
    for (int64_t rows : {5, 13, 1100}) {
      texts.push_back(halfSumText(rows, columns, /*alongRows=*/false));
      texts.push_back(halfSumText(rows, columns, /*alongRows=*/true));
    }
  compareBits(texts, [&](std::vector<Storage> &storages) {
    std::mt19937 same(3);
    storages[0].fill(same);
  });
}

/// Transposes that convert, and gathers.
TEST_F(HalfKernels, Movement) {
  if (!test::runsArm64())
    GTEST_SKIP() << "qemu-aarch64 and aarch64-linux-gnu-g++ are not installed";
  std::vector<std::string> texts;
  for (bool toHalves : {false, true})
    for (int64_t channels : {1, 2, 3, 4, 13, 33})
      for (int64_t columns : {5, 19})
        texts.push_back(halfTransposeText(channels, 9, columns, toHalves));
  for (int64_t columns : {4, 9, 37, 100})
    texts.push_back(halfGatherText(11, columns));
  compareBits(texts, [&](std::vector<Storage> &storages) {
    std::mt19937 same(4);
    for (size_t input = 0; input + 1 < storages.size(); ++input)
      fillWithHardNumbers(storages[input], same);
  });
}

} // namespace
