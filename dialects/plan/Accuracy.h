// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how much exactness may be given for speed, and the word that a user says it by.
// Why:   the driver and the phases that choose how something is computed speak of one choice; it has one type.

#ifndef NACRE_DIALECTS_PLAN_ACCURACY_H
#define NACRE_DIALECTS_PLAN_ACCURACY_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace nacre {

/// Fast: within 2e-4 of the largest output. Strict: every product of the model is computed and added up as such, within
/// 1e-5.
enum class Accuracy { Fast, Strict };

inline llvm::StringRef accuracyWord(Accuracy accuracy) { return accuracy == Accuracy::Strict ? "strict" : "fast"; }

/// Nothing for a word that is none.
inline std::optional<Accuracy> parseAccuracy(llvm::StringRef word) {
  for (Accuracy accuracy : {Accuracy::Fast, Accuracy::Strict})
    if (word == accuracyWord(accuracy))
      return accuracy;
  return std::nullopt;
}

} // namespace nacre

#endif // NACRE_DIALECTS_PLAN_ACCURACY_H
