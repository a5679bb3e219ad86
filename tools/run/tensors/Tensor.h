// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of files and sessions, and facts about element types. Code for .npy, .pb, printing and comparing must use the
// same names, sizes and values, so there is one table of types. Every element can be read as a double.

#ifndef NACRE_TOOLS_RUN_TENSORS_TENSOR_H
#define NACRE_TOOLS_RUN_TENSORS_TENSOR_H

#include "runtime/include/nacre/runtime.h"
#include "tools/run/tensors/MappedFile.h"

#include <vector>

namespace nacre::run {

struct ElementType {
  nacre_element_type type;
  const char *name;
  const char *npy; // type in .npy files, without the byte order. NumPy has no bf16, which is written as V2 (raw bytes).
                   // 8-bit floats are written as their codes, and packed elements as bytes
  unsigned bits;

  bool isPacked() const { return bits < 8; }
  size_t bytesOf(size_t count) const { return isPacked() ? (count * bits + 7) / 8 : count * (bits / 8); }
};

/// Returns the type's row, or nullptr.
const ElementType *findElementType(int type);

double readElement(nacre_element_type type, const void *data, size_t index);
bool isInteger(nacre_element_type type);

using Dims = std::vector<int64_t>;

/// Returns text such as "f32[1,3,224,224]", or "i64[up to 12,3]" if bit 0 of `openAxes` is set.
std::string describe(nacre_element_type type, const Dims &dims, uint32_t openAxes = 0);

/// Returns the product of all sizes, or nullopt if a size is negative or the product overflows.
std::optional<size_t> countElements(const Dims &dims);

/// A view of elements in other memory.
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

/// Reads a .npy file or an ONNX TensorProto (.pb), depending on the first bytes.
Outcome readTensor(const std::string &path, FileTensor &tensor);

/// Returns `view` with the type of `wanted` if both have compatible bytes. Files from NumPy store bf16 as u16, 8-bit
/// floats as u8, and packed elements as a list of u8.
TensorView viewLike(const TensorView &wanted, TensorView view);

/// Reads a file's tensor, and converts it with viewLike().
Outcome readTensorLike(const TensorView &wanted, const std::string &path, FileTensor &tensor);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TENSORS_TENSOR_H
