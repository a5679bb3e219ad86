// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  reads numpy's .npy files.
// Why:   the compiler reads values of inputs from them (--set) and nacre-run whole inputs; both must read the same.
// How:   a header, which is a Python dictionary in text, and the elements; the bytes may be hostile. The standard library
//        alone, so that programs without LLVM have it too.

#ifndef NACRE_COMPILER_IMPORT_NPY_NPY_H
#define NACRE_COMPILER_IMPORT_NPY_NPY_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nacre::npy {

/// numpy has no bfloat16 of its own; it is written as raw 2-byte elements.
enum class Kind { Bool, Signed, Unsigned, Float, Bfloat };

struct Element {
  Kind kind = Kind::Float;
  unsigned bytes = 4;
};

/// A dense, row-major array.
struct Array {
  Element element;
  std::vector<int64_t> dims;
  size_t count = 0;
  const char *data = nullptr; ///< the elements, at any address

  size_t bytes() const { return count * element.bytes; }
};

constexpr std::string_view kMagic = "\x93NUMPY";

/// Views the elements in place. Returns what is wrong with the bytes, or "".
std::string parse(std::string_view bytes, Array &array);

} // namespace nacre::npy

#endif // NACRE_COMPILER_IMPORT_NPY_NPY_H
