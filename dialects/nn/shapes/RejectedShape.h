// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Error messages of the shape rules.

#ifndef NACRE_DIALECTS_NN_SHAPES_REJECTEDSHAPE_H
#define NACRE_DIALECTS_NN_SHAPES_REJECTEDSHAPE_H

#include "dialects/nn/shapes/ShapeRules.h"

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

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_SHAPES_REJECTEDSHAPE_H
