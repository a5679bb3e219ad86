// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the kind of contraction of a kernel, also in another encoding of its weight.
// Why:   encodings are chosen by these answers, and emitters address by them.
// How:   reads small kernels and asks the forms. The kernels do not change.

#include "codegen/form/PlainContraction.h"

#include "dialects/plan/Notes.h"
#include "dialects/plan/PlanDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;

namespace {

/// Shapes as `4x8`; the indexing maps' loops, the parallel ones first, and their results.
struct KernelText {
  std::string x, w, y;
  std::string loops, ofX, ofW, ofY;
  unsigned parallel = 2, reducing = 1;
  std::string cut = "cut 0 : 4 by 1";
  std::string attributes = "";
  std::string unread = "", ofUnread = ""; ///< Operand that gives the lengths of loops, if one must.

  std::string text() const {
    std::string iterators;
    for (unsigned loop = 0; loop < parallel + reducing; ++loop)
      iterators += std::string(loop ? ", " : "") + (loop < parallel ? "\"parallel\"" : "\"reduction\"");
    auto map = [&](const std::string &results) { return "affine_map<(" + loops + ") -> (" + results + ")>"; };
    auto tensor = [](const std::string &shape) { return "tensor<" + shape + "xf32>"; };
    const bool hasUnread = !unread.empty();
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "plan.kernel @kernel contraction (%x: " << tensor(x) << ", %w: " << tensor(w) << ") into (%y: " << tensor(y)
       << ") " << cut << attributes << " {\n"
       << "  %zero = arith.constant 0.0 : f32\n"
       << "  %init = linalg.fill ins(%zero : f32) outs(%y : " << tensor(y) << ") -> " << tensor(y) << "\n";
    if (hasUnread)
      os << "  %u = tensor.empty() : " << tensor(unread) << "\n";
    os << "  %r = linalg.generic {indexing_maps = [" << map(ofX) << ", " << map(ofW) << ", "
       << (hasUnread ? map(ofUnread) + ", " : "") << map(ofY) << "], iterator_types = [" << iterators << "]} ins(%x, %w"
       << (hasUnread ? ", %u" : "") << " : " << tensor(x) << ", " << tensor(w)
       << (hasUnread ? ", " + tensor(unread) : "") << ") outs(%init : " << tensor(y) << ") {\n"
       << "  ^bb0(%a: f32, %b: f32" << (hasUnread ? ", %d: f32" : "") << ", %c: f32):\n"
       << "    %m = arith.mulf %a, %b : f32\n"
       << "    %s = arith.addf %c, %m : f32\n"
       << "    linalg.yield %s : f32\n"
       << "  } -> " << tensor(y) << "\n"
       << "  plan.yield %r : " << tensor(y) << "\n}\n";
    return text;
  }
};

KernelText matmul() { return {"4x6", "6x20", "4x20", "m, n, k", "m, k", "k, n", "m, n"}; }

/// A convolution of 9 x 10 pixels, 5 channels to 12.
KernelText convolution(const std::string &across = "q + j") {
  return {"1x11x12x5",  "3x3x5x12", "1x9x10x12", "n, p, q, o, i, j, c", "n, p + i, " + across + ", c", "i, j, c, o",
          "n, p, q, o", 4,          3,           "cut 1 : 9 by 1"};
}

/// Two groups of 3 channels to 5.
KernelText grouped() {
  KernelText kernel = {"4x6", "3x10", "4x10", "m, g, n, k", "m, g * 3 + k", "k, g * 5 + n", "m, g * 5 + n", 3};
  kernel.unread = "2x5";
  kernel.ofUnread = "g, n";
  return kernel;
}

KernelText depthwise() {
  return {"1x6x7x8",    "3x3x8", "1x4x5x8", "n, p, q, c, i, j", "n, p + i, q + j, c", "i, j, c",
          "n, p, q, c", 4,       2,         "cut 1 : 4 by 1"};
}

/// The same with encodings of its inputs.
KernelText encoded(KernelText kernel, const std::string &encodings) {
  kernel.attributes = " attributes {encodings = [" + encodings + "]}";
  return kernel;
}

class ContractionFormTest : public testing::Test {
protected:
  ContractionFormTest() {
    context.loadDialect<plan::PlanDialect, arith::ArithDialect, linalg::LinalgDialect, tensor::TensorDialect>();
  }

