// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  error messages of the shape rules, and the checks of numbers that several rules need.

#ifndef NACRE_DIALECTS_NN_SHAPES_REJECTEDSHAPE_H
#define NACRE_DIALECTS_NN_SHAPES_REJECTEDSHAPE_H

#include "dialects/nn/shapes/ShapeRules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <string>

namespace nacre::nn {

template <typename... Args> llvm::Error reject(const char *format, Args &&...args) {
  return llvm::createStringError(llvm::formatv(format, std::forward<Args>(args)...).str());
}

inline std::string print(Dims dims) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '[';
  llvm::interleaveComma(dims, stream);
  stream << ']';
  return text;
}

/// Largest valid size, stride or pad. A sum of several larger values could overflow.
inline constexpr int64_t maxExtent = int64_t(1) << 48;

inline llvm::Error checkLength(const char *name, Dims values, size_t length) {
  if (values.size() == length)
    return llvm::Error::success();
  return reject("{0} must have {1} entries, but is {2}", name, length, print(values));
}

inline llvm::Error checkRange(const char *name, Dims values, int64_t low, int64_t high = maxExtent) {
  if (llvm::all_of(values, [&](int64_t v) { return v >= low && v <= high; }))
    return llvm::Error::success();
  return reject("{0} must be {1} or more, but is {2}", name, low, print(values));
}

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_SHAPES_REJECTEDSHAPE_H
