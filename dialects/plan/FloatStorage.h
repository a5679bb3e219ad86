// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the type that stores floats of an f32 model, and its word in options.
// Why:   options choose it for weights of memory-bound launches, and for all values of a CPU. The driver, several
//        phases and the report share these choices.

#ifndef NACRE_DIALECTS_PLAN_FLOATSTORAGE_H
#define NACRE_DIALECTS_PLAN_FLOATSTORAGE_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace nacre {

/// Type that stores floats. F32: they keep their type.
enum class FloatStorage { F32, F16, BF16 };

inline llvm::StringRef floatStorageWord(FloatStorage storage) {
  return storage == FloatStorage::F16 ? "fp16" : storage == FloatStorage::BF16 ? "bf16" : "fp32";
}

/// Returns the type that `word` names; `nullopt` if the word is unknown.
inline std::optional<FloatStorage> parseFloatStorage(llvm::StringRef word) {
  for (FloatStorage storage : {FloatStorage::F32, FloatStorage::F16, FloatStorage::BF16})
    if (word == floatStorageWord(storage))
      return storage;
  return std::nullopt;
}

} // namespace nacre

#endif // NACRE_DIALECTS_PLAN_FLOATSTORAGE_H
