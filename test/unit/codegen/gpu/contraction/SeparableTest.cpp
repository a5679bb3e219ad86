// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Separable convolutions of every shape that tiles meet: windows and strides, channels and columns that fill no tile,
// shares.

#include "runtime/include/nacre/model_format.h"
#include "test/unit/codegen/SeparableTexts.h"
#include "test/unit/codegen/gpu/VulkanHarness.h"

using namespace nacre::codegen;

namespace {

class GpuSeparable : public GpuDifferential {};

TEST_F(GpuSeparable, EveryShape) {
  for (const SeparableText &text : separableTexts())
    check(text.text());
}

TEST_F(GpuSeparable, Halves) { check(separableTextOfHalves().text(), 1e-2); }

/// Every variant adds windows up in shared memory; the last one in as much as any device has, and no device of CI has
/// matrices.
TEST_F(GpuSeparable, VariantsFitTheirDevices) {
  SeparableText text{14, 14, 96, 96};
  text.element = "f16";
  const std::vector<GpuKernelCode> variants = variantsOf(text.text());
  ASSERT_GE(variants.size(), 3u);
  EXPECT_TRUE(variants.front().needs & NACRE_GPU_NEED(NACRE_GPU_COOPERATIVE_MATRIX));
  EXPECT_NE(variants.front().families, 0u);
  EXPECT_EQ(variants.back().families, 0u);
  for (int64_t columns : {16, 64, 96, 128, 512}) {
    text.element = "f32";
    text.columns = columns;
    EXPECT_LE(variantsOf(text.text()).back().sharedBytes, 16 << 10) << columns;
  }
}

} // namespace
