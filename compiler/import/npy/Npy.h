// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads numpy's .npy files: a header with the text of a Python dictionary, then the elements. The compiler (--set) and
// nacre-run read inputs from such files, and must accept the same ones. The data may be hostile. The code needs only
// the standard library, so that programs without LLVM can use it.

#ifndef NACRE_COMPILER_IMPORT_NPY_NPY_H
#define NACRE_COMPILER_IMPORT_NPY_NPY_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nacre::npy {

/// Kinds of elements. numpy has no bfloat16 type, so files have raw 2-byte elements instead.
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
  const char *data = nullptr; ///< elements, at any alignment

  size_t bytes() const { return count * element.bytes; }
};

constexpr std::string_view kMagic = "\x93NUMPY";

/// Sets `array` to a view of the elements in the file `bytes`. Returns a description of the defect, or an empty text.
std::string parse(std::string_view bytes, Array &array);

} // namespace nacre::npy

#endif // NACRE_COMPILER_IMPORT_NPY_NPY_H
