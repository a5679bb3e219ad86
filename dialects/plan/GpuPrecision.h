// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the precision that a GPU computes in, and the word that a user says it by.
// Why:   the driver, placement and code generation speak of one choice; it has one type.

#ifndef NACRE_DIALECTS_PLAN_GPUPRECISION_H
#define NACRE_DIALECTS_PLAN_GPUPRECISION_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace nacre {

/// F16: values between inputs and outputs are stored as halves, and contractions multiply those and add f32.
enum class GpuPrecision { F32, F16 };

inline llvm::StringRef gpuPrecisionWord(GpuPrecision precision) {
  return precision == GpuPrecision::F16 ? "fp16" : "fp32";
}

/// Nothing for a word that is none.
inline std::optional<GpuPrecision> parseGpuPrecision(llvm::StringRef word) {
  for (GpuPrecision precision : {GpuPrecision::F32, GpuPrecision::F16})
    if (word == gpuPrecisionWord(precision))
      return precision;
  return std::nullopt;
}

} // namespace nacre

#endif // NACRE_DIALECTS_PLAN_GPUPRECISION_H
