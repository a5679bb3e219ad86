// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the hand-made model with code for GPUs: every kernel has a variant of SPIR-V.
// Why:   the Vulkan engine is tested without the compiler: dependent launches, a loop, state, a weight, cuts.
// How:   kernels/*.spvasm, assembled when the tests are built.

#ifndef NACRE_TEST_RUNTIME_GPU_VULKAN_GPUTOYMODEL_H
#define NACRE_TEST_RUNTIME_GPU_VULKAN_GPUTOYMODEL_H

#include "test/runtime/ToyModel.h"

#include <vector>

namespace nacre::test {

struct GpuToyModel : ToyModel {
  /// Compiled as with --place=gpu: the GPU has every launch whole.
  GpuToyModel();

  /// Puts the loop and the copy after it into a branch that is taken if the first number of x is not zero.
  void branchBeforeLoop();

  nacre_gpu_variant gpuVariants[5];
  nacre_gpu_variant addAnywhere; ///< gpuVariants[4] for operands that begin on any element.

private:
  template <size_t Words>
  nacre_gpu_variant variant(const uint32_t (&code)[Words], uint32_t bindings, int64_t unitExtent, uint32_t groups,
                            uint32_t workgroupSize);

  std::vector<std::vector<uint8_t>> packed; ///< The code of the variants.
  nacre_step branching[7];
  nacre_operand conditional[9];
};

} // namespace nacre::test

#endif // NACRE_TEST_RUNTIME_GPU_VULKAN_GPUTOYMODEL_H
