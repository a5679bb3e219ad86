// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see OnnxTensor.h.
// Why:   see there.
// How:   1. walk the fields, 2. decode the numbers, each to the width of the tensor's type, 3. check the count.
//        Numbers may be packed in one field or come one a field, so both lead to the same place.

#include "tools/run/OnnxTensor.h"

namespace nacre::run {
namespace {

enum Field : uint64_t {
  kDims = 1,
  kDataType = 2,
  kFloatData = 4,
  kInt32Data = 5,
  kInt64Data = 7,
  kRawData = 9,
  kDoubleData = 10,
  kUint64Data = 11,
  kExternalData = 13,
};

enum WireType : unsigned { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

class Wire {
public:
  explicit Wire(std::string_view bytes) : rest(bytes) {}

  bool atEnd() const { return rest.empty(); }

  bool varint(uint64_t &value) {
    value = 0;
    for (unsigned shift = 0; shift < 64 && !rest.empty(); shift += 7) {
      const unsigned char byte = rest[0];
      rest.remove_prefix(1);
      value |= uint64_t(byte & 127) << shift;
      if (byte < 128)
        return true;
    }
    return false;
  }

  bool take(uint64_t length, std::string_view &bytes) {
    if (length > rest.size())
      return false;
    bytes = rest.substr(0, length);
    rest.remove_prefix(length);
    return true;
  }

  /// One number of the given wire type, as its bits.
  bool number(unsigned type, uint64_t &bits) {
    if (type == kVarint)
      return varint(bits);
    std::string_view bytes;
    if ((type != kFixed32 && type != kFixed64) || !take(type == kFixed32 ? 4 : 8, bytes))
      return false;
    bits = 0;
    __builtin_memcpy(&bits, bytes.data(), bytes.size());
    return true;
  }

private:
  std::string_view rest;
};

/// The wire type of one number of a repeated field.
unsigned numberType(uint64_t field) {
  return field == kFloatData ? kFixed32 : field == kDoubleData ? kFixed64 : kVarint;
}

struct Parts {
  Dims dims;
  uint64_t dataType = 0;
  std::optional<std::string_view> raw;
  std::vector<uint64_t> numbers; // of whichever typed field is there
  bool external = false;
};

bool addNumbers(uint64_t field, unsigned type, std::string_view bytes, uint64_t single, Parts &parts) {
  auto add = [&](uint64_t bits) {
    if (field == kDims)
      parts.dims.push_back(static_cast<int64_t>(bits));
    else
      parts.numbers.push_back(bits);
  };
  if (type != kBytes) {
    add(single);
    return type == numberType(field);
  }
  for (Wire packed(bytes); !packed.atEnd();) {
    uint64_t bits;
    if (!packed.number(numberType(field), bits))
      return false;
    add(bits);
  }
  return true;
}

bool walk(std::string_view bytes, Parts &parts) {
  for (Wire wire(bytes); !wire.atEnd();) {
    uint64_t tag, value = 0;
    std::string_view content;
    if (!wire.varint(tag))
      return false;
    const uint64_t field = tag >> 3;
    const unsigned type = tag & 7;
    if (type == kBytes ? !wire.varint(value) || !wire.take(value, content) : !wire.number(type, value))
      return false;
    switch (field) {
    case kDims:
    case kFloatData:
    case kInt32Data:
    case kInt64Data:
    case kDoubleData:
    case kUint64Data:
      if (!addNumbers(field, type, content, value, parts))
        return false;
      break;
    case kDataType:
      parts.dataType = value;
      break;
    case kRawData:
      if (type != kBytes)
        return false;
      parts.raw = content;
      break;
    case kExternalData:
      parts.external = true;
      break;
    }
  }
  return true;
}

} // namespace

std::string parseOnnxTensor(std::string_view bytes, FileTensor &tensor) {
  Parts parts;
  if (bytes.empty() || !walk(bytes, parts))
    return "must be a .npy file or an ONNX TensorProto, but is neither, or truncated";
  const ElementType *type = findElementType(static_cast<int>(parts.dataType));
  if (!type)
    return "a TensorProto's elements must be numbers or bool, but are of data type " + std::to_string(parts.dataType);
  if (parts.external)
    return "a TensorProto with external data is not read; save it with its data";

  const std::optional<size_t> count = countElements(parts.dims);
  // Where elements are packed, each number is a byte of them.
  const size_t width = type->isPacked() ? 1 : type->bytesOf(1);
  const size_t wanted = type->bytesOf(count.value_or(0)) / width;
  const size_t present = parts.raw ? parts.raw->size() / width : parts.numbers.size();
  if (!count || *count > SIZE_MAX / 8 || wanted != present)
    return "the TensorProto must hold all elements of " + describe(type->type, parts.dims) + ", but holds " +
           std::to_string(present);
  tensor.view = {type->type, std::move(parts.dims), nullptr, *count};
  if (parts.raw) {
    tensor.view.data = parts.raw->data();
    return "";
  }
  tensor.decoded.resize(wanted * width);
  for (size_t i = 0; i < wanted; ++i) // little endian: the low bytes are the narrow number
    __builtin_memcpy(tensor.decoded.data() + i * width, &parts.numbers[i], width);
  tensor.view.data = tensor.decoded.data();
  return "";
}

} // namespace nacre::run
