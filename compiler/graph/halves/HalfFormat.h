// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A type of 16 bits that stores f32 values, and the numbers that it keeps well enough.

#ifndef NACRE_COMPILER_GRAPH_HALVES_HALFFORMAT_H
#define NACRE_COMPILER_GRAPH_HALVES_HALFFORMAT_H

#include "dialects/nn/FloatFormats.h"
#include "dialects/plan/FloatStorage.h"

#include "llvm/ADT/StringRef.h"
#include <cmath>

namespace nacre::graph {

struct HalfFormat {
  FloatStorage storage;
  nn::FloatFormat format;

  /// Name of the type in messages.
  llvm::StringRef word() const { return floatStorageWord(storage); }
  /// Largest finite value.
  double most() const { return nn::decode(format, format.greatest); }
  /// Smallest normal value. Smaller ones have fewer digits.
  double leastNormal() const { return std::ldexp(1.0, 1 - format.bias); }
  /// Distance of the values from 1 to 2.
  double step() const { return std::ldexp(1.0, -format.mantissaBits); }
  /// Rounds to the nearest value. If `saturates`, larger values become the largest finite one.
  double round(double x, bool saturates) const { return nn::decode(format, nn::encode(format, x, saturates)); }
};

/// f16 has 11 bits of digits, and is 6e-5 to 65504. bf16 has 8 bits, and the range of f32.
inline constexpr HalfFormat kF16 = {FloatStorage::F16, nn::formatF16}, kBF16 = {FloatStorage::BF16, nn::formatBF16};

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_HALVES_HALFFORMAT_H
