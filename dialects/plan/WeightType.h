// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the type that weights are stored as where reading them takes longer than computing with them, and its word.
// Why:   the driver, the encode phase and the report speak of one choice; it has one type.

#ifndef NACRE_DIALECTS_PLAN_WEIGHTTYPE_H
#define NACRE_DIALECTS_PLAN_WEIGHTTYPE_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace nacre {

/// F32: as they are.
enum class WeightType { F32, F16, BF16 };

inline llvm::StringRef weightTypeWord(WeightType type) {
  return type == WeightType::F16 ? "fp16" : type == WeightType::BF16 ? "bf16" : "fp32";
}

/// Nothing for a word that is none.
inline std::optional<WeightType> parseWeightType(llvm::StringRef word) {
  for (WeightType type : {WeightType::F32, WeightType::F16, WeightType::BF16})
    if (word == weightTypeWord(type))
      return type;
  return std::nullopt;
}

} // namespace nacre

#endif // NACRE_DIALECTS_PLAN_WEIGHTTYPE_H
