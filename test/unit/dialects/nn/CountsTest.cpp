// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operators pass on sizes that data decide, and to which axes.

#include "dialects/nn/Counts.h"
#include "dialects/nn/NnDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace nacre;

namespace {

/// The counts of the result of the operator in `text`, an axis a letter: n and m are counts, - is no count; "refused"
/// if it passes none on. `operands` says the same of each operand; it has %n, %m: tensor<i64> besides %a and %b, of
/// `types`.
std::string pass(llvm::StringRef types, llvm::StringRef text, std::initializer_list<llvm::StringRef> operands) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, nn::NnDialect>();
  const std::string source =
      ("func.func @f(%n: tensor<i64>, %m: tensor<i64>, " + types + ") {\n" + text + "\nreturn\n}").str();
  auto module = parseSourceString<ModuleOp>(source, ParserConfig(&context));
  if (!module)
    return "does not parse";
  auto func = *module->getOps<func::FuncOp>().begin();
  Operation *op = func.front().getTerminator()->getPrevNode();
  SmallVector<nn::AxisCounts> counts;
  for (llvm::StringRef axes : operands) {
    nn::AxisCounts &own = counts.emplace_back();
    for (char axis : axes)
      own.push_back(axis == '-' ? Value() : func.getArgument(axis == 'n' ? 0 : 1));
  }
  std::optional<nn::AxisCounts> result = nn::transferCounts(op, counts);
  if (!result)
    return "refused";
  std::string axes;
  for (Value count : *result)
    axes += !count ? '-' : count == func.getArgument(0) ? 'n' : 'm';
  return axes;
}

TEST(Counts, ElementwiseOperatorsKeepThem) {
  const char *types = "%a: tensor<4x3xf32>, %b: tensor<4x3xf32>";
  EXPECT_EQ(pass(types, "%0 = nn.unary neg %a : tensor<4x3xf32>", {"n-"}), "n-");
  EXPECT_EQ(pass(types, "%0 = nn.binary add %a, %b : tensor<4x3xf32>, tensor<4x3xf32>", {"n-", "n-"}), "n-");
  EXPECT_EQ(pass(types, "%0 = nn.binary add %a, %b : tensor<4x3xf32>, tensor<4x3xf32>", {"n-", "m-"}), "refused");
  EXPECT_EQ(pass(types, "%0 = nn.binary add %a, %b : tensor<4x3xf32>, tensor<4x3xf32>", {"nm", "n-"}), "refused");
  // What is there of %b along axis 0 may be more, or less.
  EXPECT_EQ(pass(types, "%0 = nn.binary add %a, %b : tensor<4x3xf32>, tensor<4x3xf32>", {"n-", ""}), "refused");
}

TEST(Counts, BroadcastsAlignThem) {
  const char *types = "%a: tensor<2x4xf32>, %b: tensor<4xf32>, %c: tensor<1xf32>, %d: tensor<2x1xf32>";
  EXPECT_EQ(pass(types, "%0 = nn.binary add %d, %b : tensor<2x1xf32>, tensor<4xf32>", {"", "n"}), "-n");
  EXPECT_EQ(pass(types, "%0 = nn.binary add %a, %c : tensor<2x4xf32>, tensor<1xf32>", {"-n", ""}), "-n");
  EXPECT_EQ(pass(types, "%0 = nn.binary add %a, %b : tensor<2x4xf32>, tensor<4xf32>", {"-n", ""}), "refused");
  // One element that may not be there is no number to repeat.
  EXPECT_EQ(pass(types, "%0 = nn.binary add %a, %c : tensor<2x4xf32>, tensor<1xf32>", {"", "n"}), "refused");
  EXPECT_EQ(pass(types,
                 "%k = nn.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>\n"
                 "%0 = nn.binary add %a, %k : tensor<2x4xf32>, tensor<4xf32>",
                 {"-n", ""}),
            "-n");
}

