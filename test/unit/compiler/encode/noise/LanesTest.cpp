// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/encode/noise/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace mlir;
using namespace nacre::encode;

namespace {

class LanesTest : public testing::Test {
protected:
  LanesTest() {
    context.loadDialect<arith::ArithDialect, linalg::LinalgDialect, math::MathDialect, tensor::TensorDialect>();
  }

  /// Returns the program of a body of the inputs %x and %y, which yields %r.
  std::optional<LaneProgram> programOf(const std::string &body) {
    module = parseSourceString<ModuleOp>(R"(
      %a = tensor.empty() : tensor<1xf32>
      %c = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
          iterator_types = ["parallel"]} ins(%a, %a : tensor<1xf32>, tensor<1xf32>) outs(%a : tensor<1xf32>) {
      ^bb0(%x: f32, %y: f32, %o: f32):
        )" + body + R"(
        linalg.yield %r : f32
      } -> tensor<1xf32>)",
                                         ParserConfig(&context));
    EXPECT_TRUE(module);
    return LaneProgram::get(*(*module->getOps<linalg::GenericOp>().begin()).getBody());
  }

  Moments run(const std::string &body, const Moments &x, const Moments &y = {}) {
    std::optional<LaneProgram> program = programOf(body);
    EXPECT_TRUE(program);
    const Lanes first = draws.draw(x), second = draws.draw(y), none;
    return momentsOf(program->run({&first, &second, &none}).front());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Draws draws;
};

TEST_F(LanesTest, SamplesHaveTheMomentsThatAreDrawn) {
  const Moments moments = momentsOf(draws.draw({3, 4, 0.25, 0.5, 1}));
  EXPECT_NEAR(moments.mean, 3, 1e-9);
  EXPECT_NEAR(moments.variance, 4, 1e-9);
  EXPECT_NEAR(moments.offset, 0.25, 1e-9);
  EXPECT_NEAR(moments.noise, 0.5, 1e-9);
  // A constant may be infinite.
  EXPECT_EQ(momentsOf(draws.draw({-INFINITY, 0, 0, 0, 1})).mean, -INFINITY);
}

TEST_F(LanesTest, HalfOfTheNoisePassesAReluOfMeanZero) {
  const Moments moments = run("%z = arith.constant 0.0 : f32\n%r = arith.maximumf %x, %z : f32", {0, 1, 0, 0.5, 1});
  EXPECT_NEAR(moments.mean, 1 / std::sqrt(2 * M_PI), 0.01);
  EXPECT_NEAR(moments.power(), 0.5, 1e-9);
  EXPECT_NEAR(moments.noise, 0.25, 0.1);
  EXPECT_EQ(moments.nonzero, 0.5);
}

TEST_F(LanesTest, PositiveNumbersKeepMomentsAndHaveNoNoiseAtZero) {
  // A normal number after a ReLU: half of it is 0.
  const double mean = 1 / std::sqrt(2 * M_PI);
  const Lanes lanes = draws.draw({mean, 0.5 - mean * mean, 0, 0.25, 0.5, 0, true});
  unsigned zeros = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    EXPECT_GE(lanes.value[lane], 0);
    if (lanes.value[lane] == 0) {
      ++zeros;
      EXPECT_EQ(lanes.noise[lane], 0);
    }
  }
  constexpr auto half = kLanes / 2;
  EXPECT_NEAR(zeros, half, 1);
  const Moments moments = momentsOf(lanes);
  EXPECT_NEAR(moments.mean, mean, 1e-3);
  EXPECT_NEAR(moments.power(), 0.5, 1e-9);
  EXPECT_NEAR(moments.noise, 0.25, 0.1);
  EXPECT_TRUE(moments.isPositive);
  // Numbers that are mostly 0 have one sample that is not.
  EXPECT_NEAR(momentsOf(draws.draw({0.01, 1, 0, 0, 0.01, 0, true})).power(), 1.0001, 1e-9);
  // Without negative samples, the distribution is normal.
  EXPECT_NEAR(momentsOf(draws.draw({9, 4, 0, 0, 1, 0, true})).mean, 9, 1e-9);
}

/// The largest of nine numbers after a ReLU, as a pool takes it, has the mean and the noise of a simulation.
TEST_F(LanesTest, AMaximumChoosesNumbersWithMoreNoise) {
  constexpr double independent = 1e-6, relative = 4e-6;
  constexpr int window = 9, samples = 20000;
  std::mt19937 random(8);
  std::normal_distribution<double> normal;
  double sum = 0, squares = 0, noise = 0;
  for (int sample = 0; sample < samples; ++sample) {
    double largest = 0;
    for (int element = 0; element < window; ++element)
      largest = std::max(largest, normal(random));
    sum += largest / samples;
    squares += largest * largest / samples;
    noise += (largest > 0 ? independent + relative * largest * largest : 0) / samples;
  }
  std::optional<LaneProgram> program = programOf("%r = arith.maximumf %x, %y : f32");
  ASSERT_TRUE(program);
  // A ReLU stops half of the noise.
  const double mean = 1 / std::sqrt(2 * M_PI);
  const Moments element = {mean, 0.5 - mean * mean, 0, (independent + relative) / 2, 0.5, relative / 2, true};
  constexpr int count = 200;
  double predicted = 0, power = 0, average = 0;
  for (int number = 0; number < count; ++number) {
    Lanes largest;
    const Lanes none;
    for (int step = 0; step < window; ++step) {
      const Lanes next = draws.draw(element);
      largest = program->run({&largest, &next, &none}).front();
    }
    const Moments moments = momentsOf(largest);
    average += moments.mean / count;
    power += moments.power() / count;
    predicted += moments.noise / count;
  }
  EXPECT_NEAR(average, sum, 0.03 * sum);
  EXPECT_NEAR(power, squares, 0.06 * squares);
  EXPECT_LT(std::fabs(10 * std::log10(predicted / noise)), 0.7);
}

