// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether two engines have computed the same.
// Why: they add in different orders, so that bytes may differ; a kernel that a driver has broken differs by far more.
// How: differences are measured against the largest number expected: what sums of that size lose is no fault.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_AGREEMENT_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_AGREEMENT_H

#include "runtime/include/nacre/model_format.h"

namespace nacre::runtime::gpu {

/// Of floats, relative to the largest of the tensor: with 32 bits throughout, and where 16 are involved.
constexpr double kTolerance = 1e-3;
constexpr double kTolerance16 = 2e-2;

/// Whether `bytes` of elements agree. Whole numbers must be the same, but for 8 bits, which may have been rounded to
/// either side. What is expected to be infinite or no number may be anything.
bool agree(const void *actual, const void *expected, uint64_t bytes, uint32_t element_type, double tolerance);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_AGREEMENT_H
