// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the division of kernels that make a left operand, and the parts of each half.
// Why:   a half with a wrong argument, or with rows of another's share, computes something else.

#include "codegen/form/fused/KernelHalves.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "test/unit/codegen/PrologueTexts.h"
#include "test/unit/codegen/SeparableTexts.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;

namespace {

using Arguments = SmallVector<std::optional<unsigned>>;

class KernelHalvesTest : public testing::Test {
protected:
  KernelHalvesTest() {
    context.loadDialect<plan::PlanDialect, arith::ArithDialect, linalg::LinalgDialect, math::MathDialect,
                        tensor::TensorDialect>();
  }

  FailureOr<KernelHalves> divide(const std::string &text) {
    module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    EXPECT_TRUE(module);
    auto kernel = *module->getOps<plan::KernelOp>().begin();
    FailureOr<KernelHalves> halves = divideKernel(kernel);
    EXPECT_EQ(succeeded(halves), hasHalves(kernel));
    return halves;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(KernelHalvesTest, SeparableConvolution) {
  SeparableText text{6, 5, 24, 40};
  text.encoding = "#plan.encoding<panel, width = 16>";
  FailureOr<KernelHalves> halves = divide(text.text());
  ASSERT_TRUE(succeeded(halves));
  EXPECT_EQ(halves->first.kernel.getKind(), plan::KernelKind::Contraction);
  EXPECT_EQ(halves->first.arguments, (Arguments{0, 1, 2, std::nullopt}));
  EXPECT_EQ(halves->first.kernel.getCutAxis(), 1);
  EXPECT_EQ(halves->first.kernel.getCutExtent(), 6);
  EXPECT_EQ(halves->second.arguments, (Arguments{3, 4, 5, std::nullopt, 6}));
  EXPECT_EQ(halves->second.kernel.getNumInputs(), 4);
  EXPECT_TRUE(halves->second.kernel.getEncoding(0));
  EXPECT_FALSE(halves->second.kernel.getEncoding(3));
  EXPECT_EQ(halves->between.getShape(), ArrayRef<int64_t>({1, 6, 5, 24}));
  EXPECT_EQ(halves->cutFactor, 1);
}

/// Every share of the columns needs all rows.
TEST_F(KernelHalvesTest, CutAlongColumns) {
  SeparableText text{1, 1, 20, 36};
  text.cut = 3;
  FailureOr<KernelHalves> halves = divide(text.text());
  ASSERT_TRUE(succeeded(halves));
  EXPECT_EQ(halves->cutFactor, 0);
  EXPECT_EQ(halves->first.kernel.getCutExtent(), 1);
  EXPECT_EQ(halves->second.kernel.getCutExtent(), 36);
}

TEST_F(KernelHalvesTest, RowsThatAreASecondResultLieInIt) {
  FailureOr<KernelHalves> halves = divide(PrologueText{9, 21, 67, /*normalized=*/true, /*written=*/true}.text());
  ASSERT_TRUE(succeeded(halves));
  EXPECT_EQ(halves->first.kernel.getKind(), plan::KernelKind::Row);
  EXPECT_EQ(halves->first.arguments, (Arguments{0, 1, 2, 5}));
  EXPECT_EQ(halves->second.arguments, (Arguments{3, 5, 4}));
}

TEST_F(KernelHalvesTest, MapsAreNests) {
  FailureOr<KernelHalves> halves = divide(PrologueText{9, 21, 67}.text());
  ASSERT_TRUE(succeeded(halves));
  EXPECT_EQ(halves->first.kernel.getKind(), plan::KernelKind::Nest);
}

TEST_F(KernelHalvesTest, AnyOtherProductHasNone) { EXPECT_TRUE(failed(divide(MatmulText{4, 20, 8}.text()))); }

} // namespace