  plan::KernelOp kernelOf(const KernelText &kernel) {
    module = parseSourceString<ModuleOp>(kernel.text(), ParserConfig(&context));
    EXPECT_TRUE(module);
    return *module->getOps<plan::KernelOp>().begin();
  }
  PlainContraction read(const KernelText &kernel) { return *readContraction(kernelOf(kernel)); }

  /// A product of 4x6 bytes, or other integers, by 6x20, whose body extends its operands by `a` and by `b`.
  FailureOr<PlainContraction> readIntegers(const std::string &a, const std::string &b, const std::string &factor = "i8",
                                           const std::string &start = "0") {
    const std::string text =
        "plan.kernel @kernel contraction (%x: tensor<4x6x" + factor + ">, %w: tensor<6x20x" + factor +
        ">) into (%y: tensor<4x20xi32>) cut 0 : 4 by 1 {\n"
        "  %start = arith.constant " +
        start +
        " : i32\n"
        "  %init = linalg.fill ins(%start : i32) outs(%y : tensor<4x20xi32>) -> tensor<4x20xi32>\n"
        "  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, "
        "affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]} "
        "ins(%x, %w : tensor<4x6x" +
        factor + ">, tensor<6x20x" + factor +
        ">) outs(%init : tensor<4x20xi32>) {\n"
        "  ^bb0(%a: " +
        factor + ", %b: " + factor +
        ", %c: i32):\n"
        "    %l = arith." +
        a + " %a : " + factor +
        " to i32\n"
        "    %r = arith." +
        b + " %b : " + factor +
        " to i32\n"
        "    %m = arith.muli %l, %r : i32\n"
        "    %s = arith.addi %c, %m : i32\n"
        "    linalg.yield %s : i32\n"
        "  } -> tensor<4x20xi32>\n"
        "  plan.yield %r : tensor<4x20xi32>\n}\n";
    module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    EXPECT_TRUE(module);
    return readContraction(*module->getOps<plan::KernelOp>().begin());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

} // namespace

TEST_F(ContractionFormTest, EachKindIsAnAlternative) {
  auto kindOf = [&](const KernelText &kernel) { return parseContraction(kernelOf(kernel))->index(); };
  EXPECT_EQ(kindOf(matmul()), ContractionForm(MatrixProduct()).index());
  EXPECT_EQ(kindOf(grouped()), ContractionForm(MatrixProduct()).index());
  EXPECT_EQ(kindOf(depthwise()), ContractionForm(DepthwiseConvolution()).index());
}

TEST_F(ContractionFormTest, PanelsAreWhatTheKernelWouldSay) {
  const PlainContraction plain = read(matmul());
  EXPECT_FALSE(asProduct(plain).panels);
  EXPECT_EQ(asProduct(plain).depth.front().strides[Contraction::Rhs], 20);
  FailureOr<MatrixProduct> asked = inPanels(plain, 8);
  ASSERT_TRUE(succeeded(asked));
  const ContractionForm form = *parseContraction(kernelOf(encoded(matmul(), "unit, #plan.encoding<panel, width = 8>")));
  for (const MatrixProduct *product :
       {static_cast<const MatrixProduct *>(&*asked), std::get_if<MatrixProduct>(&form)}) {
    ASSERT_TRUE(product->panels);
    EXPECT_EQ(product->panels->width, 8);
    EXPECT_EQ(product->panels->stride, 6 * 8);
    EXPECT_EQ(product->depth.front().strides[Contraction::Rhs], 8);
    EXPECT_EQ(product->depth.front().strides[Contraction::Lhs], 1);
    EXPECT_EQ(product->columns.strides[Contraction::Rhs], 0) << "by the panel";
    EXPECT_EQ(product->columns.strides[Contraction::Result], 1);
  }
}

/// An encoded operand has the columns, also where the other one could.
TEST_F(ContractionFormTest, WhatIsEncodedIsRhs) {
  const KernelText kernel = {"6x4", "6x1", "4x1", "m, n, k", "k, m", "k, n", "m, n"};
  EXPECT_EQ(read(kernel).operands[Contraction::Rhs].argument, 1u);
  EXPECT_EQ(read(encoded(kernel, "#plan.encoding<panel, width = 4>, unit")).operands[Contraction::Rhs].argument, 0u);
}

TEST_F(ContractionFormTest, GroupsBeginWithPanelsOfTheirOwn) {
  const PlainContraction plain = read(grouped());
  FailureOr<MatrixProduct> product = inPanels(plain, 4);
  ASSERT_TRUE(succeeded(product));
  ASSERT_EQ(product->outer.size(), 1u);
  EXPECT_EQ(product->outer.front().strides[Contraction::Rhs], 2 * product->panels->stride);
  EXPECT_EQ(product->outer.front().strides[Contraction::Lhs], 3);
  EXPECT_EQ(asProduct(plain).outer.front().strides[Contraction::Rhs], 5);
}

TEST_F(ContractionFormTest, AWeightThatIsReadTransposedHasNoPanels) {
  const PlainContraction plain = read({"4x6", "20x6", "4x20", "m, n, k", "m, k", "n, k", "m, n"});
  EXPECT_TRUE(failed(inPanels(plain, 8)));
  EXPECT_EQ(asProduct(plain).columns.strides[Contraction::Rhs], 6);
}

TEST_F(ContractionFormTest, WinogradHasLoopsOfItsOwn) {
  FailureOr<WinogradConvolution> winograd = byWinograd(read(convolution()), 4, 8);
  ASSERT_TRUE(succeeded(winograd));
  EXPECT_EQ(winograd->down.size, 9);
  EXPECT_EQ(winograd->across.size, 10);
  EXPECT_EQ(winograd->channels.size, 5);
  EXPECT_EQ(winograd->columns.size, 12);
  EXPECT_EQ(winograd->panels.stride, 9 * 5 * 8);
  EXPECT_FALSE(winograd->cutAmongImages);
  EXPECT_EQ(winograd->multiplyAdds(), asProduct(read(convolution())).multiplyAdds());
}

TEST_F(ContractionFormTest, WinogradHasGroupsOfChannelsAndColumns) {
  KernelText kernel = {"1x11x12x10",
                       "3x3x5x24",
                       "1x9x10x24",
                       "n, p, q, g, o, i, j, c",
                       "n, p + i, q + j, g * 5 + c",
                       "i, j, c, g * 12 + o",
                       "n, p, q, g * 12 + o",
                       5,
                       3,
                       "cut 1 : 9 by 1"};
  kernel.unread = "2x12";
  kernel.ofUnread = "g, o";
  const PlainContraction plain = read(kernel);
  FailureOr<WinogradConvolution> winograd = byWinograd(plain, 4, 8);
  ASSERT_TRUE(succeeded(winograd));
  EXPECT_EQ(winograd->groups.size, 2);
  EXPECT_EQ(winograd->groups.strides[Contraction::Lhs], 5);
  EXPECT_EQ(winograd->groups.strides[Contraction::Result], 12);
  EXPECT_EQ(winograd->channels.size, 5);
  EXPECT_EQ(winograd->columns.size, 12);
  EXPECT_EQ(winograd->multiplyAdds(), asProduct(plain).multiplyAdds());
  EXPECT_EQ(byWinograd(read(convolution()), 4, 8)->groups.size, 1);
}

/// The weight knows nothing of it: who does not ask for the note finds a product.
TEST_F(ContractionFormTest, TheNoteSaysWhatGoesByWinograd) {
  const KernelText inPanels = encoded(convolution(), "unit, #plan.encoding<panel, width = 8>");
  EXPECT_TRUE(failed(parseWinograd(kernelOf(inPanels))));
  plan::KernelOp kernel = kernelOf(inPanels);
  plan::setWinograd(kernel, {4, 2, 1});
  FailureOr<WinogradConvolution> winograd = parseWinograd(kernel);
  ASSERT_TRUE(succeeded(winograd));
  EXPECT_EQ(winograd->method.outputs, 4);
  EXPECT_EQ(winograd->method.taps, 3);
  EXPECT_EQ(winograd->panels.width, 8);
  EXPECT_TRUE(std::holds_alternative<MatrixProduct>(*parseContraction(kernel)));
  plan::KernelOp plain = kernelOf(convolution());
  plan::setWinograd(plain, {4, 2, 1});
  EXPECT_TRUE(failed(parseWinograd(plain))) << "of a filter that is not in panels";
}

TEST_F(ContractionFormTest, WinogradIsForThreeByThreeOfStrideOne) {
  EXPECT_TRUE(failed(byWinograd(read(matmul()), 2, 8)));
  EXPECT_TRUE(failed(byWinograd(read(depthwise()), 2, 8)));
  KernelText strided = convolution("q * 2 + j");
  strided.x = "1x11x21x5";
  EXPECT_TRUE(failed(byWinograd(read(strided), 2, 8)));
  KernelText wide = convolution();
  wide.x = "1x11x14x5";
  wide.w = "3x5x5x12";
  EXPECT_TRUE(failed(byWinograd(read(wide), 2, 8)));
  KernelText cutAcross = convolution();
  cutAcross.cut = "cut 2 : 10 by 1";
  EXPECT_TRUE(failed(byWinograd(read(cutAcross), 2, 8)));
}

TEST_F(ContractionFormTest, DepthwiseColumnsMoveAllOperands) {
  const PlainContraction plain = read(depthwise());
  ASSERT_TRUE(plain.depthwise);
  EXPECT_TRUE(failed(inPanels(plain, 8)));
  const DepthwiseConvolution convolution = asDepthwise(plain);
  for (unsigned operand : {Contraction::Lhs, Contraction::Rhs, Contraction::Result})
    EXPECT_EQ(convolution.columns.strides[operand], 1);
  EXPECT_EQ(convolution.depthSize(), 9);
}

TEST_F(ContractionFormTest, IntegersHaveTheSignsOfTheirExtensions) {
  for (auto [a, b] : {std::pair("extui", "extsi"), std::pair("extsi", "extsi"), std::pair("extsi", "extui")}) {
    FailureOr<PlainContraction> plain = readIntegers(a, b);
    ASSERT_TRUE(succeeded(plain)) << a << ", " << b;
    EXPECT_TRUE(plain->isOfIntegers());
    EXPECT_EQ(plain->isUnsignedLhs, StringRef(a) == "extui");
    EXPECT_EQ(plain->isUnsignedRhs, StringRef(b) == "extui");
    EXPECT_EQ(asProduct(*plain).depthSize(), 6);
  }
  EXPECT_TRUE(succeeded(readIntegers("extsi", "extsi", "i16")));
  EXPECT_FALSE(read(matmul()).isOfIntegers());
}

TEST_F(ContractionFormTest, IntegersAreAddedUpFromZero) {
  EXPECT_TRUE(failed(readIntegers("extsi", "extsi", "i8", "1")));
  EXPECT_TRUE(failed(readIntegers("extsi", "extsi", "i4"))) << "no engine multiplies these";
}
