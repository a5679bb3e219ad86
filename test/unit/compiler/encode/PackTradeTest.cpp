// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When an operand that is no weight is packed by a launch of its own, by the prices of CPUs with AVX-512.

#include "compiler/encode/PackTrade.h"

#include "gtest/gtest.h"

using namespace nacre;
using namespace nacre::encode;

namespace {

/// rows x depth by depth x columns, in panels of 32.
PackTrade product(int64_t rows, int64_t depth, int64_t columns) {
  PackTrade trade;
  trade.operandBytes = 4 * depth * columns;
  trade.panels = (columns + 31) / 32;
  trade.rows = rows;
  trade.rowBytes = 4 * rows * depth;
  return trade;
}

TEST(PackTrade, RowsThatNoCacheHoldsWant) {
  EXPECT_TRUE(isWorthALaunch(product(1024, 1024, 1024), codegen::kX86V4));
  EXPECT_TRUE(isWorthALaunch(product(128, 4096, 512), codegen::kX86V4));
  EXPECT_TRUE(isWorthALaunch(product(16 * 16 * 16, 9 * 64, 128), codegen::kX86V4)) << "a convolution";
  EXPECT_FALSE(isWorthALaunch(product(128, 512, 512), codegen::kX86V4));
  EXPECT_TRUE(isWorthALaunch(product(128, 512, 512), codegen::kLittleArm64)) << "on a little core";
}

TEST(PackTrade, FewRowsDoNotPayForIt) {
  for (int64_t rows : {1, 4, 16})
    EXPECT_FALSE(isWorthALaunch(product(rows, 4096, 512), codegen::kX86V4)) << rows;
}

TEST(PackTrade, IterationsOfALoopDo) {
  PackTrade step = product(16, 128, 512);
  EXPECT_FALSE(isWorthALaunch(step, codegen::kX86V4));
  step.iterations = 100;
  EXPECT_TRUE(isWorthALaunch(step, codegen::kX86V4));
}

TEST(PackTrade, WhatReplacesAnotherLaunchIsFree) {
  PackTrade trade = product(128, 512, 512);
  trade.replaces = true;
  EXPECT_TRUE(isWorthALaunch(trade, codegen::kX86V4));
  PackTrade deep = product(27, 1 << 17, 64);
  deep.replaces = true;
  EXPECT_FALSE(isWorthALaunch(deep, codegen::kX86V4)) << "each block of few rows would read all panels from memory";
}

TEST(PackTrade, WinogradPaysWhereItGainsMoreThanThePass) {
  PackTrade trade = product(128, 9 * 64, 64);
  EXPECT_FALSE(isWorthALaunch(trade, codegen::kX86V4));
  trade.gained = 100'000;
  EXPECT_TRUE(isWorthALaunch(trade, codegen::kX86V4));
  trade.gained = 1'000;
  EXPECT_FALSE(isWorthALaunch(trade, codegen::kX86V4));
}

} // namespace
