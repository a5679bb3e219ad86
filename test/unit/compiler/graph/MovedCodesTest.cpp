// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that move codes between a dequantization and a quantization of one scale, and operators that stay on reals.

#include "compiler/graph/MovedCodes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace nacre;

namespace {

/// The operators that are left of `text`, but constants, in order, and the operands of the last one. %x:
/// tensor<1x4x4x2xui8>; %s is a scale, %z a zero point; the result is %y.
std::string move(llvm::StringRef text, llvm::StringRef type) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, nn::NnDialect>();
  const std::string source =
      ("func.func @f(%x: tensor<1x4x4x2xui8>, %w: tensor<1x4x4x2xui8>, %t: tensor<f32>) -> " + type + " {\n" +
       "%s = nn.constant dense<0.3> : tensor<f32>\n%z = nn.constant dense<7> : tensor<ui8>\n" +
       "%0 = nn.dequantize %x, %s, %z : tensor<1x4x4x2xui8>, tensor<f32>, tensor<ui8>\n" + text +
       "\nreturn %y : " + type + "\n}")
          .str();
  auto module = parseSourceString<ModuleOp>(source, ParserConfig(&context));
  if (!module)
    return "does not parse";
  RewritePatternSet patterns(&context);
  graph::addMovedCodes(patterns);
  if (failed(applyPatternsGreedily(*module, std::move(patterns))) || failed(verify(*module)))
    return "fails";
  std::string left;
  (*module->getOps<func::FuncOp>().begin()).walk([&](Operation *op) {
    if (isa<nn::NnDialect>(op->getDialect()) && !isa<nn::ConstantOp>(op))
      left += (left.empty() ? "" : " ") + op->getName().stripDialect().str();
  });
  return left;
}

std::string quantized(llvm::StringRef value, llvm::StringRef shape) {
  return ("%y = nn.quantize " + value + ", %s, %z : tensor<" + shape + "xf32>, tensor<f32>, tensor<ui8>").str();
}

constexpr const char *window = "{kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, "
                               "dilations = array<i64: 1, 1>, overhang = array<i64: 0, 0>} : tensor<1x4x4x2xf32>\n";

TEST(MovedCodes, NothingIsLeftOfThereAndBack) {
  EXPECT_EQ(move(quantized("%0", "1x4x4x2"), "tensor<1x4x4x2xui8>"), "");
}

TEST(MovedCodes, MovementIsOfCodes) {
  EXPECT_EQ(move(std::string("%1 = nn.pool max %0 ") + window +
                     "%2 = nn.transpose %1 [0, 3, 1, 2] : tensor<1x2x2x2xf32>\n" +
                     "%3 = nn.slice %2 [0, 0, 0, 0] [1, 2, 2, 1] [1, 1, 1, 1] : tensor<1x2x2x2xf32>\n" +
                     "%4 = nn.reshape %3 : tensor<1x2x2x1xf32> to tensor<4xf32>\n" + quantized("%4", "4"),
                 "tensor<4xui8>"),
            "pool transpose slice reshape");
  EXPECT_EQ(move("%1 = nn.dequantize %w, %s, %z : tensor<1x4x4x2xui8>, tensor<f32>, tensor<ui8>\n"
                 "%2 = nn.concat %0, %1 {axis = 3} : tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>\n" +
                     quantized("%2", "1x4x4x4"),
                 "tensor<1x4x4x4xui8>"),
            "concat");
}

TEST(MovedCodes, PaddingIsTheCodeOfItsNumber) {
  EXPECT_EQ(move("%1 = nn.pad constant %0 [0, 0, 0, 0] [0, 1, 1, 0] 0.0 : f32 : tensor<1x4x4x2xf32>\n" +
                     quantized("%1", "1x5x5x2"),
                 "tensor<1x5x5x2xui8>"),
            "pad");
  // 0.1 is a third of a step, and 1000 beyond the range.
  for (const char *number : {"0.1", "1000.0"})
    EXPECT_EQ(move(std::string("%1 = nn.pad constant %0 [0, 0, 0, 0] [0, 1, 1, 0] ") + number +
                       " : f32 : tensor<1x4x4x2xf32>\n" + quantized("%1", "1x5x5x2"),
                   "tensor<1x5x5x2xui8>"),
              "dequantize pad quantize");
}

TEST(MovedCodes, OtherRealsAreComputed) {
  EXPECT_EQ(move(std::string("%1 = nn.pool average %0 ") + window + quantized("%1", "1x2x2x2"), "tensor<1x2x2x2xui8>"),
            "dequantize pool quantize");
  EXPECT_EQ(move("%y = nn.quantize %0, %t, %z : tensor<1x4x4x2xf32>, tensor<f32>, tensor<ui8>", "tensor<1x4x4x2xui8>"),
            "dequantize quantize");
  EXPECT_EQ(move("%1 = nn.dequantize %w, %t, %z : tensor<1x4x4x2xui8>, tensor<f32>, tensor<ui8>\n"
                 "%2 = nn.concat %0, %1 {axis = 3} : tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>\n" +
                     quantized("%2", "1x4x4x4"),
                 "tensor<1x4x4x4xui8>"),
            "dequantize dequantize concat quantize");
}

// The reals are moved anyway for another reader.
TEST(MovedCodes, OthersReadTheReals) {
  EXPECT_EQ(move("%1 = nn.reshape %0 : tensor<1x4x4x2xf32> to tensor<32xf32>\n"
                 "%2 = nn.quantize %1, %s, %z : tensor<32xf32>, tensor<f32>, tensor<ui8>\n"
                 "%3 = nn.cast %2 : tensor<32xui8> to tensor<32xf32>\n"
                 "%y = nn.binary add %1, %3 : tensor<32xf32>, tensor<32xf32>",
                 "tensor<32xf32>"),
            "dequantize reshape quantize cast binary");
}

} // namespace
