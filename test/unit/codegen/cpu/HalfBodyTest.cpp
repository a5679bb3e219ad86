// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/tiles/HalfBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using nacre::codegen::cpu::bodyInHalves;

namespace {

/// Returns the operations of a body with the sum %s (f32), the bias %b and the residual %r (f16), in the order of
/// execution: each name without its dialect, followed by the width of its result.
std::string rewritten(const std::string &operations, ArrayRef<unsigned> halves) {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, func::FuncDialect>();
  auto module = parseSourceString<ModuleOp>(
      "func.func @body(%s: f32, %b: f16, %r: f16) -> f16 {\n%zero = arith.constant 0.0 : f32\n%cap = "
      "arith.constant 0.3 : f32\n%bw = arith.extf %b : f16 to f32\n" +
          operations + "\nreturn %y : f16 }",
      ParserConfig(&context));
  EXPECT_TRUE(module);
  Block &body = (*module->getOps<func::FuncOp>().begin()).getBody().front();
  std::unique_ptr<Block> copy = bodyInHalves(body, halves);
  std::string names;
  for (Operation &op : copy->without_terminator())
    if (!isa<arith::ConstantOp>(op))
      names += (names.empty() ? "" : " ") + op.getName().stripDialect().str() +
               std::to_string(op.getResult(0).getType().getIntOrFloatBitWidth());
  return names;
}

constexpr unsigned kSum = 0;

TEST(HalfBody, BoundsFollowTheRounding) {
  const std::string body = R"(
    %t = arith.addf %s, %bw : f32
    %m = arith.maximumf %t, %zero : f32
    %c = arith.minimumf %cap, %m : f32
    %y = arith.truncf %c : f32 to f16)";
  EXPECT_EQ(rewritten(body, {}), "extf32 addf32 truncf16 maximumf16 minimumf16");
  EXPECT_EQ(rewritten(body, {kSum}), "addf16 maximumf16 minimumf16");
}

TEST(HalfBody, ResultsOfHalvesAreNotRoundedTwice) {
  const std::string body = R"(
    %rw = arith.extf %r : f16 to f32
    %t = arith.addf %s, %bw : f32
    %u = arith.addf %t, %rw : f32
    %m = arith.maximumf %u, %zero : f32
    %y = arith.truncf %m : f32 to f16)";
  EXPECT_EQ(rewritten(body, {kSum}), "extf32 extf32 extf32 addf32 addf32 truncf16 maximumf16");
}

TEST(HalfBody, OnlyConstantsOfHalvesAreTerms) {
  // 0.3 is no half, so its sum must be rounded after the addition.
  EXPECT_EQ(rewritten("%t = arith.addf %s, %cap : f32\n%y = arith.truncf %t : f32 to f16", {kSum}),
            "extf32 addf32 truncf16");
  EXPECT_EQ(rewritten("%t = arith.mulf %s, %zero : f32\n%y = arith.truncf %t : f32 to f16", {kSum}), "mulf16");
}

TEST(HalfBody, BoundsOfHalvesAreTerms) {
  EXPECT_EQ(rewritten(R"(
    %m = arith.maximumf %s, %zero : f32
    %t = arith.subf %m, %bw : f32
    %y = arith.truncf %t : f32 to f16)",
                      {kSum}),
            "maximumf16 subf16");
}

TEST(HalfBody, MaximumOfTwoSumsIsRoundedOnce) {
  EXPECT_EQ(rewritten(R"(
    %t = arith.addf %s, %bw : f32
    %u = arith.subf %s, %bw : f32
    %m = arith.maximumf %t, %u : f32
    %y = arith.truncf %m : f32 to f16)",
                      {}),
            "extf32 addf32 subf32 maximumf32 truncf16");
}

} // namespace
