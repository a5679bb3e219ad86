// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the results of the two engines.
// Why: they add in different orders, so bytes may differ. A kernel that a driver has broken differs much more.
// How: differences are relative to the largest expected value, because sums of that size lose as much by rounding.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_AGREEMENT_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_AGREEMENT_H

#include "runtime/include/nacre/model_format.h"

namespace nacre::runtime::gpu {

/// Tolerances of floats, relative to the tensor's largest value: with 32 bits throughout, and with 16 bits involved.
constexpr double kTolerance = 1e-3;
constexpr double kTolerance16 = 2e-2;

/// True if `bytes` bytes of elements agree. Integers must be equal, except that 8-bit ones may differ by one rounding.
/// If an expected value is infinite or NaN, any value is accepted.
bool agree(const void *actual, const void *expected, uint64_t bytes, uint32_t element_type, double tolerance);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_TRIALS_AGREEMENT_H
