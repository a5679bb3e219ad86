// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions by Winograd on GPUs: tiles beyond an image, its channels and its columns, shares that begin within a
// tile; and that only phones and NVIDIA, and only where it may be less exact, get them.

#include "runtime/include/nacre/model_format.h"
#include "test/unit/codegen/KernelTexts.h"
#include "test/unit/codegen/gpu/VulkanHarness.h"

using namespace nacre::codegen;

namespace {

/// Lavapipe takes seconds to compile one: only different code is run.
class GpuWinograd : public GpuDifferential {
protected:
  static GpuOptions optionsOf(int64_t outputs) {
    GpuOptions options;
    options.tile = outputs == 2 ? "winograd:outputs=2,rows=8,columns=8" : "winograd:outputs=4,rows=8,columns=4";
    return options;
  }
  static GpuOptions blockOptions() {
    GpuOptions options;
    options.tile = "winograd-block:outputs=2,rows=8,quads=4,columns=4,lines=4,depth=8";
    return options;
  }
};

TEST_F(GpuWinograd, WholeTiles) {
  ConvolutionText packed{{16, 8}, 16, 16};
  packed.panel = 16;
  check(packed.text(), 2e-5, optionsOf(4));
}

TEST_F(GpuWinograd, BeyondTheImageItsChannelsAndItsColumns) {
  ConvolutionText odd{{9, 11}, 5, 19};
  odd.panel = 8;
  odd.halo = 1;
  odd.finished(/*residual=*/true);
  check(odd.text(), 2e-5, optionsOf(2));
  check(ConvolutionText{{9, 10}, 12, 20}.text(), 2e-5, optionsOf(4));
}

TEST_F(GpuWinograd, SeveralImagesOfHalves) {
  ConvolutionText images{{7, 5}, 8, 20};
  images.batch = 3;
  images.cut = 0;
  images.element = "f16";
  check(images.finished().text(), 1e-2, optionsOf(2));
}

TEST_F(GpuWinograd, WholeBlocks) {
  ConvolutionText packed{{16, 16}, 16, 64};
  packed.panel = 16;
  check(packed.text(), 2e-5, blockOptions());
}

TEST_F(GpuWinograd, BlocksBeyondTheImageAndItsColumns) {
  ConvolutionText odd{{9, 11}, 8, 19};
  odd.panel = 8;
  odd.halo = 1;
  odd.finished(/*residual=*/true);
  check(odd.text(), 2e-5, blockOptions());
}

TEST_F(GpuWinograd, BlocksOfSeveralImages) {
  ConvolutionText images{{6, 4}, 24, 72};
  images.batch = 7;
  images.cut = 0;
  check(images.finished().text(), 2e-5, blockOptions());
}

TEST_F(GpuWinograd, OnlyWhatItMayBeFor) {
  ConvolutionText strided{{8, 8}, 16, 32};
  strided.stride = 2;
  ConvolutionText wide{{8, 8}, 16, 32, {5, 5}};
  ConvolutionText grouped{{8, 8}, 16, 32};
  grouped.groups = 2;
  EXPECT_EQ(variantsOf(ConvolutionText{{8, 8}, 16, 32}.text(), optionsOf(4)).front().workgroupSize, 144u);
  for (const ConvolutionText &other : {strided, wide, grouped})
    EXPECT_NE(variantsOf(other.text(), optionsOf(4)).front().workgroupSize, 144u);
  // A part of a block is eight channels.
  EXPECT_EQ(variantsOf(ConvolutionText{{8, 8}, 16, 32}.text(), blockOptions()).front().workgroupSize, 256u);
  EXPECT_NE(variantsOf(ConvolutionText{{8, 8}, 12, 32}.text(), blockOptions()).front().workgroupSize, 256u);
}

TEST_F(GpuWinograd, PhonesGetItWhereItMayBeLessExact) {
  const uint32_t phones = 1u << NACRE_GPU_ADRENO | 1u << NACRE_GPU_MALI;
  auto familiesOf = [&](bool mayBePhone, nacre::Accuracy accuracy) {
    GpuOptions options;
    options.mayBePhone = mayBePhone;
    options.accuracy = accuracy;
    uint32_t families = 0;
    for (const GpuKernelCode &variant : variantsOf(ConvolutionText{{56, 56}, 64, 64}.text(), options))
      families |= variant.families;
    return families & phones;
  };
  EXPECT_EQ(familiesOf(true, nacre::Accuracy::Fast), phones);
  EXPECT_EQ(familiesOf(true, nacre::Accuracy::Strict), 0u);
  EXPECT_EQ(familiesOf(false, nacre::Accuracy::Fast), 0u);
}

TEST_F(GpuWinograd, NvidiaGetsBlocksWhereTheyMayBeLessExact) {
  ConvolutionText layer{{16, 16}, 64, 128};
  layer.batch = 128;
  layer.cut = 0;
  auto firstOf = [&](nacre::Accuracy accuracy, nacre::GpuPrecision precision) {
    GpuOptions options;
    options.accuracy = accuracy;
    options.precision = precision;
    return variantsOf(layer.text(), options).front();
  };
  const GpuKernelCode block = firstOf(nacre::Accuracy::Fast, nacre::GpuPrecision::F32);
  EXPECT_EQ(block.families, 1u << NACRE_GPU_NVIDIA);
  EXPECT_EQ(block.workgroupSize, 256u);
  EXPECT_NE(firstOf(nacre::Accuracy::Strict, nacre::GpuPrecision::F32).families, 1u << NACRE_GPU_NVIDIA);
  EXPECT_NE(firstOf(nacre::Accuracy::Fast, nacre::GpuPrecision::F16).workgroupSize, 256u);
}

} // namespace
