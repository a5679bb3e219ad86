// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  tensors of files and sessions, and what there is to know of an element type.
// Why:   .npy, .pb, printing and comparing must agree on names, sizes and values.
// How:   one table of types; every element can be read as a double.

#ifndef NACRE_TOOLS_RUN_TENSORS_TENSOR_H
#define NACRE_TOOLS_RUN_TENSORS_TENSOR_H

#include "runtime/include/nacre/runtime.h"
#include "tools/run/tensors/MappedFile.h"

#include <vector>

namespace nacre::run {

struct ElementType {
  nacre_element_type type;
  const char *name;
  const char
      *npy; // without the byte order; bf16 has no name of its own in numpy and is written as raw V2, floats of 8 bits
            // as their codes, and what is packed as bytes
  unsigned bits;

  bool isPacked() const { return bits < 8; }
  size_t bytesOf(size_t count) const { return isPacked() ? (count * bits + 7) / 8 : count * (bits / 8); }
};

/// The type's row, or nullptr.
const ElementType *findElementType(int type);

double readElement(nacre_element_type type, const void *data, size_t index);
bool isInteger(nacre_element_type type);

using Dims = std::vector<int64_t>;

/// "f32[1,3,224,224]"; "i64[up to 12,3]" where the first axis, a bit of `openAxes`, is no longer than that.
std::string describe(nacre_element_type type, const Dims &dims, uint32_t openAxes = 0);

/// The product, or nothing if it is negative somewhere or overflows.
std::optional<size_t> countElements(const Dims &dims);

/// Elements that live elsewhere.
struct TensorView {
  nacre_element_type type = NACRE_F32;
  Dims dims;
  const void *data = nullptr;
  size_t count = 0;

  size_t bytes() const { return findElementType(type)->bytesOf(count); }
};

/// A tensor read from a file. The view's data is in the mapped file, or in `decoded`.
struct FileTensor {
  TensorView view;
  MappedFile file;
  std::vector<char> decoded;
};

/// Reads a .npy file or an ONNX TensorProto (.pb), whichever it is by its first bytes.
Outcome readTensor(const std::string &path, FileTensor &tensor);

/// Returns a file's tensor as one of a known type: NumPy, and files made from it, hold bf16 as u16, floats of 8 bits as u8, and
/// packed elements as a list of u8.
TensorView viewLike(const TensorView &wanted, TensorView view);

/// Reads a file's tensor as one of a known type.
Outcome readTensorLike(const TensorView &wanted, const std::string &path, FileTensor &tensor);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TENSORS_TENSOR_H