TEST_F(LanesTest, SumsHaveLessNoiseInProportionToThem) {
  const Moments rounded = {0, 1, 0, 0.5, 1, 0.5, false};
  EXPECT_NEAR(run("%r = arith.negf %x : f32", rounded).scaled, 0.5, 0.2);
  std::optional<LaneProgram> program = programOf("%r = arith.addf %x, %y : f32");
  ASSERT_TRUE(program);
  const Lanes x = draws.draw(rounded), y = draws.draw(rounded), exact = draws.draw({0, 1, 0, 0, 1}), none;
  EXPECT_NEAR(program->run({&x, &y, &none}).front().scaled, 0.5, 0.1);
  EXPECT_NEAR(program->run({&x, &exact, &none}).front().scaled, 1, 1e-9);
}

TEST_F(LanesTest, AnOffsetThatSomePositionsLoseIsPartlyNoise) {
  const Moments moments = run("%z = arith.constant 0.0 : f32\n%r = arith.maximumf %x, %z : f32", {0, 1, 1, 0, 1});
  EXPECT_NEAR(moments.offset, 0.25, 1e-9);
  EXPECT_NEAR(moments.noise, 0.25, 1e-9);
}

TEST_F(LanesTest, SumsAndProductsOfIndependentNumbers) {
  std::optional<LaneProgram> program = programOf("%r = arith.addf %x, %y : f32");
  ASSERT_TRUE(program);
  const Lanes none;
  double variance = 0, noise = 0;
  constexpr int count = 500;
  for (int number = 0; number < count; ++number) {
    const Lanes x = draws.draw({1, 4, 0, 0.5, 1}), y = draws.draw({2, 9, 0, 0.25, 1});
    const Moments sum = momentsOf(program->run({&x, &y, &none}).front());
    EXPECT_NEAR(sum.mean, 3, 1e-9);
    variance += sum.variance / count;
    noise += sum.noise / count;
  }
  EXPECT_NEAR(variance, 13, 0.5);
  EXPECT_NEAR(noise, 0.75, 0.05);
  const Moments scaled = run("%r = arith.mulf %x, %y : f32", {1, 4, 0, 0.5, 1}, {3, 0, 0, 0, 1});
  EXPECT_NEAR(scaled.noise, 9 * 0.5, 1e-9);
}

TEST_F(LanesTest, EqualErrorsCancel) {
  EXPECT_NEAR(run("%r = arith.divf %x, %x : f32", {3, 0.25, 0, 0.5, 1}).noise, 0, 1e-12);
  EXPECT_NEAR(run("%n = arith.negf %x : f32\n%r = arith.addf %x, %n : f32", {3, 1, 0.5, 0.5, 1}).noisePower(), 0,
              1e-12);
}

TEST_F(LanesTest, DerivativesScaleNoise) {
  const struct {
    const char *op;
    double at, slope;
  } functions[] = {{"math.exp", 1, std::exp(1)},
                   {"math.log", 4, 0.25},
                   {"math.sqrt", 4, 0.25},
                   {"math.rsqrt", 4, -1.0 / 16},
                   {"math.tanh", 1, 0.41997434161403},
                   {"math.erf", 1, 0.41510749742059},
                   {"math.absf", -2, -1},
                   {"arith.negf", 2, -1}};
  for (const auto &function : functions) {
    const Moments moments = run(std::string("%r = ") + function.op + " %x : f32", {function.at, 0, 0, 0.5, 1});
    EXPECT_NEAR(moments.noise, function.slope * function.slope * 0.5, 1e-6) << function.op;
  }
}

TEST_F(LanesTest, ConversionsAreCopies) {
  std::optional<LaneProgram> program = programOf("%h = arith.truncf %y : f32 to f16\n%r = arith.extf %h : f16 to f32");
  ASSERT_TRUE(program);
  EXPECT_EQ(program->copiedArgument(), 1u);
  program = programOf("%r = arith.addf %x, %y : f32");
  ASSERT_TRUE(program);
  EXPECT_EQ(program->copiedArgument(), std::nullopt);
}

TEST_F(LanesTest, OtherOperationsAreNotKnown) { EXPECT_FALSE(programOf("%r = math.cos %x : f32")); }

} // namespace
