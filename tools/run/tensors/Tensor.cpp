// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements Tensor.h. A table has a row for each type. Floats without a type in C++ are decoded like in the compiler.

#include "tools/run/tensors/Tensor.h"
#include "dialects/nn/FloatFormats.h"
#include "tools/run/tensors/MediaKind.h"
#include "tools/run/tensors/Npy.h"
#include "tools/run/tensors/OnnxTensor.h"

#include <cmath>
#include <cstring>

namespace nacre::run {
namespace {

constexpr ElementType kTypes[] = {
    {NACRE_F32, "f32", "f4", 32},
    {NACRE_U8, "u8", "u1", 8},
    {NACRE_I8, "i8", "i1", 8},
    {NACRE_U16, "u16", "u2", 16},
    {NACRE_I16, "i16", "i2", 16},
    {NACRE_I32, "i32", "i4", 32},
    {NACRE_I64, "i64", "i8", 64},
    {NACRE_BOOL, "bool", "b1", 8},
    {NACRE_F16, "f16", "f2", 16},
    {NACRE_F64, "f64", "f8", 64},
    {NACRE_U32, "u32", "u4", 32},
    {NACRE_U64, "u64", "u8", 64},
    {NACRE_BF16, "bf16", "V2", 16},
    {NACRE_F8E4M3FN, "f8e4m3fn", "u1", 8},
    {NACRE_F8E4M3FNUZ, "f8e4m3fnuz", "u1", 8},
    {NACRE_F8E5M2, "f8e5m2", "u1", 8},
    {NACRE_F8E5M2FNUZ, "f8e5m2fnuz", "u1", 8},
    {NACRE_U4, "u4", "u1", 4},
    {NACRE_I4, "i4", "u1", 4},
    {NACRE_F4E2M1, "f4e2m1", "u1", 4},
    {NACRE_F8E8M0, "f8e8m0", "u1", 8},
    {NACRE_U2, "u2", "u1", 2},
    {NACRE_I2, "i2", "u1", 2},
};

template <typename T> T load(const void *data, size_t index) {
  T value; // copied, because the data of a file may have any alignment
  std::memcpy(&value, static_cast<const char *>(data) + index * sizeof(T), sizeof(T));
  return value;
}

/// Returns the code of an element that shares its byte with others.
unsigned loadPacked(unsigned bits, const void *data, size_t index) {
  const size_t perByte = 8 / bits;
  return load<uint8_t>(data, index / perByte) >> index % perByte * bits & ((1U << bits) - 1);
}

int loadSigned(unsigned bits, const void *data, size_t index) {
  const int code = static_cast<int>(loadPacked(bits, data, index));
  return code >> (bits - 1) ? code - (1 << bits) : code;
}

} // namespace

const ElementType *findElementType(int type) {
  for (const ElementType &row : kTypes)
    if (row.type == type)
      return &row;
  return nullptr;
}

double readElement(nacre_element_type type, const void *data, size_t index) {
  switch (type) {
  case NACRE_F32:
    return load<float>(data, index);
  case NACRE_U8:
    return load<uint8_t>(data, index);
  case NACRE_I8:
    return load<int8_t>(data, index);
  case NACRE_U16:
    return load<uint16_t>(data, index);
  case NACRE_I16:
    return load<int16_t>(data, index);
  case NACRE_I32:
    return load<int32_t>(data, index);
  case NACRE_I64:
    return static_cast<double>(load<int64_t>(data, index));
  case NACRE_BOOL:
    return load<uint8_t>(data, index) != 0;
  case NACRE_F16:
    return nn::decode(nn::formatF16, load<uint16_t>(data, index));
  case NACRE_F64:
    return load<double>(data, index);
  case NACRE_U32:
    return load<uint32_t>(data, index);
  case NACRE_U64:
    return static_cast<double>(load<uint64_t>(data, index));
  case NACRE_BF16:
    return nn::decode(nn::formatBF16, load<uint16_t>(data, index));
  case NACRE_F8E4M3FN:
    return nn::decode(nn::formatE4M3FN, load<uint8_t>(data, index));
  case NACRE_F8E4M3FNUZ:
    return nn::decode(nn::formatE4M3FNUZ, load<uint8_t>(data, index));
  case NACRE_F8E5M2:
    return nn::decode(nn::formatE5M2, load<uint8_t>(data, index));
  case NACRE_F8E5M2FNUZ:
    return nn::decode(nn::formatE5M2FNUZ, load<uint8_t>(data, index));
  case NACRE_F4E2M1:
    return nn::decode(nn::formatE2M1, loadPacked(4, data, index));
  case NACRE_F8E8M0:
    return nn::decodeScale(load<uint8_t>(data, index));
  case NACRE_U4:
    return loadPacked(4, data, index);
  case NACRE_I4:
    return loadSigned(4, data, index);
  case NACRE_U2:
    return loadPacked(2, data, index);
  case NACRE_I2:
    return loadSigned(2, data, index);
  }
  return NAN;
}

bool isInteger(nacre_element_type type) { return *findElementType(type)->name != 'f' && type != NACRE_BF16; }

std::string describe(nacre_element_type type, const Dims &dims, uint32_t openAxes) {
  const ElementType *row = findElementType(type);
  std::string text = (row ? row->name : "unknown type") + std::string("[");
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? "," : "") + std::string(i < 32 && openAxes >> i & 1 ? "up to " : "") + std::to_string(dims[i]);
  return text + "]";
}

std::optional<size_t> countElements(const Dims &dims) {
  size_t count = 1;
  for (int64_t dim : dims)
    if (dim < 0 || __builtin_mul_overflow(count, static_cast<size_t>(dim), &count))
      return std::nullopt;
  return count;
}

Outcome readTensor(const std::string &path, FileTensor &tensor) {
  if (Outcome failure = tensor.file.open(path))
    return failure;
  if (const Media media = findMedia(tensor.file.bytes()); media.kind != MediaKind::None)
    return usageFailure("'" + path + "' is " + media.name +
                        ", but a .npy or .pb file is needed here; nacre-run --save-inputs=<folder> makes .npy files of "
                        "pictures and sounds");
  const std::string problem = isNpy(tensor.file.bytes()) ? parseNpy(tensor.file.bytes(), tensor.view)
                                                         : parseOnnxTensor(tensor.file.bytes(), tensor);
  if (!problem.empty())
    return usageFailure("'" + path + "': " + problem);
  return std::nullopt;
}

Outcome readTensorLike(const TensorView &wanted, const std::string &path, FileTensor &tensor) {
  Outcome failure = readTensor(path, tensor);
  if (!failure)
    tensor.view = viewLike(wanted, std::move(tensor.view));
  return failure;
}

TensorView viewLike(const TensorView &wanted, TensorView view) {
  if (wanted.type == NACRE_BF16 && view.type == NACRE_U16)
    view.type = NACRE_BF16;
  if (wanted.type < NACRE_F8E4M3FN || view.type != NACRE_U8)
    return view;
  if (!findElementType(wanted.type)->isPacked()) {
    view.type = wanted.type;
  } else if (view.dims == Dims{static_cast<int64_t>(wanted.bytes())}) {
    view.type = wanted.type;
    view.dims = wanted.dims;
    view.count = wanted.count;
  }
  return view;
}

} // namespace nacre::run
