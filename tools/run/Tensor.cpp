// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see Tensor.h.
// Why:   see there.
// How:   16-bit floats are widened by hand: compilers for x86-64 have no portable type for them.

#include "tools/run/Tensor.h"
#include "tools/run/Npy.h"
#include "tools/run/OnnxTensor.h"

#include <cmath>
#include <cstring>

namespace nacre::run {
namespace {

constexpr ElementType kTypes[] = {
    {NACRE_F32, "f32", "f4", 4},   {NACRE_U8, "u8", "u1", 1},     {NACRE_I8, "i8", "i1", 1},
    {NACRE_U16, "u16", "u2", 2},   {NACRE_I16, "i16", "i2", 2},   {NACRE_I32, "i32", "i4", 4},
    {NACRE_I64, "i64", "i8", 8},   {NACRE_BOOL, "bool", "b1", 1}, {NACRE_F16, "f16", "f2", 2},
    {NACRE_F64, "f64", "f8", 8},   {NACRE_U32, "u32", "u4", 4},   {NACRE_U64, "u64", "u8", 8},
    {NACRE_BF16, "bf16", "V2", 2},
};

template <typename T> T load(const void *data, size_t index) {
  T value; // the data of a file may lie at any address
  std::memcpy(&value, static_cast<const char *>(data) + index * sizeof(T), sizeof(T));
  return value;
}

double widenHalf(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  double magnitude;
  if (exponent == 31)
    magnitude = fraction ? NAN : INFINITY;
  else if (exponent == 0)
    magnitude = std::ldexp(fraction, -24);
  else
    magnitude = std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

double widenBfloat(uint16_t bits) {
  const uint32_t wide = uint32_t(bits) << 16;
  return load<float>(&wide, 0);
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
    return widenHalf(load<uint16_t>(data, index));
  case NACRE_F64:
    return load<double>(data, index);
  case NACRE_U32:
    return load<uint32_t>(data, index);
  case NACRE_U64:
    return static_cast<double>(load<uint64_t>(data, index));
  case NACRE_BF16:
    return widenBfloat(load<uint16_t>(data, index));
  }
  return NAN;
}

bool isInteger(nacre_element_type type) {
  return type != NACRE_F32 && type != NACRE_F16 && type != NACRE_F64 && type != NACRE_BF16;
}

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
  const std::string problem = isNpy(tensor.file.bytes()) ? parseNpy(tensor.file.bytes(), tensor.view)
                                                         : parseOnnxTensor(tensor.file.bytes(), tensor);
  if (!problem.empty())
    return usageFailure("'" + path + "': " + problem);
  return std::nullopt;
}

Outcome readTensorAs(nacre_element_type type, const std::string &path, FileTensor &tensor) {
  Outcome failure = readTensor(path, tensor);
  if (!failure && type == NACRE_BF16 && tensor.view.type == NACRE_U16)
    tensor.view.type = NACRE_BF16;
  return failure;
}

} // namespace nacre::run
