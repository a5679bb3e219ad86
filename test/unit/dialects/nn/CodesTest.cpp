// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reals that constant codes stand for, and the codes of constants that no text has
// (test/dialects/nn/quantization.mlir has others).

#include "dialects/nn/ConstantData.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/evaluate/Evaluate.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace nacre;

namespace {

/// The value of the last operator of `text`, whose operands are constants; empty if it is no splat and `isSplat`.
std::vector<double> evaluate(llvm::StringRef text, bool isSplat = false) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, nn::NnDialect>();
  auto module =
      parseSourceString<ModuleOp>(("func.func @f() {\n" + text + "\nreturn\n}").str(), ParserConfig(&context));
  if (!module)
    return {};
  Operation *op = (*module->getOps<func::FuncOp>().begin()).front().getTerminator()->getPrevNode();
  SmallVector<ElementsAttr> operands;
  for (Value operand : op->getOperands())
    operands.push_back(operand.getDefiningOp<nn::ConstantOp>().getValue());
  FailureOr<ElementsAttr> value = nn::evaluate(op, operands);
  if (failed(value) || value->isSplat() != isSplat)
    return {};
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(*value);
  std::vector<double> numbers(size_t(view->getType().getNumElements()));
  view->read(0, 1, int64_t(numbers.size()), numbers.data());
  return numbers;
}

using Numbers = std::vector<double>;

TEST(Codes, AreMovedAndScaled) {
  EXPECT_EQ(evaluate("%q = nn.constant dense<[0, 255, 128]> : tensor<3xui8>\n"
                     "%s = nn.constant dense<0.5> : tensor<f32>\n"
                     "%z = nn.constant dense<128> : tensor<ui8>\n"
                     "%0 = nn.dequantize %q, %s, %z : tensor<3xui8>, tensor<f32>, tensor<ui8>"),
            (Numbers{-64, 63.5, 0}));
  EXPECT_EQ(evaluate("%q = nn.constant dense<[[-8, 7], [1, 2]]> : tensor<2x2xi4>\n"
                     "%s = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
                     "%z = nn.constant dense<[0, 1]> : tensor<2xi4>\n"
                     "%0 = nn.dequantize %q, %s, %z {axis = 1} : tensor<2x2xi4>, tensor<2xf32>, tensor<2xi4>"),
            (Numbers{-8, 12, 1, 2}));
}

TEST(Codes, BelongToBlocks) {
  EXPECT_EQ(
      evaluate("%q = nn.constant dense<[[1, 1, 1], [1, 1, 1]]> : tensor<2x3xi8>\n"
               "%s = nn.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>\n"
               "%z = nn.constant dense<0> : tensor<i8>\n"
               "%0 = nn.dequantize %q, %s, %z {axis = 1, block = 2} : tensor<2x3xi8>, tensor<2x2xf32>, tensor<i8>"),
      (Numbers{1, 1, 2, 3, 3, 4}));
  EXPECT_EQ(
      evaluate("%q = nn.constant dense<[[1, 1], [1, 1], [1, 1]]> : tensor<3x2xi8>\n"
               "%s = nn.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>\n"
               "%z = nn.constant dense<0.5> : tensor<f32>\n"
               "%0 = nn.dequantize %q, %s, %z {axis = 0, block = 2} : tensor<3x2xi8>, tensor<2x2xf32>, tensor<f32>"),
      (Numbers{0.5, 1, 0.5, 1, 1.5, 2}));
}

TEST(Codes, OfSplatsAreSplats) {
  EXPECT_EQ(evaluate("%q = nn.constant dense<3> : tensor<4xi8>\n"
                     "%s = nn.constant dense<0.5> : tensor<f32>\n"
                     "%z = nn.constant dense<1> : tensor<i8>\n"
                     "%0 = nn.dequantize %q, %s, %z : tensor<4xi8>, tensor<f32>, tensor<i8>",
                     /*isSplat=*/true),
            (Numbers{1, 1, 1, 1}));
}

// 33,554,433 has no f32: it becomes 33,554,432 before the zero point is taken away. In f64 it stays.
TEST(Codes, AreRoundedToTheScalesPrecision) {
  EXPECT_EQ(evaluate("%q = nn.constant dense<[33554433, 1]> : tensor<2xi32>\n"
                     "%s = nn.constant dense<1.0> : tensor<f32>\n"
                     "%z = nn.constant dense<33554430> : tensor<i32>\n"
                     "%0 = nn.dequantize %q, %s, %z : tensor<2xi32>, tensor<f32>, tensor<i32>"),
            (Numbers{2, -33554428}));
  EXPECT_EQ(evaluate("%q = nn.constant dense<[33554433, 1]> : tensor<2xi32>\n"
                     "%s = nn.constant dense<1.0> : tensor<f64>\n"
                     "%z = nn.constant dense<33554430> : tensor<i32>\n"
                     "%0 = nn.dequantize %q, %s, %z : tensor<2xi32>, tensor<f64>, tensor<i32>"),
            (Numbers{3, -33554429}));
  // 2049 has no f16, and 2049 * 3 is rounded once: from 6147 to 6148.
  EXPECT_EQ(evaluate("%q = nn.constant dense<[2049, 1]> : tensor<2xi16>\n"
                     "%s = nn.constant dense<3.0> : tensor<f16>\n"
                     "%z = nn.constant dense<0> : tensor<i16>\n"
                     "%0 = nn.dequantize %q, %s, %z : tensor<2xi16>, tensor<f16>, tensor<i16>"),
            (Numbers{6148, 3}));
}

// The quotient is a half, and then an integer; the zero point is added in f32, where 4097 is a number.
TEST(Codes, OfHalvesAreRoundedTwice) {
  EXPECT_EQ(evaluate("%x = nn.constant dense<[2.0, 1.0]> : tensor<2xf16>\n"
                     "%s = nn.constant dense<1.0> : tensor<f16>\n"
                     "%z = nn.constant dense<4095> : tensor<i16>\n"
                     "%0 = nn.quantize %x, %s, %z : tensor<2xf16>, tensor<f16>, tensor<i16>"),
            (Numbers{4097, 4096}));
  // As halves, 0.105 / 0.03 is 3.4995 in f32 and 3.5 in f16, which goes to 4.
  EXPECT_EQ(evaluate("%x = nn.constant dense<[0.105, 0.0]> : tensor<2xf16>\n"
                     "%s = nn.constant dense<0.03> : tensor<f16>\n"
                     "%z = nn.constant dense<0> : tensor<i8>\n"
                     "%0 = nn.quantize %x, %s, %z : tensor<2xf16>, tensor<f16>, tensor<i8>"),
            (Numbers{4, 0}));
}

} // namespace
