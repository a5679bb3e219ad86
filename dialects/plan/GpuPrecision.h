// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the precision in which a GPU computes, and its word in options.
// Why:   the driver, placement and code generation share this choice.

#ifndef NACRE_DIALECTS_PLAN_GPUPRECISION_H
#define NACRE_DIALECTS_PLAN_GPUPRECISION_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace nacre {

/// Precision of GPU kernels. F16: values between inputs and outputs are stored as f16. Contractions multiply f16 values
/// and add them up in f32.
enum class GpuPrecision { F32, F16 };

inline llvm::StringRef gpuPrecisionWord(GpuPrecision precision) {
  return precision == GpuPrecision::F16 ? "fp16" : "fp32";
}

/// Returns the precision that `word` names; `nullopt` if the word is unknown.
inline std::optional<GpuPrecision> parseGpuPrecision(llvm::StringRef word) {
  for (GpuPrecision precision : {GpuPrecision::F32, GpuPrecision::F16})
    if (word == gpuPrecisionWord(precision))
      return precision;
  return std::nullopt;
}

} // namespace nacre

#endif // NACRE_DIALECTS_PLAN_GPUPRECISION_H
