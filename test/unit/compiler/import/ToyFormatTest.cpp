// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A second format: dispatch by content, the walk, inputs, --check, errors, all by the code that reads ONNX's models.

#include "test/unit/compiler/import/ToyFormat.h"

#include "compiler/import/Formats.h"
#include "compiler/import/GraphImporter.h"
#include "compiler/import/onnx/Format.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace nacre::importer;

namespace {

class ToyFormat : public testing::Test {
protected:
  ToyFormat()
      : context(mlir::MLIRContext::Threading::DISABLED), handler(&context, [this](mlir::Diagnostic &diagnostic) {
          if (auto node = llvm::dyn_cast<mlir::NameLoc>(diagnostic.getLocation()))
            said += node.getName().str() + ": ";
          said += diagnostic.str() + "\n";
        }) {}

  mlir::FailureOr<std::unique_ptr<ModelView>> read(llvm::StringRef bytes) {
    const Format *formats[] = {&onnx_format::format, &toy_format::format};
    return readModel({llvm::MemoryBuffer::getMemBufferCopy(bytes), "model", /*folder=*/""}, formats, {}, &context);
  }

  /// Returns the module as text, or the error.
  std::string import(llvm::StringRef bytes) {
    auto model = read(bytes);
    if (failed(model))
      return said;
    mlir::OwningOpRef<mlir::ModuleOp> module = importGraph(**model, options, &context);
    if (!module)
      return said;
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    return text;
  }

  mlir::MLIRContext context;
  std::string said;
  mlir::ScopedDiagnosticHandler handler;
  ImportOptions options;
};

#define EXPECT_SAYS(text, part) EXPECT_NE(std::string(text).find(part), std::string::npos) << (text)

TEST_F(ToyFormat, BecomesNn) {
  std::string text = import("toy\ninput x 2 3\nconstant c 1 2 3\ns = add x c\ny = relu s\noutput y\n");
  EXPECT_SAYS(text, "func.func @main(%arg0: tensor<2x3xf32> {nn.name = \"x\"}) -> (tensor<2x3xf32> {nn.name = \"y\"})");
  EXPECT_SAYS(text, "nn.binary  add %arg0");
  EXPECT_SAYS(text, "nn.unary  relu");
}

// Compositions and folding are the core's: 0.2 * 5 + 0.5 is cut at 1.
TEST_F(ToyFormat, FoldsCompositions) {
  EXPECT_SAYS(import("toy\nconstant c 5\ny = hardsigmoid c\noutput y\n"),
              "nn.constant dense<1.000000e+00> : tensor<1xf32>");
}

TEST_F(ToyFormat, InputsAreSettledByTheCore) {
  EXPECT_SAYS(import("toy\ninput x ? ?\ninput z 2\ny = relu x\noutput y\n"), "x: axis 1 must have a size");
  options.shapes["x"] = {4, 5};
  options.values["z"] = "1,2";
  std::string text = import("toy\ninput x ? ?\ninput z 2\ny = relu x\nw = relu z\noutput y\noutput w\n");
  EXPECT_SAYS(text, "@main(%arg0: tensor<4x5xf32> {nn.name = \"x\"})");
  EXPECT_SAYS(text, "dense<[1.000000e+00, 2.000000e+00]>");
}

TEST_F(ToyFormat, ProblemsAreListedByTheCore) {
  auto model = read("toy\ninput x\na = frobnicate x\nb = relu a\nc = add x\noutput c\n");
  ASSERT_TRUE(succeeded(model));
  CheckResult result;
  checkGraph(**model, options, &context, result);
  EXPECT_EQ(result.nodes, 3u);
  const std::vector<Problem> &problems = result.problems;
  ASSERT_EQ(problems.size(), 2u) << said;
  EXPECT_EQ(problems[0].name, "a");
  EXPECT_SAYS(problems[0].describe(), "unsupported operator 'frobnicate' (version 1)");
  EXPECT_EQ(problems[1].name, "c");
}

TEST_F(ToyFormat, ErrorsAreTheReaders) {
  EXPECT_SAYS(import("toy\ny = relu x\noutput y\n"), "y: reads 'x', which is not defined before");
}

// Each file finds its reader by its content; what is neither is told both.
TEST_F(ToyFormat, FormatsAreToldByContent) {
  EXPECT_SAYS(import("\x3a\x7f"), "truncated or damaged");
  EXPECT_SAYS(import("GGUF"), "must be an ONNX model or a toy model, but seems to be a GGUF file");
}

} // namespace
