// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  both halves of a separable convolution as contractions, and as one product through windows.
// Why:   engines compute what is between by either; addresses that are wrong read other pixels.

#include "codegen/form/fused/SeparableForm.h"

#include "dialects/plan/PlanDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "test/unit/codegen/SeparableTexts.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;

namespace {

class SeparableFormTest : public testing::Test {
protected:
  SeparableFormTest() {
    context.loadDialect<plan::PlanDialect, arith::ArithDialect, linalg::LinalgDialect, tensor::TensorDialect>();
  }

  plan::KernelOp kernelOf(const std::string &text) {
    module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    EXPECT_TRUE(module);
    return *module->getOps<plan::KernelOp>().begin();
  }
  SeparableForm read(const SeparableText &text) { return *parseSeparable(kernelOf(text.text())); }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

constexpr unsigned kBetween = 7; ///< One beyond the kernel's arguments.

} // namespace

/// 5 x 4 pixels of 8 channels to 12 columns.
TEST_F(SeparableFormTest, TheTensorBetweenIsDenseAndNobodysArgument) {
  const SeparableForm form = read({5, 4, 8, 12});
  EXPECT_TRUE(form.depthwise.depthwise);
  EXPECT_EQ(form.depthwise.operands[Contraction::Result].argument, kBetween);
  EXPECT_EQ(form.pointwise.operands[Contraction::Lhs].argument, kBetween);
  const DepthwiseConvolution first = asDepthwise(form.depthwise);
  EXPECT_EQ(first.columns.size, 8);
  EXPECT_EQ(first.depthSize(), 9);
  ASSERT_EQ(first.rows.size(), 2u);
  EXPECT_EQ(first.rows[0].strides[Contraction::Result], 4 * 8);
  EXPECT_EQ(first.cut, LoopedContraction::Cut::Rows) << "a share of the result's rows is one of the rows between";
  const MatrixProduct second = asProduct(form.pointwise);
  ASSERT_EQ(second.rows.size(), 1u) << "pixels lie one after another";
  EXPECT_EQ(second.rows[0].size, 20);
  EXPECT_EQ(second.rows[0].strides[Contraction::Lhs], 8);
  EXPECT_EQ(second.depthSize(), 8);
  EXPECT_TRUE(first.epilogue && second.epilogue);
}

TEST_F(SeparableFormTest, AShareOfTheColumnsReadsAllBetween) {
  SeparableText text{1, 1, 8, 12};
  text.cut = 3;
  const SeparableForm form = read(text);
  EXPECT_EQ(asDepthwise(form.depthwise).cut, LoopedContraction::Cut::None);
  EXPECT_EQ(asProduct(form.pointwise).cut, LoopedContraction::Cut::Columns);
}

/// The input is 11 x 9 pixels of a storage of 13 x 11, and windows are two apart.
TEST_F(SeparableFormTest, WindowsAreWalkedByTheProductsLoops) {
  SeparableText text{5, 4, 8, 12, 3, 2};
  text.inset = 1;
  const SeparableForm form = read(text);
  FailureOr<PlainContraction> windowed = throughWindows(form, 64);
  ASSERT_TRUE(succeeded(windowed));
  const MatrixProduct product = asProduct(*windowed);
  constexpr int64_t row = 11 * 8;
  EXPECT_EQ(product.operands[Contraction::Lhs].argument, 0u);
  EXPECT_EQ(product.operands[Contraction::Lhs].offset, row + 8);
  ASSERT_EQ(product.rows.size(), 2u);
  EXPECT_EQ(product.rows[0].strides[Contraction::Lhs], 2 * row);
  EXPECT_EQ(product.rows[1].strides[Contraction::Lhs], 2 * 8);
  EXPECT_EQ(product.rows[1].strides[Contraction::Result], 12);
  ASSERT_TRUE(product.prologue);
  const ContractionPrologue &prologue = *product.prologue;
  ASSERT_EQ(prologue.arguments.size(), 2u);
  EXPECT_TRUE(prologue.arguments[0].isWindow);
  EXPECT_EQ(product.operands[prologue.filter].argument, 1u);
  EXPECT_EQ(product.operands[prologue.arguments[1].operand].argument, 2u) << "the bias of channels";
  ASSERT_EQ(product.depth.size(), 1u);
  EXPECT_EQ(product.depth[0].size, 8);
  for (unsigned operand : {unsigned(Contraction::Lhs), prologue.filter, prologue.arguments[1].operand}) {
    EXPECT_EQ(product.depth[0].strides[operand], 1);
    EXPECT_TRUE(prologue.reads(operand));
  }
  ASSERT_EQ(prologue.taps.size(), 9u);
  EXPECT_EQ(prologue.taps[5].lhs, row + 2 * 8);
  EXPECT_EQ(prologue.taps[5].filter, 5 * 8);
  EXPECT_TRUE(failed(throughWindows(form, 8))) << "more taps than may be written out";
}

TEST_F(SeparableFormTest, NothingNeedStandBetween) {
  SeparableText text{5, 4, 8, 12};
  text.between = false;
  const SeparableForm form = read(text);
  EXPECT_FALSE(form.depthwise.epilogue);
  EXPECT_TRUE(form.pointwise.epilogue);
  EXPECT_TRUE(succeeded(throughWindows(form, 64)));
}

/// A number for every pixel would be read again with each block of columns.
TEST_F(SeparableFormTest, WhatFollowsTheWindowsIsOfChannels) {
  std::string text = SeparableText{5, 4, 8, 12}.text();
  auto replace = [&](const std::string &from, const std::string &to) {
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  };
  replace("%g: tensor<8xf32>", "%g: tensor<1x5x4x8xf32>");
  replace("affine_map<(n, p, q, c) -> (c)>", "affine_map<(n, p, q, c) -> (n, p, q, c)>");
  replace("ins(%d, %g : tensor<1x5x4x8xf32>, tensor<8xf32>)", "ins(%d, %g : tensor<1x5x4x8xf32>, tensor<1x5x4x8xf32>)");
  FailureOr<SeparableForm> form = parseSeparable(kernelOf(text));
  ASSERT_TRUE(succeeded(form));
  EXPECT_TRUE(failed(throughWindows(*form, 64)));
}
