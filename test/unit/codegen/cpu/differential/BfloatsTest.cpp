// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls and convolutions of bf16 in words of two steps, with every instruction set, and as they lie; see
// Differential.h. Sums are f32, and only the result is rounded.

#include "test/unit/codegen/KernelTexts.h"
#include "test/unit/codegen/cpu/Differential.h"

using namespace nacre::codegen;

namespace {

/// Relative error of rounding to bf16, with room for sums that are added up in another order.
constexpr double kTolerance = 0x1p-8 + 1e-5;

class CpuBfloats : public test::Differential {
protected:
  /// `text` with words that are as wide as `depth` says; k = 1 for single steps.
  template <typename Text> void checkBoth(Text text, const DepthGroups &depth) {
    text.element = "bf16";
    for (const DepthGroups &groups : {depth, DepthGroups()}) {
      text.depth = groups;
      checkOnAll(text.text(), kTolerance);
      check(text.text(), kTolerance); // this machine's own instructions
    }
  }
};

/// Runs of an even and of an odd number of steps, which end with words that overlap, and one step.
TEST_F(CpuBfloats, EveryDepth) {
  for (int64_t depth : {1, 2, 3, 8, 17, 64, 131})
    checkBoth(MatmulText{13, 40, depth, 0, /*panel=*/32}, {2, depth});
}

TEST_F(CpuBfloats, EveryNumberOfRowsAndColumns) {
  for (int64_t rows : {1, 2, 3, 7, 14, 29})
    for (int64_t columns : {1, 15, 16, 33, 70})
      checkBoth(MatmulText{rows, columns, 24, 0, /*panel=*/columns > 32 ? 64 : 32}, {2, 24});
}

/// Parts of the depth, between which sums are in memory, and shares of the columns.
TEST_F(CpuBfloats, LongDepth) {
  checkBoth(MatmulText{26, 32, 5000, 0, /*panel=*/32}, {2, 5000});
  checkBoth(MatmulText{1, 130, 3001, 0, /*panel=*/64}, {2, 3001});
}

TEST_F(CpuBfloats, Convolutions) {
  auto check = [&](ConvolutionText text, bool residual = false) {
    text.finished(residual);
    const int64_t channels = text.channels / text.groups;
    checkBoth(text, {2, channels % 2 == 0 ? channels : 3 * channels});
  };
  check({{9, 7}, 24, 20, {}, 1, 1, 1, 1, false, /*panel=*/32});
  check({{6, 11}, 16, 32, {}, 1, 1, 2, 1, false, /*panel=*/32}, /*residual=*/true);
  check({{8, 8}, 3, 16, {}, /*stride=*/2, 1, 1, 1, false, /*panel=*/32});
  check({{4, 10}, 32, 64, {}, 1, 1, 1, /*groups=*/2, false, /*panel=*/32});
  check({{10, 10}, 96, 48, {1, 1}, 1, 1, 1, 1, false, /*panel=*/32}, /*residual=*/true);
}

TEST_F(CpuBfloats, Winograd) {
  ConvolutionText text{{9, 11}, 21, 40};
  text.element = "bf16";
  text.panel = 16;
  text.winograd = text.grain = 4;
  checkOnAll(text.text(), kTolerance + 1e-4); // Factors of transforms are up to 8.
}

TEST_F(CpuBfloats, Depthwise) {
  ConvolutionText text{{9, 7}, 20, 20};
  text.element = "bf16";
  text.depthwise = true;
  checkOnAll(text.finished().text(), kTolerance);
}

} // namespace
