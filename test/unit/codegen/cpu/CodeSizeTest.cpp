// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how much code a kernel becomes.
// Why:   what is unrolled is written once for every region, block, tail and row: libraries and compile times would grow
//        with the product of them.

#include "test/unit/codegen/PoolTexts.h"
#include "test/unit/codegen/cpu/Differential.h"

using namespace nacre;
using namespace nacre::codegen;

namespace {

class CodeSize : public test::Differential {
protected:
  /// Bytes of the object that `text`, one kernel, becomes for `cpu` of `target`.
  size_t bytesOf(const std::string &text, const char *target, const char *cpu) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&parsed));
    auto targets = parseTargets(target, cpu);
    if (!module || !targets) {
      ADD_FAILURE() << text;
      llvm::consumeError(targets.takeError());
      return 0;
    }
    auto kernel = *module->getOps<plan::KernelOp>().begin();
    llvm::FailureOr<KernelCode> code = compileKernel(kernel, targets->front(), Emit::Object, "kernel");
    EXPECT_TRUE(succeeded(code) && !code->fallback) << text;
    return succeeded(code) ? code->object.size() : 0;
  }

  void expectAtMost(size_t kibibytes, const std::string &text) {
    for (auto [target, cpu] : {std::pair("linux-x86_64", "x86-64-v3"), {"linux-arm64", ""}})
      EXPECT_LE(bytesOf(text, target, cpu), kibibytes << 10) << target << " " << cpu << text;
  }

private:
  mlir::MLIRContext parsed{[] {
    mlir::DialectRegistry registry;
    registry.insert<plan::PlanDialect>();
    return registry;
  }()};
};

TEST_F(CodeSize, PoolsOverVolumes) {
  expectAtMost(56, PoolText{{16, 16, 16}, 64, /*window=*/4, /*stride=*/2}.text());
  expectAtMost(56, PoolText{{20, 20, 20}, 5}.text());
}

TEST_F(CodeSize, PoolsOfLargeWindows) { expectAtMost(56, PoolText{{19, 19}, 37, /*window=*/7, 1, /*pad=*/3}.text()); }

/// A tile of a window of 31 by 31 would be 15,000 products.
TEST_F(CodeSize, DepthwiseWindows) {
  ConvolutionText convolution{{32, 32}, 40, 40};
  convolution.depthwise = true;
  convolution.window = {31, 31};
  expectAtMost(160, convolution.text());
}

/// A kernel with a bound of its code computes the same.
TEST_F(CodeSize, BoundedPoolsAreRight) {
  checkOnAll(PoolText{{6, 5, 7}, 11}.text());
  checkOnAll(PoolText{{7, 8, 6}, 16, /*window=*/4, /*stride=*/2}.text());
  checkOnAll(PoolText{{9, 9}, 13, /*window=*/5, 1, /*pad=*/2}.text());
  ConvolutionText convolution{{2, 3}, 5, 5};
  convolution.depthwise = true;
  convolution.window = {33, 32}; // more taps than are written one by one
  checkOnAll(convolution.text());
  convolution.window = {19, 20};
  checkOnAll(convolution.text());
}

} // namespace