TEST(Counts, CodesKeepThem) {
  const char *types = "%a: tensor<4x3xf32>, %s: tensor<f32>, %t: tensor<3xf32>, %b: tensor<2x3xf32>, %z: tensor<i8>";
  EXPECT_EQ(pass(types, "%0 = nn.quantize %a, %s, %z : tensor<4x3xf32>, tensor<f32>, tensor<i8>", {"n-", "", ""}),
            "n-");
  const char *ofColumns = "%0 = nn.quantize %a, %t, %z {axis = 1 : i64} : tensor<4x3xf32>, tensor<3xf32>, tensor<i8>";
  EXPECT_EQ(pass(types, ofColumns, {"n-", "", ""}), "n-");
  // What is there of %t may be more, or less.
  EXPECT_EQ(pass(types, ofColumns, {"-n", "", ""}), "refused");
  EXPECT_EQ(pass(types, ofColumns, {"-n", "n", ""}), "-n");
  EXPECT_EQ(pass(types, ofColumns, {"-n", "m", ""}), "refused");
  EXPECT_EQ(pass(types,
                 "%0 = nn.quantize %a, %b, %z {axis = 0 : i64, block = 2 : i64} "
                 ": tensor<4x3xf32>, tensor<2x3xf32>, tensor<i8>",
                 {"-n", "", ""}),
            "refused");
  EXPECT_EQ(pass("%a: tensor<4x3xi8>, %z: tensor<i8>",
                 "%k = nn.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>\n"
                 "%0 = nn.dequantize %a, %k, %z {axis = 1 : i64} : tensor<4x3xi8>, tensor<3xf32>, tensor<i8>",
                 {"-n", "", ""}),
            "-n");
}

TEST(Counts, MovementMovesThem) {
  const char *types = "%a: tensor<4x3x1xf32>, %i: tensor<5xi64>";
  EXPECT_EQ(pass(types, "%0 = nn.transpose %a [2, 0, 1] : tensor<4x3x1xf32>", {"n-m"}), "mn-");
  EXPECT_EQ(pass(types, "%0 = nn.slice %a [0, 1, 0] [4, 2, 1] [1, 1, 1] : tensor<4x3x1xf32>", {"n--"}), "n--");
  EXPECT_EQ(pass(types, "%0 = nn.slice %a [0, 0, 0] [3, 3, 1] [1, 1, 1] : tensor<4x3x1xf32>", {"n--"}), "refused");
  EXPECT_EQ(pass(types, "%0 = nn.slice %a [3, 0, 0] [4, 3, 1] [-1, 1, 1] : tensor<4x3x1xf32>", {"n--"}), "refused");
  EXPECT_EQ(pass(types, "%0 = nn.gather %a, %i {axis = 1 : i64} : tensor<4x3x1xf32>, tensor<5xi64>", {"n--", "m"}),
            "nm-");
  EXPECT_EQ(pass(types, "%0 = nn.gather %a, %i {axis = 0 : i64} : tensor<4x3x1xf32>, tensor<5xi64>", {"", "m"}), "m--");
  EXPECT_EQ(pass(types, "%0 = nn.gather %a, %i {axis = 0 : i64} : tensor<4x3x1xf32>, tensor<5xi64>", {"n--", ""}),
            "refused");
}

TEST(Counts, ReshapesKeepAnAxis) {
  const char *types = "%a: tensor<4x3x2xf32>, %b: tensor<1x3xf32>, %c: tensor<1x1xf32>";
  EXPECT_EQ(pass(types, "%0 = nn.reshape %a : tensor<4x3x2xf32> to tensor<1x4x6xf32>", {"n--"}), "-n-");
  EXPECT_EQ(pass(types, "%0 = nn.reshape %a : tensor<4x3x2xf32> to tensor<12x2xf32>", {"--n"}), "-n");
  EXPECT_EQ(pass(types, "%0 = nn.reshape %a : tensor<4x3x2xf32> to tensor<12x2xf32>", {"n--"}), "refused");
  EXPECT_EQ(pass(types, "%0 = nn.reshape %b : tensor<1x3xf32> to tensor<1x3x1xf32>", {"n-"}), "n--");
  // One of two axes of size 1 is dropped. The other keeps the count, whichever had it.
  EXPECT_EQ(pass(types, "%0 = nn.reshape %c : tensor<1x1xf32> to tensor<1xf32>", {"n-"}), "n");
  EXPECT_EQ(pass(types, "%0 = nn.reshape %c : tensor<1x1xf32> to tensor<1xf32>", {"-n"}), "n");
  EXPECT_EQ(pass(types, "%0 = nn.reshape %c : tensor<1x1xf32> to tensor<1xf32>", {"nm"}), "refused");
  // Which of the two would be it?
  EXPECT_EQ(pass(types, "%0 = nn.reshape %c : tensor<1x1xf32> to tensor<1x1x1xf32>", {"n-"}), "refused");
}

