// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file with one of TensorFlow's messages, and the tensors in it.
//
// How:  1. element types and shapes,
//       2. parsing,
//       3. elements.

#include "compiler/import/tensorflow/graph/File.h"

#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/options/Limits.h"
#include "compiler/import/protobuf/ProtoText.h"
#include "dialects/StoredBytes.h"
#include "dialects/nn/NarrowTypes.h"
#include "dialects/nn/shapes/ShapeRules.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Element types and shapes
//===----------------------------------------------------------------------===//

constexpr uint32_t contentField = 4, floatField = 5, doubleField = 6, intField = 7, int64Field = 10, boolField = 11,
                   halfField = 13, uint32Field = 16, uint64Field = 17;

struct ElementKind {
  const char *name;
  uint32_t typedField = 0; ///< number of the field of TensorProto that contains elements of this type one by one
  Type (*type)(Builder &) = nullptr;
};

template <unsigned width> Type getSigned(Builder &builder) { return builder.getIntegerType(width); }
template <unsigned width> Type getUnsigned(Builder &builder) {
  return builder.getIntegerType(width, /*isSigned=*/false);
}
template <typename T> Type getFloat(Builder &builder) { return T::get(builder.getContext()); }

/// Element types, in the order of tensorflow::DataType from 0. Quantized types are read as integers.
constexpr ElementKind elementKinds[] = {
    {"none"},
    {"float", floatField, getFloat<Float32Type>},
    {"double", doubleField, getFloat<Float64Type>},
    {"int32", intField, getSigned<32>},
    {"uint8", intField, getUnsigned<8>},
    {"int16", intField, getSigned<16>},
    {"int8", intField, getSigned<8>},
    {"string"},
    {"complex64"},
    {"int64", int64Field, getSigned<64>},
    {"bool", boolField, getSigned<1>},
    {"qint8", intField, getSigned<8>},
    {"quint8", intField, getUnsigned<8>},
    {"qint32", intField, getSigned<32>},
    {"bfloat16", halfField, getFloat<BFloat16Type>},
    {"qint16", intField, getSigned<16>},
    {"quint16", intField, getUnsigned<16>},
    {"uint16", intField, getUnsigned<16>},
    {"complex128"},
    {"half", halfField, getFloat<Float16Type>},
    {"resource"},
    {"variant"},
    {"uint32", uint32Field, getUnsigned<32>},
    {"uint64", uint64Field, getUnsigned<64>},
};

const ElementKind &getKind(int type) {
  constexpr int reference = 100;
  if (type > reference)
    type -= reference;
  return elementKinds[type >= 0 && type < static_cast<int>(std::size(elementKinds)) ? type : 0];
}

} // namespace

Type fromDataType(int type, MLIRContext *context) {
  Builder builder(context);
  const ElementKind &kind = getKind(type);
  return kind.type ? kind.type(builder) : Type();
}

StringRef getDataTypeName(int type) { return getKind(type).name; }

std::optional<SmallVector<int64_t>> readShape(const tensorflow::TensorShapeProto &shape) {
  if (shape.unknown_rank())
    return std::nullopt;
  return llvm::map_to_vector(shape.dim(), [](const tensorflow::TensorShapeProto::Dim &dim) {
    return dim.size() < 0 ? ShapedType::kDynamic : dim.size();
  });
}

//===----------------------------------------------------------------------===//
// 2. Parsing
//===----------------------------------------------------------------------===//

TensorFlowFile::TensorFlowFile(FileBytes bytes)
    : file(std::move(bytes)), elements(file, getDecodeBudget(file->getBufferSize()), "tensor_content") {}

LogicalResult TensorFlowFile::parse(Location loc, WireRoot root, google::protobuf::Message &message) {
  llvm::Expected<WireSkeleton> skeleton = scanWire(file->getBuffer(), root, getStructureBudget(file->getBufferSize()));
  if (!skeleton)
    return emitError(loc) << llvm::toString(skeleton.takeError());
  if (!message.ParsePartialFromArray(skeleton->bytes.data(), static_cast<int>(skeleton->bytes.size())))
    return emitError(loc) << "not a TensorFlow file; the file is damaged";
  elements.setPayloads(std::move(skeleton->payloads));
  return success();
}

