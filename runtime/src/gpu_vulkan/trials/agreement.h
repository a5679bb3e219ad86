// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the results of the two engines.
// Why: the engines add in different orders, so their results may differ slightly. A kernel that a driver compiled
//      wrongly differs much more.
// How: differences are compared with the largest expected value, because the rounding error of a sum depends on its
//      largest terms.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_AGREEMENT_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_AGREEMENT_H

#include "runtime/include/nacre/model_format.h"

namespace nacre::runtime::gpu {

/// Tolerances of floats, relative to the tensor's largest value: for kernels with only 32-bit floats, and for kernels
/// with 16-bit floats.
constexpr double kTolerance = 1e-3;
constexpr double kTolerance16 = 2e-2;

/// True if the elements in `bytes` bytes of data agree. Integers must be equal, except that 8-bit integers may differ
/// by 1 because of rounding. If an expected value is infinite or NaN, any actual value is accepted.
bool agree(const void *actual, const void *expected, uint64_t bytes, uint32_t element_type, double tolerance);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_AGREEMENT_H
