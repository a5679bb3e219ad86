// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers whose products a CPU may add up in fp16. The graph phase keeps others f32 if only the CPU reads them, and the
// encode phase adds up others in fp32.

#ifndef NACRE_DIALECTS_PLAN_HALFSUMS_H
#define NACRE_DIALECTS_PLAN_HALFSUMS_H

namespace nacre::plan {

/// Limits of a weight's root mean square. Products of other weights are not added up in fp16. The limits leave room for
/// a factor of 16 on both sides. Below 6e-5, f16 has fewer digits, and 256 products of 256 are infinite.
constexpr double kLeastOfHalfSums = 0x1p-10, kMostOfHalfSums = 0x1p+4;

/// True if sums in fp16 can hold products of usual values and a weight with this root mean square. Zeros are exact.
constexpr bool fitsHalfSums(double rootMeanSquare) {
  // The comparisons are also false for NaN.
  return rootMeanSquare == 0 || (rootMeanSquare >= kLeastOfHalfSums && rootMeanSquare <= kMostOfHalfSums);
}

} // namespace nacre::plan

#endif // NACRE_DIALECTS_PLAN_HALFSUMS_H
