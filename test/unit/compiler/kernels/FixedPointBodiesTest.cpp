// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies that requantize give the bits of the definition. Bodies on constants are expanded and folded by `arith`, which
// is as exact as a machine.

#include "compiler/kernels/bodies/FixedPointBodies.h"

#include "dialects/nn/FixedPoint.h"
#include "dialects/plan/ScalarOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "gtest/gtest.h"
#include <functional>
#include <random>

using namespace nacre;
using namespace nacre::kernels;

namespace {

struct Sample {
  int64_t x;
  nn::FixedPoint scale;
};

class FixedPointBodies : public testing::TestWithParam<nn::FixedPointRounding> {
protected:
  FixedPointBodies() : context(mlir::MLIRContext::Threading::DISABLED) {
    context.loadDialect<mlir::func::FuncDialect, plan::PlanDialect>();
  }

  /// The result of each body, folded.
  std::vector<int64_t> run(llvm::ArrayRef<Sample> samples, unsigned width) {
    mlir::OpBuilder builder(&context);
    mlir::Location loc = builder.getUnknownLoc();
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
    builder.setInsertionPointToStart(module->getBody());
    auto function = mlir::func::FuncOp::create(builder, loc, "samples", builder.getFunctionType({}, {}));
    builder.setInsertionPointToStart(function.addEntryBlock());
    auto constant = [&](unsigned bits, int64_t value) -> mlir::Value {
      return mlir::arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(builder.getIntegerType(bits), value));
    };
    llvm::SmallVector<mlir::Value> results;
    for (const Sample &sample : samples)
      results.push_back(emitRequantize({builder, loc}, GetParam(), constant(width, sample.x),
                                       constant(32, sample.scale.multiplier), constant(32, sample.scale.shift),
                                       rangeOf(sample.scale)));
    auto returned = mlir::func::ReturnOp::create(builder, loc, results);
    plan::expandScalars(function);
    EXPECT_TRUE(succeeded(mlir::applyPatternsGreedily(function, mlir::RewritePatternSet(&context))));
    std::vector<int64_t> values;
    for (mlir::Value result : returned.getOperands()) {
      llvm::APInt value;
      EXPECT_TRUE(matchPattern(result, mlir::m_ConstantInt(&value)));
      values.push_back(value.getSExtValue());
    }
    return values;
  }

  /// Bodies of unknown numbers, then of known ones.
  void compare(llvm::ArrayRef<Sample> samples, unsigned width) {
    for (bool isKnown : {false, true}) {
      rangeOf = [isKnown](nn::FixedPoint scale) {
        return isKnown ? FixedPointRange{scale.multiplier, scale.multiplier, scale.shift, scale.shift}
                       : FixedPointRange();
      };
      compareOnce(samples, width);
    }
  }

  void compareOnce(llvm::ArrayRef<Sample> samples, unsigned width) {
    std::vector<int64_t> values = run(samples, width);
    ASSERT_EQ(values.size(), samples.size());
    for (auto [sample, value] : llvm::zip(samples, values))
      EXPECT_EQ(value, nn::requantize(GetParam(), sample.x, sample.scale))
          << sample.x << " * " << sample.scale.multiplier << ", " << sample.scale.shift;
  }

  mlir::MLIRContext context;
  std::function<FixedPointRange(nn::FixedPoint)> rangeOf;
};

TEST_P(FixedPointBodies, AreTheDefinitionAtItsEdges) {
  std::vector<Sample> samples;
  for (int64_t x : {int64_t(INT32_MIN), int64_t(-65536), int64_t(-3), int64_t(-1), int64_t(0), int64_t(1), int64_t(2),
                    int64_t(INT32_MAX)})
    for (int32_t multiplier : {INT32_MIN, -1, 0, 1 << 30, 0x7FFEFFFF, 0x7FFF0000, INT32_MAX})
      for (int32_t shift : {INT32_MIN, -32, -31, -1, 0, 1, 14, 15, 30, 31, INT32_MAX})
        samples.push_back({x, {multiplier, shift}});
  compare(samples, 32);
}

TEST_P(FixedPointBodies, AreTheDefinitionOfManySums) {
  std::mt19937_64 random(7);
  std::vector<Sample> samples;
  for (int i = 0; i < 500; ++i) {
    auto multiplier = int32_t((1U << 30) | uint32_t(random() >> 34));
    samples.push_back({int64_t(random()) >> (random() % 60), {multiplier, int32_t(random() % 40) - 32}});
  }
  compare(samples, 64);
}

INSTANTIATE_TEST_SUITE_P(Roundings, FixedPointBodies,
                         testing::Values(nn::FixedPointRounding::Double, nn::FixedPointRounding::Single,
                                         nn::FixedPointRounding::Mult16),
                         [](const auto &info) { return stringifyFixedPointRounding(info.param).str(); });

} // namespace
