// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. Walk over the fields.
//        2. Decode the numbers, each to the width of the tensor's type. One field may contain all numbers, or one.
//        3. Check the number of elements.

#include "tools/run/tensors/OnnxTensor.h"

#include "compiler/import/protobuf/Wire.h"

namespace nacre::run {
namespace {

using importer::FieldView;
using importer::WireType;

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

/// Returns the wire type of one number in a repeated field.
WireType numberType(uint64_t field) {
  return field == kFloatData    ? importer::WireFixed32
         : field == kDoubleData ? importer::WireFixed64
                                : importer::WireVarint;
}

struct Parts {
  Dims dims;
  uint64_t dataType = 0;
  std::optional<std::string_view> raw;
  std::vector<uint64_t> numbers; // values of the typed field that the file has
  bool external = false;
};

bool addNumbers(const FieldView<std::string_view> &field, Parts &parts) {
  auto add = [&](uint64_t bits) {
    if (field.number == kDims)
      parts.dims.push_back(static_cast<int64_t>(bits));
    else
      parts.numbers.push_back(bits);
  };
  const WireType type = numberType(field.number);
  if (field.type != importer::WireBytes) {
    add(field.value);
    return field.type == type;
  }
  for (std::string_view packed = field.body; !packed.empty();) {
    uint64_t bits = 0;
    std::string_view body;
    if (!takeContent(packed, type, bits, body))
      return false;
    add(bits);
  }
  return true;
}

bool walk(std::string_view bytes, Parts &parts) {
  return importer::walkFields(bytes, [&](const FieldView<std::string_view> &field) {
    switch (field.number) {
    case kDims:
    case kFloatData:
    case kInt32Data:
    case kInt64Data:
    case kDoubleData:
    case kUint64Data:
      return addNumbers(field, parts);
    case kDataType:
      parts.dataType = field.value;
      break;
    case kRawData:
      if (field.type != importer::WireBytes)
        return false;
      parts.raw = field.body;
      break;
    case kExternalData:
      parts.external = true;
      break;
    }
    return true;
  });
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
  // For packed elements, each number is a byte that contains several elements.
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
  for (size_t i = 0; i < wanted; ++i) // on little-endian machines, the first bytes of a number are the narrow number
    __builtin_memcpy(tensor.decoded.data() + i * width, &parts.numbers[i], width);
  tensor.view.data = tensor.decoded.data();
  return "";
}

} // namespace nacre::run
