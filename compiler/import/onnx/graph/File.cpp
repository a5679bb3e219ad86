// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Serialized ONNX files, and the tensors inside them.
//
// The parts of this file are element types, parsing, elements in the file (dense or as varints), and elements in a
// second file.

#include "compiler/import/onnx/graph/File.h"

#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/options/Limits.h"
#include "dialects/StoredBytes.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/nn/NarrowTypes.h"
#include "dialects/nn/shapes/ShapeRules.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Element types
//===----------------------------------------------------------------------===//

constexpr uint32_t floatField = 4, int32Field = 5, int64Field = 7, rawField = 9, doubleField = 10, uint64Field = 11;

struct ElementKind {
  const char *name;
  int64_t bits;        ///< 0 if Nacre has no such type
  uint32_t typedField; ///< field number in TensorProto of the elements if they are not raw
  Type (*type)(Builder &);
};

template <unsigned width> Type getSigned(Builder &builder) { return builder.getIntegerType(width); }
template <unsigned width> Type getUnsigned(Builder &builder) {
  return builder.getIntegerType(width, /*isSigned=*/false);
}
template <typename T> Type getFloat(Builder &builder) { return T::get(builder.getContext()); }

/// Element types in the order of ONNX's enumerators, from 0.
constexpr ElementKind elementKinds[] = {
    {"undefined", 0, 0, nullptr},
    {"float", 32, floatField, getFloat<Float32Type>},
    {"uint8", 8, int32Field, getUnsigned<8>},
    {"int8", 8, int32Field, getSigned<8>},
    {"uint16", 16, int32Field, getUnsigned<16>},
    {"int16", 16, int32Field, getSigned<16>},
    {"int32", 32, int32Field, getSigned<32>},
    {"int64", 64, int64Field, getSigned<64>},
    {"string", 0, 0, nullptr},
    {"bool", 8, int32Field, getSigned<1>},
    {"float16", 16, int32Field, getFloat<Float16Type>},
    {"double", 64, doubleField, getFloat<Float64Type>},
    {"uint32", 32, uint64Field, getUnsigned<32>},
    {"uint64", 64, uint64Field, getUnsigned<64>},
    {"complex64", 0, 0, nullptr},
    {"complex128", 0, 0, nullptr},
    {"bfloat16", 16, int32Field, getFloat<BFloat16Type>},
    {"float8e4m3fn", 8, int32Field, getFloat<Float8E4M3FNType>},
    {"float8e4m3fnuz", 8, int32Field, getFloat<Float8E4M3FNUZType>},
    {"float8e5m2", 8, int32Field, getFloat<Float8E5M2Type>},
    {"float8e5m2fnuz", 8, int32Field, getFloat<Float8E5M2FNUZType>},
    {"uint4", 4, int32Field, getUnsigned<4>},
    {"int4", 4, int32Field, getSigned<4>},
    {"float4e2m1", 4, int32Field, getFloat<Float4E2M1FNType>},
    {"float8e8m0", 8, int32Field, getFloat<Float8E8M0FNUType>},
    {"uint2", 2, int32Field, getUnsigned<2>},
    {"int2", 2, int32Field, getSigned<2>},
};

const ElementKind &getKind(int64_t dataType) {
  bool known = dataType >= 0 && dataType < static_cast<int64_t>(std::size(elementKinds));
  return elementKinds[known ? dataType : 0];
}

InFlightDiagnostic emitTensorError(Location loc, const onnx::TensorProto &tensor) {
  InFlightDiagnostic diagnostic = emitError(loc) << "tensor ";
  if (!tensor.name().empty())
    diagnostic << "'" << tensor.name() << "' ";
  return diagnostic;
}

} // namespace

Type fromDataType(int64_t dataType, MLIRContext *context) {
  Type type = fromStoredDataType(dataType, context);
  return type && nn::isNarrow(type) ? Type() : type;
}

Type fromStoredDataType(int64_t dataType, MLIRContext *context) {
  const ElementKind &kind = getKind(dataType);
  Builder builder(context);
  return kind.type ? kind.type(builder) : Type();
}

StringRef getElementTypeName(int64_t dataType) { return getKind(dataType).name; }

//===----------------------------------------------------------------------===//
// 2. Parsing
//===----------------------------------------------------------------------===//

OnnxFile::OnnxFile(FileBytes bytes, std::string folder)
    : file(std::move(bytes)), folder(std::move(folder)),
      elements(file, getDecodeBudget(file->getBufferSize()), "raw_data") {}

template <typename Proto> LogicalResult OnnxFile::parse(Location loc, WireRoot root, Proto &proto) {
  llvm::Expected<WireSkeleton> skeleton = scanWire(file->getBuffer(), root, getStructureBudget(file->getBufferSize()));
  if (!skeleton)
    return emitError(loc) << llvm::toString(skeleton.takeError());
  if (!proto.ParsePartialFromArray(skeleton->bytes.data(), static_cast<int>(skeleton->bytes.size())))
    return emitError(loc) << "not an ONNX " << (root == WireRoot::Model ? "model" : "tensor")
                          << "; the file is damaged";
  elements.setPayloads(std::move(skeleton->payloads));
  return success();
}

