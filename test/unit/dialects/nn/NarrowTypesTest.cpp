// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  every code of every small float, and conversions of all numbers of f16 and of the ends of f32.
// Why:   folding, kernels and tools decode and encode by the same functions; these must be what the standards say.
// How:   against the formulas of ONNX's page on 8-bit floats and of OCP's MX formats, written out here, and a search
//        for the nearest number among all codes.

#include "dialects/nn/NarrowTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <cstring>
#include <map>
#include <vector>

using namespace nacre::nn;

namespace {

const double kNaN = std::nan(""), kInfinity = HUGE_VAL;

/// The value of a code by the standards' formulas: sum of bits, exponent, the special codes one by one.
double byFormula(const std::string &name, unsigned code) {
  const bool isE2M1 = name == "e2m1";
  const unsigned signBit = isE2M1 ? 8 : 128, magnitude = code & (signBit - 1);
  const double sign = code & signBit ? -1 : 1;
  if (name == "e4m3fn" && magnitude == 0x7f)
    return kNaN;
  if (name == "e5m2" && magnitude >= 0x7c)
    return magnitude == 0x7c ? sign * kInfinity : kNaN;
  if ((name == "e4m3fnuz" || name == "e5m2fnuz") && code == 0x80)
    return kNaN;
  const std::map<std::string, std::pair<int, int>> mantissaAndBias = {
      {"e4m3fn", {3, 7}}, {"e4m3fnuz", {3, 8}}, {"e5m2", {2, 15}}, {"e5m2fnuz", {2, 16}}, {"e2m1", {1, 1}}};
  auto [digits, bias] = mantissaAndBias.at(name);
  double fraction = 0;
  for (int bit = 0; bit < digits; ++bit)
    fraction += (magnitude >> bit & 1) * std::pow(2.0, bit - digits);
  const int exponent = int(magnitude >> digits);
  return sign * (exponent ? std::pow(2.0, exponent - bias) * (1 + fraction) : std::pow(2.0, 1 - bias) * fraction);
}

const std::map<std::string, const FloatFormat *> kFormats = {{"e4m3fn", &formatE4M3FN},
                                                             {"e4m3fnuz", &formatE4M3FNUZ},
                                                             {"e5m2", &formatE5M2},
                                                             {"e5m2fnuz", &formatE5M2FNUZ},
                                                             {"e2m1", &formatE2M1}};

bool same(double a, double b) { return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b); }

/// The magnitudes of all finite numbers in order, and one step further, where rounding may end.
std::vector<double> magnitudes(const std::string &name) {
  std::vector<double> values;
  for (unsigned code = 0; code < (name == "e2m1" ? 8u : 128u) && std::isfinite(byFormula(name, code)); ++code)
    values.push_back(byFormula(name, code));
  const size_t last = values.size() - 1;
  values.push_back(2 * values[last] - values[last - 1]);
  return values;
}

/// Returns the result for `x` in ONNX's tables of Cast.
double byTable(const std::string &name, const std::vector<double> &values, double x, bool saturates) {
  const bool isFnuz = name == "e4m3fnuz" || name == "e5m2fnuz", isE2M1 = name == "e2m1";
  if (std::isnan(x))
    return isE2M1 ? -0.0 : kNaN; // ONNX's own answers have -0, which its page on 4-bit floats contradicts
  const double greatest = values[values.size() - 2];
  const double beyond = saturates || isE2M1 ? greatest : name == "e5m2" ? kInfinity : kNaN;
  const double magnitude = std::fabs(x);
  double rounded = beyond;
  if (magnitude < values.back()) {
    const size_t above = std::upper_bound(values.begin(), values.end(), magnitude) - values.begin();
    const double low = values[above - 1], high = values[above], down = magnitude - low, up = high - magnitude;
    const bool goesDown = down < up || (down == up && (above - 1) % 2 == 0);
    rounded = goesDown ? low : above + 1 == values.size() ? beyond : high;
  }
  return isFnuz && rounded == 0 ? 0 : std::copysign(rounded, x);
}

std::vector<double> numbersToEncode() {
  std::vector<double> numbers = {0.0, -0.0, kInfinity, -kInfinity, kNaN, 1e-40, 3.4e38, -3.4e38, 1e300, 5e-324};
  for (unsigned code = 0; code < 65536; ++code)
    numbers.push_back(decode(formatF16, code));
  for (uint64_t bits = 0; bits < 0x100000000; bits += 0x10007) {
    const auto word = uint32_t(bits);
    float value;
    std::memcpy(&value, &word, sizeof value);
    numbers.push_back(value);
  }
  return numbers;
}

