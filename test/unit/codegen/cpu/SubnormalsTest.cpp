// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  softmax and attention meet no subnormal number, whatever a mask adds to their scores.
// Why:   on some CPUs an operation on one takes a hundred times as long as on another number: a model whose input is
//        mostly masked would be slower for it.
// How:   kernels run on each instruction set; x86 says what its operations met.

#include "test/unit/codegen/AttentionTexts.h"
#include "test/unit/codegen/cpu/CompiledKernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <cfloat>
#include <cmath>
#include <limits>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace nacre::codegen::test {
namespace {

/// A kernel of one row of so many numbers.
std::string softmax(int64_t count) {
  return llvm::formatv(R"(
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
plan.kernel @kernel row (%x: tensor<1x{0}xf32>) into (%y: tensor<1x{0}xf32>) cut 0 : 1 by 1 {{
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>
  %max = linalg.generic {{indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<1x{0}xf32>) outs(%f : tensor<1xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<1xf32>
  %p = tensor.empty() : tensor<1x{0}xf32>
  %powers = linalg.generic {{indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<1x{0}xf32>, tensor<1xf32>) outs(%p : tensor<1x{0}xf32>) {{
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.subf %a, %c : f32
    %v = math.exp %s : f32
    linalg.yield %v : f32
  } -> tensor<1x{0}xf32>
  %g = linalg.fill ins(%zero : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>
  %sum = linalg.generic {{indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%powers : tensor<1x{0}xf32>) outs(%g : tensor<1xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %m = arith.addf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<1xf32>
  %r = linalg.generic {{indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%powers, %sum : tensor<1x{0}xf32>, tensor<1xf32>) outs(%y : tensor<1x{0}xf32>) {{
  ^bb0(%a: f32, %c: f32, %o: f32):
    %v = arith.divf %a, %c : f32
    linalg.yield %v : f32
  } -> tensor<1x{0}xf32>
  plan.yield %r : tensor<1x{0}xf32>
})",
                       count);
}

/// Numbers that masks add to scores, where they leave the range of normal ones, and a few scores as large as the
/// largest.
std::vector<float> maskedScores(int64_t count) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float masked[] = {-1e4f, -infinity, -FLT_MAX, -1e9f, -104};
  std::vector<float> scores;
  for (int64_t i = 0; i < count; ++i)
    scores.push_back(i % 8 == 0  ? 0
                     : i % 8 < 4 ? masked[i / 8 % std::size(masked)]
                                 : -90 + 20 * float(i) / float(count));
  return scores;
}

/// Runs `text`, and fails where an operation meets a subnormal number or makes one.
void run(const std::string &text, const std::string &cpu, std::vector<std::vector<float>> &operands) {
  mlir::MLIRContext context;
  context.loadDialect<plan::PlanDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context));
  ASSERT_TRUE(module) << text;
  auto kernel = *module->getOps<plan::KernelOp>().begin();
  const CompiledKernel compiled(kernel, cpu);
  ASSERT_TRUE(bool(compiled));
  ASSERT_FALSE(compiled.code.fallback);
  std::vector<void *> buffers;
  for (std::vector<float> &operand : operands)
    buffers.push_back(operand.data());
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() & ~unsigned(_MM_EXCEPT_MASK));
  compiled.run(buffers, 0, kernel.getCutExtent());
  EXPECT_EQ(_mm_getcsr() & (_MM_EXCEPT_DENORM | _MM_EXCEPT_UNDERFLOW), 0u);
#else
  compiled.run(buffers, 0, kernel.getCutExtent());
#endif
}

/// `shares` of `scores`, whose largest is 0: as they should be, and none subnormal.
void check(llvm::ArrayRef<float> scores, llvm::ArrayRef<float> shares) {
  double sum = 0;
  for (float score : scores)
    sum += std::exp(double(score));
  for (auto [score, share] : llvm::zip_equal(scores, shares)) {
    const double expected = std::exp(double(score)) / sum;
    EXPECT_NE(std::fpclassify(share), FP_SUBNORMAL) << "of " << score;
    if (expected > double(FLT_MIN) * double(scores.size())) {
      EXPECT_NEAR(share / expected, 1, 1e-5) << "of " << score;
    } else {
      EXPECT_LE(share, FLT_MIN * float(scores.size())) << "of " << score;
    }
  }
}

TEST(Subnormals, AreNotInSoftmax) {
  constexpr int64_t count = 4099;
  for (const std::string &cpu : instructionSets()) {
    SCOPED_TRACE(cpu);
    std::vector<std::vector<float>> operands = {maskedScores(count), std::vector<float>(count, -1)};
    run(softmax(count), cpu, operands);
    check(operands[0], operands[1]);
  }
}

/// Values are rows of a unit matrix: what attention computes is its shares.
TEST(Subnormals, AreNotInAttention) {
  constexpr int64_t rows = 5, keys = 203;
  const std::vector<float> scores = maskedScores(keys);
  std::vector<float> unit(keys * keys);
  for (int64_t key = 0; key < keys; ++key)
    unit[key * keys + key] = 1;
  for (const std::string &cpu : instructionSets()) {
    SCOPED_TRACE(cpu);
    std::vector<std::vector<float>> operands = {std::vector<float>(rows), std::vector<float>(keys), unit, scores,
                                                std::vector<float>(rows * keys, -1)};
    run(AttentionText{1, rows, keys, 1, keys, false, false, /*masked=*/true}.text(), cpu, operands);
    for (int64_t row = 0; row < rows; ++row)
      check(scores, llvm::ArrayRef(operands.back()).slice(row * keys, keys));
  }
}

} // namespace
} // namespace nacre::codegen::test
