// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how exact long sums are.
// Why:   added up one after the other, thousands of numbers of one sign lose what each rounding costs thousands of
//        times.
// How:   all operands hold one number, so that the truth is known in double precision, and roundings err to the same
//        side for long.

#include "test/unit/codegen/KernelTexts.h"
#include "test/unit/codegen/cpu/CompiledKernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "test/unit/codegen/Packed.h"

#include <cmath>

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using nacre::codegen::test::CompiledKernel;

namespace {

class Sums : public testing::Test {
protected:
  Sums() { context.loadDialect<plan::PlanDialect>(); }

  /// The largest relative error of the kernel's results, all of which must be `exact` where all elements of the inputs
  /// are `value`.
  double errorOf(const std::string &text, float value, double exact) {
    auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    EXPECT_TRUE(module) << text;
    if (!module)
      return HUGE_VAL;
    auto kernel = *module->getOps<plan::KernelOp>().begin();
    double worst = 0;
    for (const std::string &cpu : test::instructionSets()) {
      const CompiledKernel compiled(kernel, cpu);
      EXPECT_FALSE(compiled.code.fallback);
      std::vector<std::vector<float>> storages;
      std::vector<void *> buffers;
      for (auto [number, argument] : llvm::enumerate(kernel.getBody().getArguments())) {
        // Packed weights are larger; equal elements lie the same in any order.
        storages.emplace_back(2 * cast<RankedTensorType>(argument.getType()).getNumElements() + 4096, value);
        buffers.push_back(storages.back().data());
      }
      if (compiled)
        compiled.run(buffers, 0, kernel.getCutExtent());
      auto type = cast<RankedTensorType>(kernel.getBody().getArguments().back().getType());
      for (int64_t i = 0; i < type.getNumElements(); ++i)
        worst = std::max(worst, std::abs(storages.back()[i] / exact - 1));
    }
    return worst;
  }

  MLIRContext context;
};

constexpr float kValue = 0.3F;
/// Returns the sum of so many products of kValue.
double productsOf(double terms) { return terms * double(kValue) * double(kValue); }

constexpr double kBound = 8e-6;

TEST_F(Sums, OfDeepProducts) {
  const int64_t depth = 16384;
  // By parts of the depth, by tiles of few rows, by one row, and from panels that are packed on the way.
  for (const MatmulText &matmul :
       {MatmulText{30, 48, depth, 0, /*panel=*/32}, MatmulText{3, 48, depth, 0, /*panel=*/32},
        MatmulText{1, 128, depth, 0, /*panel=*/32, /*cut=*/1}, MatmulText{5, 20, depth}})
    EXPECT_LT(errorOf(matmul.text(), kValue, productsOf(depth)), kBound) << matmul.text();
  // Parts that are no whole blocks.
  EXPECT_LT(errorOf(MatmulText{3, 16, 16381, 0, /*panel=*/16}.text(), kValue, productsOf(16381)), kBound);
}

TEST_F(Sums, OfDeepConvolutions) {
  ConvolutionText convolution{{3, 4}, 2048, 16};
  convolution.panel = 16;
  EXPECT_LT(errorOf(convolution.text(), kValue, productsOf(9 * 2048)), kBound);
  convolution.channels = 2053; // a prime: no equal parts
  EXPECT_LT(errorOf(convolution.text(), kValue, productsOf(9 * 2053)), kBound);
}

TEST_F(Sums, OfChannelsAlone) {
  ConvolutionText line{{6}, 16, 16};
  line.depthwise = true;
  line.window = {16384};
  EXPECT_LT(errorOf(line.text(), kValue, productsOf(16384)), kBound);
}

/// The sum over the axes of `shape` that `reduced` names, by a kernel that is cut along another.
std::string sumText(Sizes shape, std::vector<unsigned> reduced, unsigned cut, const char *kind) {
  Sizes kept;
  std::vector<std::string> axes, results, iterators;
  unsigned cutAxis = 0;
  for (unsigned axis = 0; axis < shape.size(); ++axis) {
    axes.push_back("d" + std::to_string(axis));
    const bool reduces = llvm::is_contained(reduced, axis);
    iterators.push_back(reduces ? "\"reduction\"" : "\"parallel\"");
    if (reduces)
      continue;
    if (axis == cut)
      cutAxis = kept.size();
    kept.push_back(shape[axis]);
    results.push_back(axes.back());
  }
  const std::string all = llvm::join(axes, ", "), x = tensorText(shape, "f32"), y = tensorText(kept, "f32");
  return llvm::formatv(R"(
plan.kernel @kernel {0} (%x: {1}) into (%y: {2}) cut {3} : {4} by 1 {{
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%y : {2}) -> {2}
  %r = linalg.generic {{indexing_maps = [affine_map<({5}) -> ({5})>, affine_map<({5}) -> ({6})>], iterator_types = [{7}]}
      ins(%x : {1}) outs(%f : {2}) {{
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> {2}
  plan.yield %r : {2}
})",
                       kind, x, y, cutAxis, shape[cut], all, llvm::join(results, ", "), llvm::join(iterators, ", "));
}

TEST_F(Sums, OfLongAxes) {
  for (const char *kind : {"nest", "row"}) {
    SCOPED_TRACE(kind);
    // Contiguous, strided, and both with another axis between them.
    EXPECT_LT(errorOf(sumText({2, 1000003}, {1}, 0, kind), kValue, 1000003 * double(kValue)), kBound);
    EXPECT_LT(errorOf(sumText({100003, 20}, {0}, 1, kind), kValue, 100003 * double(kValue)), kBound);
    EXPECT_LT(errorOf(sumText({300, 3, 3001}, {0, 2}, 1, kind), kValue, 300 * 3001 * double(kValue)), kBound);
    EXPECT_LT(errorOf(sumText({3001, 3, 40}, {0, 2}, 1, kind), kValue, 3001 * 40 * double(kValue)), kBound);
  }
}

} // namespace