LogicalResult OnnxFile::parseModel(Location loc, onnx::ModelProto &model) { return parse(loc, WireRoot::Model, model); }

LogicalResult OnnxFile::parseTensor(Location loc, onnx::TensorProto &tensor) {
  return parse(loc, WireRoot::Tensor, tensor);
}

//===----------------------------------------------------------------------===//
// 3. Elements in the file
//===----------------------------------------------------------------------===//

FailureOr<StoredTensor> OnnxFile::read(const onnx::TensorProto &tensor, Location loc) {
  const ElementKind &kind = getKind(tensor.data_type());
  if (!kind.bits)
    return emitTensorError(loc, tensor)
           << "has the element type '" << kind.name
           << "', which is not supported; choose outputs that do not need it with --output";
  if (tensor.dims_size() > maxRank)
    return emitTensorError(loc, tensor) << "must have at most " << maxRank << " dimensions, but has "
                                        << tensor.dims_size();

  SmallVector<int64_t> shape(tensor.dims().begin(), tensor.dims().end());
  for (int64_t dim : shape)
    if (dim < 0)
      return emitTensorError(loc, tensor) << "must have non-negative dimensions, but one is " << dim;
  std::optional<int64_t> count = nn::countElements(shape);
  if (!count)
    return emitTensorError(loc, tensor) << "does not fit into any memory";
  // In every form of storage, elements of less than a byte share bytes.
  int64_t size = kind.bits < 8 ? llvm::divideCeil(*count * kind.bits, 8) : *count * (kind.bits / 8);
  StoredTensor result;
  result.type = RankedTensorType::get(shape, fromStoredDataType(tensor.data_type(), loc.getContext()));

  if (tensor.data_location() == onnx::TensorProto::EXTERNAL)
    return readExternal(tensor, std::move(result), size, loc);

  ArrayRef<WirePayload> chunks = elements.getPayloads(tensor.segment().begin(), tensor.segment().end());
  bool isRaw = !chunks.empty() && chunks.back().field == rawField;
  if (isRaw)
    chunks = chunks.take_back(); // if a field that is not repeated occurs several times, the last occurrence is valid
  uint64_t stored = 0;
  for (const WirePayload &chunk : chunks) {
    if (!isRaw && chunk.field != kind.typedField)
      return emitTensorError(loc, tensor)
             << "stores its elements in a field that does not match its type, '" << kind.name << "'";
    stored += chunk.length;
  }
  bool isDense = isRaw || kind.typedField == floatField || kind.typedField == doubleField;
  if (!isDense)
    return decodeVarints(chunks, result.type, size, loc);
  if (stored != static_cast<uint64_t>(size))
    return emitTensorError(loc, tensor) << "must hold " << describeCount(size, "byte")
                                        << " for its shape and type, but holds " << stored;
  return elements.join(chunks, result.type, loc);
}

FailureOr<StoredTensor> OnnxFile::decodeVarints(ArrayRef<WirePayload> chunks, RankedTensorType type, uint64_t size,
                                                Location loc) {
  uint64_t wanted = size / uint64_t(bytesOfElement(type.getElementType()));
  uint64_t count = elements.countVarints(chunks);
  if (count != wanted)
    return emitError(loc) << "a tensor of type " << describe(type) << " must hold " << describeCount(wanted, "element")
                          << ", but holds " << count;
  return elements.decode(chunks, type, loc);
}

//===----------------------------------------------------------------------===//
// 4. Elements in a second file
//===----------------------------------------------------------------------===//

FailureOr<FileBytes> OnnxFile::openExternal(StringRef location, Location loc) {
  FileBytes &known = externalFiles[location];
  if (known)
    return known;
  auto buffer = mapFileInside(folder, location, "external data", "the model's folder", loc);
  if (succeeded(buffer))
    known = *buffer;
  return buffer;
}

FailureOr<StoredTensor> OnnxFile::readExternal(const onnx::TensorProto &tensor, StoredTensor result, uint64_t size,
                                               Location loc) {
  StringRef location;
  uint64_t offset = 0, length = size;
  for (const onnx::StringStringEntryProto &entry : tensor.external_data()) {
    StringRef key = entry.key(), value = entry.value();
    if (key == "location")
      location = value;
    uint64_t *number = key == "offset" ? &offset : key == "length" ? &length : nullptr;
    if (number && value.getAsInteger(10, *number))
      return emitTensorError(loc, tensor)
             << "must give the " << key << " of its external data as a number, but gives '" << value << "'";
  }
  if (length != size)
    return emitTensorError(loc, tensor) << "must have " << describeCount(size, "byte")
                                        << " of external data for its shape and type, but has " << length;
  auto external = openExternal(location, loc);
  if (failed(external))
    return failure();
  uint64_t available = (*external)->getBufferSize();
  if (offset > available || length > available - offset)
    return emitTensorError(loc, tensor) << "lies at bytes " << offset << " to " << llvm::SaturatingAdd(offset, length)
                                        << " of '" << location << "', which has " << available
                                        << "; the file is truncated";
  result.bytes = ArrayRef((*external)->getBufferStart() + offset, length);
  result.owner = *external;
  return result;
}

} // namespace nacre::importer::onnx_format
