// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads numpy's .npy files: a header with the text of a Python dictionary, then the elements. The compiler reads values
// of inputs from them (--set), and nacre-run reads inputs; both must accept the same files. The bytes may be hostile.
// This needs only the standard library, so that programs without LLVM can use it.

#ifndef NACRE_COMPILER_IMPORT_NPY_NPY_H
#define NACRE_COMPILER_IMPORT_NPY_NPY_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nacre::npy {

/// Kinds of elements. numpy has no bfloat16 type; it is written as raw 2-byte elements.
enum class Kind { Bool, Signed, Unsigned, Float, Bfloat };

struct Element {
  Kind kind = Kind::Float;
  unsigned bytes = 4;
};

/// Dense, row-major array.
struct Array {
  Element element;
  std::vector<int64_t> dims;
  size_t count = 0;
  const char *data = nullptr; ///< elements, at any address

  size_t bytes() const { return count * element.bytes; }
};

constexpr std::string_view kMagic = "\x93NUMPY";

/// Sets `array` to a view of the elements. Returns the defect of the bytes, or "".
std::string parse(std::string_view bytes, Array &array);

} // namespace nacre::npy

#endif // NACRE_COMPILER_IMPORT_NPY_NPY_H