TEST(Counts, JoinsAreAlongOtherAxes) {
  const char *types = "%a: tensor<4x3xf32>, %b: tensor<4x2xf32>";
  EXPECT_EQ(pass(types, "%0 = nn.concat %a, %b {axis = 1 : i64} : tensor<4x3xf32>, tensor<4x2xf32>", {"n-", "n-"}),
            "n-");
  EXPECT_EQ(pass(types, "%0 = nn.concat %a, %b {axis = 1 : i64} : tensor<4x3xf32>, tensor<4x2xf32>", {"n-", ""}),
            "refused");
  EXPECT_EQ(pass(types, "%0 = nn.concat %a, %b {axis = 1 : i64} : tensor<4x3xf32>, tensor<4x2xf32>", {"-n", ""}),
            "refused");
}

TEST(Counts, IndicesBringThem) {
  const char *types = "%a: tensor<4x3xf32>, %i: tensor<5x2xi64>, %e: tensor<4x5xi64>";
  EXPECT_EQ(pass(types, "%0 = nn.gather_nd %a, %i {batch_dims = 0} : tensor<4x3xf32>, tensor<5x2xi64>", {"", "n-"}),
            "n");
  EXPECT_EQ(pass(types, "%0 = nn.gather_nd %a, %i {batch_dims = 0} : tensor<4x3xf32>, tensor<5x2xi64>", {"n-", ""}),
            "refused");
  EXPECT_EQ(pass(types, "%0 = nn.gather_elements %a, %e {axis = 1} : tensor<4x3xf32>, tensor<4x5xi64>", {"", "-n"}),
            "-n");
  EXPECT_EQ(pass(types, "%0 = nn.gather_elements %a, %e {axis = 1} : tensor<4x3xf32>, tensor<4x5xi64>", {"n-", "n-"}),
            "refused");
}

TEST(Counts, RunningSumsEndWithThem) {
  const char *types = "%a: tensor<4x3xf32>";
  EXPECT_EQ(pass(types, "%0 = nn.cumulate sum %a {axis = 0} : tensor<4x3xf32>", {"n-"}), "n-");
  EXPECT_EQ(pass(types, "%0 = nn.cumulate sum %a {axis = 0, reverse} : tensor<4x3xf32>", {"n-"}), "refused");
  EXPECT_EQ(pass(types, "%0 = nn.cumulate sum %a {axis = 1, reverse} : tensor<4x3xf32>", {"n-"}), "n-");
}

TEST(Counts, ReductionsAreAlongOtherAxes) {
  const char *types = "%a: tensor<4x3x2xf32>";
  EXPECT_EQ(pass(types, "%0 = nn.reduce sum %a {axes = array<i64: 1>} : tensor<4x3x2xf32>", {"n-m"}), "nm");
  EXPECT_EQ(pass(types, "%0 = nn.reduce sum %a {axes = array<i64: 1>, keep_dims} : tensor<4x3x2xf32>", {"n-m"}), "n-m");
  EXPECT_EQ(pass(types, "%0 = nn.reduce sum %a {axes = array<i64: 0>} : tensor<4x3x2xf32>", {"n--"}), "refused");
  EXPECT_EQ(pass(types, "%0 = nn.arg_reduce max %a {axis = 2 : i64} : tensor<4x3x2xf32>", {"n--"}), "n-");
  EXPECT_EQ(pass(types, "%0 = nn.softmax %a {axis = 2 : i64} : tensor<4x3x2xf32>", {"n--"}), "n--");
  EXPECT_EQ(pass(types, "%0 = nn.softmax %a {axis = 0 : i64} : tensor<4x3x2xf32>", {"n--"}), "refused");
}

TEST(Counts, AnyOperatorKeepsThemAlongParallelAxes) {
  const char *types = "%a: tensor<4x3xf32>, %b: tensor<3x5xf32>, %x: tensor<2x8x8x3xf32>, %f: tensor<3x3x3x6xf32>";
  const char *product = "%0 = nn.matmul %a, %b : tensor<4x3xf32>, tensor<3x5xf32>";
  EXPECT_EQ(pass(types, product, {"n-", ""}), "n-");
  EXPECT_EQ(pass(types, product, {"n-", "-m"}), "nm");
  EXPECT_EQ(pass(types, product, {"-n", "n-"}), "refused");
  const char *conv = "%0 = nn.conv %x, %f {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = "
                     "array<i64: 1, 1>, groups = 1} : tensor<2x8x8x3xf32>, tensor<3x3x3x6xf32>";
  EXPECT_EQ(pass(types, conv, {"n---", ""}), "n---");
  EXPECT_EQ(pass(types, conv, {"-n--", ""}), "refused");
  EXPECT_EQ(pass(types, conv, {"---n", ""}), "refused");
}

} // namespace
