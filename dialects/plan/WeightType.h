// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the type that stores weights of memory-bound launches, and its word in options.
// Why:   the driver, the encode phase and the report share this choice.

#ifndef NACRE_DIALECTS_PLAN_WEIGHTTYPE_H
#define NACRE_DIALECTS_PLAN_WEIGHTTYPE_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace nacre {

/// Type that stores weights. F32: weights keep their type.
enum class WeightType { F32, F16, BF16 };

inline llvm::StringRef weightTypeWord(WeightType type) {
  return type == WeightType::F16 ? "fp16" : type == WeightType::BF16 ? "bf16" : "fp32";
}

/// Returns the type that `word` names; `nullopt` if the word is unknown.
inline std::optional<WeightType> parseWeightType(llvm::StringRef word) {
  for (WeightType type : {WeightType::F32, WeightType::F16, WeightType::BF16})
    if (word == weightTypeWord(type))
      return type;
  return std::nullopt;
}

} // namespace nacre

#endif // NACRE_DIALECTS_PLAN_WEIGHTTYPE_H
