// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a contraction finds its right operand stored.

#include "codegen/form/PlainContraction.h"

#include "dialects/plan/Notes.h"
#include "dialects/plan/PlanDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;

namespace {

/// 4 x 6 by 6 x 20. The right operand has the type `element`, and the body extends it if it is not f32.
std::string productWith(const std::string &element, const std::string &attributes = "") {
  const std::string right = "tensor<6x20x" + element + ">";
  const std::string wide = element == "f32" ? "" : "    %e = arith.extf %b : " + element + " to f32\n";
  return "plan.kernel @kernel contraction (%x: tensor<4x6xf32>, %w: " + right +
         ") into (%y: tensor<4x20xf32>) cut 0 : 4 by 1" + attributes +
         " {\n"
         "  %zero = arith.constant 0.0 : f32\n"
         "  %init = linalg.fill ins(%zero : f32) outs(%y : tensor<4x20xf32>) -> tensor<4x20xf32>\n"
         "  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, "
         "affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]} "
         "ins(%x, %w : tensor<4x6xf32>, " +
         right +
         ") outs(%init : tensor<4x20xf32>) {\n"
         "  ^bb0(%a: f32, %b: " +
         element + ", %c: f32):\n" + wide + "    %m = arith.mulf %a, " + (wide.empty() ? "%b" : "%e") +
         " : f32\n"
         "    %s = arith.addf %c, %m : f32\n"
         "    linalg.yield %s : f32\n"
         "  } -> tensor<4x20xf32>\n"
         "  plan.yield %r : tensor<4x20xf32>\n}\n";
}

class RightDecodeTest : public ::testing::Test {
protected:
  RightDecodeTest() {
    context.loadDialect<plan::PlanDialect, arith::ArithDialect, linalg::LinalgDialect, tensor::TensorDialect>();
  }

  plan::KernelOp parse(const std::string &text) {
    module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    return *module->getOps<plan::KernelOp>().begin();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

} // namespace

TEST_F(RightDecodeTest, AnOperandOfTheSumsTypeIsNotDecoded) {
  FailureOr<PlainContraction> plain = readContraction(parse(productWith("f32")));
  ASSERT_TRUE(succeeded(plain));
  EXPECT_FALSE(plain->right);
  EXPECT_TRUE(plain->rightType().isF32());
}

TEST_F(RightDecodeTest, TheKernelsNoteSaysHowItIsStored) {
  plan::KernelOp kernel = parse(productWith("bf16"));
  plan::setRightDecode(kernel, {1, BFloat16Type::get(&context)});
  EXPECT_TRUE(kernel->hasAttr(plan::kRightDecode));
  FailureOr<PlainContraction> plain = readContraction(kernel);
  ASSERT_TRUE(succeeded(plain));
  ASSERT_TRUE(plain->right);
  EXPECT_TRUE(plain->right->stored.isBF16());
}

/// Models have halves of their own, of which no phase made a note.
TEST_F(RightDecodeTest, WithoutANoteTheElementTypeDoes) {
  for (const char *element : {"f16", "bf16"}) {
    FailureOr<PlainContraction> plain = readContraction(parse(productWith(element)));
    ASSERT_TRUE(succeeded(plain));
    ASSERT_TRUE(plain->right);
    EXPECT_TRUE(plain->right->stored == plain->operands[Contraction::Rhs].elementType) << element;
  }
}

TEST_F(RightDecodeTest, ANoteOfAnotherArgumentDoesNotCount) {
  plan::KernelOp kernel = parse(productWith("f32"));
  plan::setRightDecode(kernel, {0, Float16Type::get(&context)});
  FailureOr<PlainContraction> plain = readContraction(kernel);
  ASSERT_TRUE(succeeded(plain));
  EXPECT_FALSE(plain->right);
}

/// The form in panels describes the same elements in memory.
TEST_F(RightDecodeTest, PanelsAreStoredInTheSameWay) {
  FailureOr<PlainContraction> plain = readContraction(parse(productWith("f16")));
  ASSERT_TRUE(succeeded(plain));
  FailureOr<MatrixProduct> product = inPanels(*plain, 16);
  ASSERT_TRUE(succeeded(product));
  ASSERT_TRUE(product->right);
  EXPECT_TRUE(product->rightType().isF16());
}
