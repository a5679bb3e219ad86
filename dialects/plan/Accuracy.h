// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the accuracy that may be exchanged for speed, and its word in options.
// Why:   the driver and the phases that choose algorithms share this choice.

#ifndef NACRE_DIALECTS_PLAN_ACCURACY_H
#define NACRE_DIALECTS_PLAN_ACCURACY_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace nacre {

/// Maximum error of outputs, relative to the largest output. Fast: 2e-4. Strict: 1e-5; every product of the model is
/// computed and added up directly.
enum class Accuracy { Fast, Strict };

inline llvm::StringRef accuracyWord(Accuracy accuracy) { return accuracy == Accuracy::Strict ? "strict" : "fast"; }

/// Returns the accuracy that `word` names; `nullopt` if the word is unknown.
inline std::optional<Accuracy> parseAccuracy(llvm::StringRef word) {
  for (Accuracy accuracy : {Accuracy::Fast, Accuracy::Strict})
    if (word == accuracyWord(accuracy))
      return accuracy;
  return std::nullopt;
}

} // namespace nacre

#endif // NACRE_DIALECTS_PLAN_ACCURACY_H
