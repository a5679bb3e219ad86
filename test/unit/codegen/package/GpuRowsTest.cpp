// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hash that tells the GPU code of models apart.

#include "codegen/package/GpuRows.h"
#include "codegen/Target.h"

#include "gtest/gtest.h"

using namespace nacre;

namespace {

codegen::GpuKernelCode gpuCode(uint32_t word, uint32_t groups = 1) {
  codegen::GpuKernelCode code;
  code.code = {0x07230203, word};
  code.bindings = {0, 1};
  code.groups = groups;
  return code;
}

/// Returns the hash of kernels with these variants.
uint64_t hashOf(std::initializer_list<std::initializer_list<codegen::GpuKernelCode>> all) {
  std::vector<package::CompiledKernel> kernels;
  for (const auto &variants : all) {
    kernels.emplace_back();
    for (const codegen::GpuKernelCode &variant : variants)
      kernels.back().gpu.variants.push_back(variant);
  }
  return package::hashOfGpuCode(kernels);
}

// What is kept of a model on a device must not be taken for another's.
TEST(GpuRows, TheHashTellsGpuCodeApart) {
  const uint64_t hash = hashOf({{gpuCode(1), gpuCode(2)}, {gpuCode(3)}});
  EXPECT_EQ(hash, hashOf({{gpuCode(1), gpuCode(2)}, {gpuCode(3)}}));
  EXPECT_NE(hash, hashOf({{gpuCode(1), gpuCode(2)}, {gpuCode(4)}})) << "a word";
  EXPECT_NE(hash, hashOf({{gpuCode(2), gpuCode(1)}, {gpuCode(3)}})) << "the order";
  EXPECT_NE(hash, hashOf({{gpuCode(1)}, {gpuCode(2), gpuCode(3)}})) << "the kernel";
  EXPECT_NE(hash, hashOf({{gpuCode(1), gpuCode(2)}, {gpuCode(3, 2)}})) << "how it is launched";
  EXPECT_EQ(hashOf({{}, {}}), 0u);
}

} // namespace