TEST(FloatFormats, DecodeEveryCode) {
  for (auto [name, format] : kFormats)
    for (unsigned code = 0; code < (name == "e2m1" ? 16u : 256u); ++code)
      EXPECT_TRUE(same(decode(*format, code), byFormula(name, code))) << name << " " << code;
}

TEST(FloatFormats, EncodeToTheNearest) {
  const std::vector<double> numbers = numbersToEncode();
  for (auto [name, format] : kFormats) {
    const std::vector<double> values = magnitudes(name);
    for (bool saturates : {true, false})
      for (double x : numbers) {
        const double want = byTable(name, values, x, saturates);
        ASSERT_TRUE(same(byFormula(name, encode(*format, x, saturates)), want))
            << name << (saturates ? " saturating " : " ") << x << " must be " << want;
        // The numbers in the middle, where halves go to even.
      }
    for (size_t i = 0; i + 1 < values.size(); ++i)
      for (double x : {(values[i] + values[i + 1]) / 2, std::nextafter((values[i] + values[i + 1]) / 2, 0.0)})
        ASSERT_TRUE(same(byFormula(name, encode(*format, x, false)), byTable(name, values, x, false)))
            << name << " " << x;
  }
}

TEST(FloatFormats, HalvesAreAsTheHardwareHasThem) {
  for (unsigned code = 0; code < 65536; ++code) {
    const double value = decode(formatF16, code);
    if (!std::isnan(value))
      ASSERT_EQ(encode(formatF16, value, false), code);
  }
  EXPECT_EQ(decode(formatF16, 0x3c00), 1);
  EXPECT_EQ(decode(formatF16, 0x0001), std::ldexp(1.0, -24));
  EXPECT_EQ(encode(formatF16, 65520, false), 0x7c00u); // halfway to what there is not
  EXPECT_EQ(decode(formatBF16, 0x4049), 3.140625);
}

TEST(FloatFormats, ScalesArePowersOfTwo) {
  for (unsigned code = 0; code < 255; ++code) {
    const double value = std::pow(2.0, int(code) - 127);
    EXPECT_EQ(decodeScale(code), value);
    for (ScaleRounding rounding : {ScaleRounding::Up, ScaleRounding::Down, ScaleRounding::Nearest})
      EXPECT_EQ(encodeScale(value, rounding, false), code);
    if (code == 254)
      continue;
    const double middle = value * 1.5;
    EXPECT_EQ(encodeScale(std::nextafter(value, kInfinity), ScaleRounding::Up, false), code + 1);
    EXPECT_EQ(encodeScale(std::nextafter(value * 2, 0.0), ScaleRounding::Down, false), code);
    EXPECT_EQ(encodeScale(middle, ScaleRounding::Nearest, false), code + 1);
    EXPECT_EQ(encodeScale(std::nextafter(middle, 0.0), ScaleRounding::Nearest, false), code);
  }
  EXPECT_TRUE(std::isnan(decodeScale(255)));
}

/// ONNX's table: 0, infinity, what is beyond either end, and no number.
TEST(FloatFormats, ScalesEndAsOnnxSays) {
  const double least = std::ldexp(1.0, -127);
  for (double below : {0.0, least / 2, -1.0}) {
    EXPECT_EQ(encodeScale(below, ScaleRounding::Up, true), 0u);
    EXPECT_EQ(encodeScale(below, ScaleRounding::Nearest, false), 255u);
  }
  for (double beyond : {kInfinity, std::ldexp(1.0, 128), std::ldexp(1.9, 127)}) {
    EXPECT_EQ(encodeScale(beyond, ScaleRounding::Up, true), 254u);
    EXPECT_EQ(encodeScale(beyond, ScaleRounding::Nearest, false), 255u);
  }
  EXPECT_EQ(encodeScale(kNaN, ScaleRounding::Up, true), 255u);
}

TEST(NarrowTypes, PackTheFirstElementLowest) {
  mlir::MLIRContext context;
  auto i4 = mlir::IntegerType::get(&context, 4);
  auto u2 = mlir::IntegerType::get(&context, 2, mlir::IntegerType::Unsigned);
  const char elements[] = {1, -2, -8}, codes[] = {0, 1, 2, 3, 2};
  char packed[2], unpacked[5];
  packElements(i4, elements, packed);
  EXPECT_EQ(uint8_t(packed[0]), 0xe1);
  EXPECT_EQ(uint8_t(packed[1]), 0x08);
  unpackElements(i4, packed, llvm::MutableArrayRef(unpacked, 3));
  EXPECT_TRUE(std::equal(elements, elements + 3, unpacked));
  packElements(u2, codes, packed);
  EXPECT_EQ(uint8_t(packed[0]), 0xe4);
  unpackElements(u2, packed, unpacked);
  EXPECT_TRUE(std::equal(codes, codes + 5, unpacked));
}

} // namespace