FailureOr<FileBytes> encodeText(StringRef text, WireRoot root, Location loc) {
  auto encode = [&](auto message, StringRef what) { return encodeProtoText(text, message, what, loc); };
  switch (root) {
  case WireRoot::SavedModel:
    return encode(tensorflow::SavedModel(), "a TensorFlow SavedModel");
  case WireRoot::MetaGraph:
    return encode(tensorflow::MetaGraphDef(), "a TensorFlow MetaGraph");
  default:
    assert(root == WireRoot::Graph && "no program writes the others as text");
    return encode(tensorflow::GraphDef(), "a TensorFlow graph");
  }
}

//===----------------------------------------------------------------------===//
// 3. Elements
//===----------------------------------------------------------------------===//

/// Returns the tensor's declared type; reports an error if it is not supported.
static FailureOr<RankedTensorType> readType(const tensorflow::TensorProto &tensor, Location loc) {
  Type element = fromDataType(tensor.dtype(), loc.getContext());
  if (!element)
    return emitError(loc) << "a tensor has the element type '" << getDataTypeName(tensor.dtype())
                          << "', which is not supported; choose outputs that do not need it with --output";
  std::optional<SmallVector<int64_t>> shape = readShape(tensor.tensor_shape());
  if (!shape || llvm::any_of(*shape, ShapedType::isDynamic))
    return emitError(loc) << "a tensor must have non-negative dimensions, but does not";
  if (shape->size() > maxRank)
    return emitError(loc) << "a tensor must have at most " << maxRank << " dimensions, but has " << shape->size();
  if (!nn::countElements(*shape))
    return emitError(loc) << "a tensor does not fit into any memory";
  return RankedTensorType::get(*shape, element);
}

/// Returns a constant whose elements all equal the only element of `element`.
static ElementsAttr makeSplat(const StoredTensor &element) {
  auto scalar = RankedTensorType::get({}, element.type.getElementType());
  ElementsAttr one = makeConstant({scalar, element.bytes, element.owner}, "");
  return DenseElementsAttr::get(element.type, *one.getValues<Attribute>().begin());
}

FailureOr<ElementsAttr> TensorFlowFile::readConstant(const tensorflow::TensorProto &tensor, StringRef name,
                                                     Location loc) {
  FailureOr<RankedTensorType> type = readType(tensor, loc);
  if (failed(type))
    return failure();
  ArrayRef<WirePayload> chunks = elements.getPayloads(tensor.payloads().begin(), tensor.payloads().end());
  // If a tensor has both bytes and numbers, the bytes count. If there are several chunks of bytes, the last one that is
  // not empty counts.
  for (const WirePayload &chunk : llvm::reverse(chunks)) {
    if (chunk.field != contentField)
      continue;
    if (chunk.length == 0)
      break;
    if (chunk.length != static_cast<uint64_t>(storedBytes(*type)))
      return emitError(loc) << "a tensor must hold " << describeCount(storedBytes(*type), "byte")
                            << " for its shape and type, but holds " << chunk.length;
    FailureOr<StoredTensor> stored = elements.join(chunk, *type, loc); // one chunk is not copied, so this does not fail
    return makeConstant(*stored, name);
  }
  uint32_t typedField = getKind(tensor.dtype()).typedField;
  SmallVector<WirePayload> typed;
  llvm::copy_if(chunks, std::back_inserter(typed), [&](const WirePayload &chunk) { return chunk.field == typedField; });
  bool isDense = typedField == floatField || typedField == doubleField;
  FailureOr<StoredTensor> stored = isDense ? elements.join(typed, *type, loc) : elements.decode(typed, *type, loc);
  if (failed(stored))
    return failure();
  return expand(std::move(*stored), name, loc);
}

FailureOr<ElementsAttr> TensorFlowFile::expand(StoredTensor stored, StringRef name, Location loc) {
  RankedTensorType type = stored.type;
  auto elementBytes = uint64_t(bytesOfElement(type.getElementType()));
  uint64_t count = stored.bytes.size() / elementBytes;
  auto wanted = uint64_t(type.getNumElements());
  if (stored.bytes.size() % elementBytes || count > wanted)
    return emitError(loc) << "a tensor must hold at most " << describeCount(wanted, "element")
                          << " for its shape, but holds " << describeCount(stored.bytes.size(), "byte")
                          << " of elements of " << elementBytes;
  if (count == wanted)
    return makeConstant(stored, name);
  if (count == 0)
    return ElementsAttr(DenseElementsAttr::get(type, Builder(loc.getContext()).getZeroAttr(type.getElementType())));
  if (count == 1)
    return makeSplat(stored);
  FailureOr<StoredTensor> repeated = elements.repeatLast(std::move(stored), loc);
  if (failed(repeated))
    return failure();
  return makeConstant(*repeated, name);
}

} // namespace nacre::importer::tensorflow_format
