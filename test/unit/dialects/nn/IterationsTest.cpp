// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that numbers of a type end, and loops that they never end.

#include "dialects/nn/control/Iterations.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace nacre;
using Kind = nn::BinaryKind;

namespace {

struct Iterations : testing::Test {
  MLIRContext context;
  Type half = Float16Type::get(&context), single = Float32Type::get(&context);
  Type signed8 = IntegerType::get(&context, 8), signed64 = IntegerType::get(&context, 64),
       unsigned8 = IntegerType::get(&context, 8, IntegerType::Unsigned);
  const std::optional<int64_t> never;
};

TEST_F(Iterations, EndBehindTheLastThatCompares) {
  EXPECT_EQ(nn::countIterations(signed64, 0, 1, Kind::Less, 10), 10);
  EXPECT_EQ(nn::countIterations(signed64, 0, 1, Kind::LessEqual, 10), 11);
  EXPECT_EQ(nn::countIterations(signed64, 0, 3, Kind::Less, 10), 4);
  EXPECT_EQ(nn::countIterations(signed64, 10, -2, Kind::Greater, 4), 3);
  EXPECT_EQ(nn::countIterations(signed64, 10, -2, Kind::GreaterEqual, 4), 4);
  EXPECT_EQ(nn::countIterations(single, 0, 1, Kind::Less, 2.5), 3);
}

TEST_F(Iterations, AreNoneWhereTheFirstDoesNot) {
  EXPECT_EQ(nn::countIterations(signed64, 10, 1, Kind::Less, 10), 0);
  EXPECT_EQ(nn::countIterations(signed64, 10, -1, Kind::Less, 10), 0);
  EXPECT_EQ(nn::countIterations(signed64, 11, 1, Kind::LessEqual, 10), 0);
  EXPECT_EQ(nn::countIterations(signed64, 10, 1, Kind::Greater, 10), 0);
}

TEST_F(Iterations, NeverEndTheOtherWay) {
  EXPECT_EQ(nn::countIterations(signed64, 0, -1, Kind::Less, 10), never);
  EXPECT_EQ(nn::countIterations(signed64, 0, 0, Kind::Less, 10), never);
  EXPECT_EQ(nn::countIterations(signed64, 10, 1, Kind::Greater, 0), never);
}

TEST_F(Iterations, NeverEndWhereIntegersWrap) {
  EXPECT_EQ(nn::countIterations(signed8, 0, 1, Kind::Less, 127), 127);
  EXPECT_EQ(nn::countIterations(signed8, 0, 1, Kind::LessEqual, 127), never);
  EXPECT_EQ(nn::countIterations(signed8, 0, 1, Kind::Less, 300), never); // compared as wider integers
  EXPECT_EQ(nn::countIterations(signed8, 0, 50, Kind::Less, 120), never);
  EXPECT_EQ(nn::countIterations(unsigned8, 0, 1, Kind::Less, 255), 255);
  EXPECT_EQ(nn::countIterations(unsigned8, 6, -2, Kind::Greater, 0), 3);
  EXPECT_EQ(nn::countIterations(unsigned8, 6, -2, Kind::GreaterEqual, 0), never);
  EXPECT_EQ(nn::countIterations(unsigned8, 10, -4, Kind::Greater, 1), never);
}

TEST_F(Iterations, NeverEndWhereFloatsStandStill) {
  EXPECT_EQ(nn::countIterations(half, 0, 1, Kind::Less, 2048), 2048);
  EXPECT_EQ(nn::countIterations(half, 0, 1, Kind::LessEqual, 2048), never);
  EXPECT_EQ(nn::countIterations(half, 4000, 1, Kind::Less, 4002), never);
  EXPECT_EQ(nn::countIterations(single, 0, 0.5, Kind::Less, 10), never);
  EXPECT_EQ(nn::countIterations(single, 0, 1, Kind::Less, 1e9), never);
}

} // namespace
