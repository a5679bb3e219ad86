// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the error of every polynomial of VectorMath, in units of the last place, against the bound that VectorMath.h
//        states.
// Why:   the bounds are promises that tolerances of whole models rest on, and a wrong digit of a coefficient shows
//        nowhere else.
// How:   a kernel of one operation, compiled and run, on floats from all over the function's domain: every so many bit
//        patterns, and all of them around 0 and 1 and where a formula changes over. The C library's double precision is
//        exact for this purpose.

#include "test/unit/codegen/cpu/CompiledKernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"

#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace mlir;
using namespace nacre;
using nacre::codegen::test::CompiledKernel;

namespace {

constexpr int64_t kChunk = 1 << 16;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// y = %v, which `body` computes of %a, and of %b where there are two operands, element by element.
std::string elementwise(StringRef body, unsigned operands = 1) {
  const std::string vector = llvm::formatv("tensor<{0}xf32>", kChunk);
  const bool two = operands == 2;
  return llvm::formatv(R"(
#id = affine_map<(d0) -> (d0)>
plan.kernel @kernel nest (%x: {0}{2}) into (%y: {0}) cut 0 : {1} by 1 {{
  %r = linalg.generic {{indexing_maps = [#id, #id{3}], iterator_types = ["parallel"]} ins(%x{4} : {0}{5}) outs(%y : {0}) {{
  ^bb0(%a: f32{6}, %o: f32):
    {7}
    linalg.yield %v : f32
  } -> {0}
  plan.yield %r : {0}
})",
                       vector, kChunk, two ? ", %z: " + vector : "", two ? ", #id" : "", two ? ", %z" : "",
                       two ? ", " + vector : "", two ? ", %b: f32" : "", body);
}

/// y = exp(x - max x) of one row, as softmax has it: exponents that are never positive.
std::string exponentialOfDifferences() {
  return llvm::formatv(R"(
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
plan.kernel @kernel row (%x: tensor<1x{0}xf32>) into (%y: tensor<1x{0}xf32>) cut 0 : 1 by 1 {{
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<1xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>
  %max = linalg.generic {{indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<1x{0}xf32>) outs(%f : tensor<1xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<1xf32>
  %r = linalg.generic {{indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<1x{0}xf32>, tensor<1xf32>) outs(%y : tensor<1x{0}xf32>) {{
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.subf %a, %c : f32
    %v = math.exp %s : f32
    linalg.yield %v : f32
  } -> tensor<1x{0}xf32>
  plan.yield %r : tensor<1x{0}xf32>
})",
                       kChunk);
}

/// A kernel of kChunk elements as a function on vectors of any length.
class Function {
public:
  explicit Function(const std::string &text) {
    context.loadDialect<plan::PlanDialect>();
    auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    if (!module) {
      ADD_FAILURE() << text;
      return;
    }
    auto kernel = *module->getOps<plan::KernelOp>().begin();
    extent = kernel.getCutExtent();
    compiled.emplace(kernel);
    EXPECT_FALSE(compiled->code.fallback) << "the fallback would test libm";
  }

  /// `pad` fills the last chunk.
  std::vector<float> operator()(const std::vector<std::vector<float>> &operands, float pad = 0) {
    const size_t count = operands.front().size();
    std::vector<float> results;
    for (size_t begin = 0; begin < count; begin += kChunk) {
      const size_t end = std::min<size_t>(begin + kChunk, count);
      std::vector<std::vector<float>> chunks(operands.size() + 1, std::vector<float>(kChunk, pad));
      std::vector<void *> buffers;
      for (size_t i = 0; i < operands.size(); ++i)
        std::copy(operands[i].begin() + begin, operands[i].begin() + end, chunks[i].begin());
      for (std::vector<float> &chunk : chunks)
        buffers.push_back(chunk.data());
      if (compiled && *compiled)
        compiled->run(buffers, 0, extent);
      results.insert(results.end(), chunks.back().begin(), chunks.back().begin() + (end - begin));
    }
    return results;
  }

private:
  MLIRContext context;
  std::optional<CompiledKernel> compiled;
  int64_t extent = 0;
};

//===----------------------------------------------------------------------===//
// Floats, and how far one is from the truth
//===----------------------------------------------------------------------===//

float fromBits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

uint32_t toBits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// Every 1021st float of [low, high], and all of the nearest around each of `centres`.
std::vector<float> sweep(double low, double high, std::initializer_list<double> centres = {}) {
  constexpr uint32_t kStep = 1021, kNear = 4096; // a prime: low bits take all values
  std::vector<float> floats;
  auto add = [&](float value) {
    if (value >= low && value <= high)
      floats.push_back(value);
  };
  for (uint64_t bits = 0; bits <= UINT32_MAX; bits += kStep)
    add(fromBits(uint32_t(bits)));
  for (double centre : centres)
    for (uint32_t offset = 0; offset < 2 * kNear; ++offset)
      add(fromBits(toBits(float(centre)) + offset - (std::abs(centre) < FLT_MIN ? 0 : kNear)));
  return floats;
}

/// The error of `is` in units of the last place of a float at `exact`. Beyond the largest float, infinity is 2^128;
/// below the smallest normal one, zero is as good as the truth.
double errorInUlps(float is, double exact) {
  if (std::isnan(exact))
    return std::isnan(is) ? 0 : HUGE_VAL;
  if (std::abs(exact) < FLT_MIN)
    return std::abs(is) <= FLT_MIN && (is == 0 || std::signbit(is) == std::signbit(exact)) ? 0 : HUGE_VAL;
  constexpr double kBeyond = 0x1p128;
  if (std::abs(exact) > kBeyond)
    exact = std::copysign(kBeyond, exact);
  const double value = std::isinf(is) ? std::copysign(kBeyond, is) : is;
  const int exponent = std::min(std::ilogb(exact), 127);
  return std::abs(value - exact) / std::ldexp(1, exponent - (FLT_MANT_DIG - 1));
}

/// The largest error over all of `arguments` must be within `bound`; nor is a bound worth much that is far above it.
void checkBound(const char *name, double bound, const std::vector<std::vector<float>> &arguments,
                const std::vector<float> &results, llvm::function_ref<double(size_t)> exact) {
  double largest = 0;
  size_t worst = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    const double error = errorInUlps(results[i], exact(i));
    if (error > largest) {
      largest = error;
      worst = i;
    }
  }
  std::string at;
  for (const std::vector<float> &argument : arguments)
    at += llvm::formatv(" {0:e}", double(argument[worst])).str();
  printf("%-8s %.3f ulp of %.1f allowed, at%s, over %zu points\n", name, largest, bound, at.c_str(), results.size());
  EXPECT_LE(largest, bound) << name << " at" << at << " is " << results[worst] << ", must be " << exact(worst);
  EXPECT_GE(largest, bound / 3) << name << "'s stated bound is far above its error";
}

//===----------------------------------------------------------------------===//
// Functions of one operand
//===----------------------------------------------------------------------===//

struct Case {
  const char *name; ///< Name of the operation in the math dialect.
  double (*exact)(double);
  double bound;
  double low, high;                    ///< Range in which the bound holds.
  std::initializer_list<double> turns; ///< Numbers at which another formula begins.
};

void PrintTo(const Case &tested, std::ostream *os) { *os << tested.name; }

constexpr double kMost = FLT_MAX;
/// Nearer to a multiple of pi / 2 than any other float of its size.
constexpr double kWorstAngle = 16367173 * 0x1p72;

const Case kCases[] = {
    {"exp", std::exp, 0.9, -kMost, kMost, {0, -87.33654, 88.72283}},
    {"exp2", std::exp2, 1.5, -kMost, kMost, {0, -126, 128}},
    {"expm1", std::expm1, 1.5, -kMost, kMost, {0, 1e-30, -25, 88.72283}},
    {"log", std::log, 0.9, 0, kMost, {0, FLT_MIN, 0.70710678, 1, 1.41421356}},
    {"log2", std::log2, 2.1, 0, kMost, {0, FLT_MIN, 0.70710678, 1, 1.41421356}},
    {"log10", std::log10, 2.1, 0, kMost, {0, FLT_MIN, 0.70710678, 1, 1.41421356}},
    {"log1p", std::log1p, 2.5, -1, kMost, {0, -1, 1e-8, 1}},
    {"tanh", std::tanh, 5, -kMost, kMost, {0, 1, 8.0781}},
    {"erf", std::erf, 6.5, -kMost, kMost, {0, 1, 4}},
    {"sin", std::sin, 2, -kMost, kMost, {0, 0.785398, 1.570796, 3.141593, 0x1p40, kWorstAngle}},
    {"cos", std::cos, 2, -kMost, kMost, {0, 0.785398, 1.570796, 3.141593, 0x1p40, kWorstAngle}},
    {"tan", std::tan, 3.5, -kMost, kMost, {0, 0.785398, 1.570796, 3.141593, 0x1p40, kWorstAngle}},
    {"atan", std::atan, 3, -kMost, kMost, {0, 0.41421356, 1, 2.41421356}},
    {"asin", std::asin, 2.5, -1, 1, {0, 0.5, 1}},
    {"acos", std::acos, 2.5, -1, 1, {0, 0.5, 1}},
    {"sinh", std::sinh, 2.5, -kMost, kMost, {0, 1e-30, 1, 88.72283, 89.41598}},
    {"cosh", std::cosh, 2.5, -kMost, kMost, {0, 1, 88.72283, 89.41598}},
    {"asinh", std::asinh, 3, -kMost, kMost, {0, 1, 1e9}},
    {"acosh", std::acosh, 3, 1, kMost, {1, 2, 1e9}},
    {"atanh", std::atanh, 3.5, -1, 1, {0, 0.5, 1}},
};

class VectorMath : public testing::TestWithParam<Case> {};

TEST_P(VectorMath, StaysWithinItsBound) {
  const Case &tested = GetParam();
  const std::vector<float> x = sweep(tested.low, tested.high, tested.turns);
  Function function(elementwise(std::string("%v = math.") + tested.name + " %a : f32"));
  const std::vector<float> y = function({x});
  checkBound(tested.name, tested.bound, {x}, y, [&](size_t i) { return tested.exact(x[i]); });
}

/// Results of C's function for NaN, infinities and zeros of both signs.
TEST_P(VectorMath, IsAsCAtTheEdges) {
  const Case &tested = GetParam();
  const std::vector<float> x = {0.0f, -0.0f, kInfinity, -kInfinity, kNaN,    1.0f,    -1.0f,
                                2.0f, -2.0f, 5000.0f,   -5000.0f,   FLT_MAX, -FLT_MAX};
  Function function(elementwise(std::string("%v = math.") + tested.name + " %a : f32"));
  const std::vector<float> y = function({x});
  for (size_t i = 0; i < x.size(); ++i) {
    const float exact = float(tested.exact(x[i]));
    SCOPED_TRACE(testing::Message() << tested.name << "(" << x[i] << ") is " << y[i] << ", in C " << exact);
    EXPECT_EQ(std::isnan(y[i]), std::isnan(exact));
    EXPECT_EQ(std::isinf(y[i]), std::isinf(exact));
    if (std::isnan(exact))
      continue;
    EXPECT_EQ(y[i] == 0, exact == 0);
    EXPECT_EQ(std::signbit(y[i]), std::signbit(exact));
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, VectorMath, testing::ValuesIn(kCases),
                         [](const auto &tested) { return std::string(tested.param.name); });

//===----------------------------------------------------------------------===//
// The others
//===----------------------------------------------------------------------===//

TEST(VectorMath, ExponentialsInSoftmaxStayWithinTheirBound) {
  std::vector<float> x = sweep(-87.3, 0, {0, -1, -87});
  // Every chunk has its maximum, 0, at the front.
  for (size_t begin = 0; begin < x.size(); begin += kChunk)
    x[begin] = 0;
  Function function(exponentialOfDifferences());
  const std::vector<float> y = function({x});
  checkBound("exp(<=0)", 2, {x}, y, [&](size_t i) { return std::exp(double(x[i])); });
}

/// Otherwise masked scores of attention would enter every product as the smallest number.
TEST(VectorMath, ExponentialsInSoftmaxEndInZero) {
  const std::vector<float> x = {0, -87.4f, -88, -104, -1e4f, -FLT_MAX, -kInfinity};
  Function function(exponentialOfDifferences());
  const std::vector<float> y = function({x}, /*pad=*/-1);
  EXPECT_EQ(y[0], 1);
  for (size_t i = 1; i < x.size(); ++i)
    EXPECT_EQ(y[i], 0) << "exp(" << x[i] << ")";
}

/// Whatever the bits of NaN are: the exponent of the result must not be made by adding to them.
TEST(VectorMath, ExponentialsInSoftmaxKeepNaN) {
  std::vector<float> x = {0};
  for (uint32_t bits : {0x7f800001u, 0x7fbfffffu, 0x7fc00000u, 0x7fffffffu, 0xff800001u, 0xffc00000u, 0xffffffffu})
    x.push_back(fromBits(bits));
  Function function(exponentialOfDifferences());
  const std::vector<float> y = function({x}, /*pad=*/-1);
  for (size_t i = 1; i < x.size(); ++i)
    EXPECT_TRUE(std::isnan(y[i])) << "exp of bits " << toBits(x[i]) << " is " << y[i];
}

TEST(VectorMath, SigmoidsStayWithinTheirBound) {
  const std::vector<float> x = sweep(-kMost, kMost, {0, -88.72283, 17});
  Function function(elementwise(R"(%n = arith.negf %a : f32
    %e = math.exp %n : f32
    %one = arith.constant 1.0 : f32
    %s = arith.addf %one, %e : f32
    %v = arith.divf %one, %s : f32)"));
  const std::vector<float> y = function({x});
  checkBound("sigmoid", 2.5, {x}, y, [&](size_t i) { return 1 / (1 + std::exp(-double(x[i]))); });
}

TEST(VectorMath, PowersStayWithinTheirBound) {
  std::mt19937 random(1);
  std::vector<float> x, y;
  // Bases of every exponent; powers of which most stay within range, and some whole ones.
  for (int i = 0; i < 2000000; ++i) {
    const float base = fromBits(random() & 0x7fffffff);
    const double most = 150 / std::max(1e-3, std::abs(std::log2(double(base))));
    const double power = std::uniform_real_distribution<double>(-most, most)(random);
    if (!std::isfinite(base) || base == 0)
      continue;
    x.push_back(i % 8 == 0 ? -base : base);
    y.push_back(i % 8 == 0 ? float(std::nearbyint(power)) : float(power));
  }
  Function function(elementwise("%v = math.powf %a, %b : f32", 2));
  const std::vector<float> z = function({x, y}, /*pad=*/1);
  checkBound("pow", 0.6, {x, y}, z, [&](size_t i) { return std::pow(double(x[i]), double(y[i])); });
}

TEST(VectorMath, PowersAreAsCAtTheEdges) {
  const float edges[] = {0.0f, -0.0f, 1.0f, -1.0f,     0.5f,       -0.5f, 2.0f,  -2.0f,
                         3.0f, -3.0f, 0.3f, kInfinity, -kInfinity, kNaN,  1e30f, -1e30f};
  std::vector<float> x, y;
  for (float a : edges)
    for (float b : edges) {
      x.push_back(a);
      y.push_back(b);
    }
  Function function(elementwise("%v = math.powf %a, %b : f32", 2));
  const std::vector<float> z = function({x, y}, /*pad=*/1);
  for (size_t i = 0; i < x.size(); ++i) {
    const float exact = std::pow(x[i], y[i]);
    SCOPED_TRACE(testing::Message() << "pow(" << x[i] << ", " << y[i] << ") is " << z[i] << ", in C " << exact);
    EXPECT_EQ(std::isnan(z[i]), std::isnan(exact));
    if (!std::isnan(exact) && !std::isnan(z[i])) {
      EXPECT_LE(errorInUlps(z[i], exact), 1);
    }
  }
}

} // namespace
