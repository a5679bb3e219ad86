// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of a model to constants of the IR, and values that the user sets.
//
// How:  1. constants,
//       2. values from files (.npy, .pb),
//       3. values from text.

#include "compiler/import/onnx/Values.h"

#include "dialects/nn/ShapeRules.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer::onnx_format {

//===----------------------------------------------------------------------===//
// 1. Constants
//===----------------------------------------------------------------------===//

ElementsAttr makeConstant(const OnnxTensor &tensor, StringRef name) {
  // Attributes are hashed and compared by value, which is fine for shapes and wrong for weights.
  constexpr size_t maxDenseBytes = 4096;

  if (tensor.type.getElementType().isInteger(1)) {
    SmallVector<bool> values = llvm::map_to_vector(tensor.bytes, [](char byte) { return byte != 0; });
    return DenseElementsAttr::get(tensor.type, values);
  }
  if (tensor.bytes.size() <= maxDenseBytes)
    return DenseElementsAttr::getFromRawBuffer(tensor.type, tensor.bytes);
  AsmResourceBlob blob(
      tensor.bytes, /*dataAlignment=*/1, [owner = tensor.owner](void *, size_t, size_t) {}, /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(tensor.type, name, std::move(blob));
}

//===----------------------------------------------------------------------===//
// 2. Values from files
//===----------------------------------------------------------------------===//

/// Drops `token` and blanks around it from the front of `text`.
static bool consume(StringRef &text, StringRef token) {
  text = text.ltrim();
  return text.consume_front(token);
}

static std::optional<SmallVector<int64_t>> parseNpyShape(StringRef text) {
  SmallVector<int64_t> shape;
  if (!consume(text, "("))
    return std::nullopt;
  while (!consume(text, ")")) {
    int64_t dim;
    if (text.consumeInteger(10, dim) || dim < 0)
      return std::nullopt;
    shape.push_back(dim);
    if (!consume(text, ",") && !text.ltrim().starts_with(")"))
      return std::nullopt;
  }
  return shape;
}

/// The format of NumPy's .npy files: a magic number, the header's length, a Python dictionary, the elements.
static FailureOr<OnnxTensor> parseNpy(std::shared_ptr<const llvm::MemoryBuffer> file, Location loc) {
  auto damaged = [&] { return emitError(loc) << "not a .npy file, or a damaged one"; };
  StringRef bytes = file->getBuffer();
  if (!bytes.consume_front("\x93NUMPY") || bytes.size() < 6)
    return damaged();
  bool isFirstVersion = bytes[0] == 1;
  bytes = bytes.drop_front(2);
  uint64_t headerSize =
      isFirstVersion ? llvm::support::endian::read16le(bytes.data()) : llvm::support::endian::read32le(bytes.data());
  bytes = bytes.drop_front(isFirstVersion ? 2 : 4);
  if (headerSize > bytes.size())
    return damaged();
  StringRef header = bytes.take_front(headerSize);
  bytes = bytes.drop_front(headerSize);

  auto valueOf = [&](StringRef key) {
    StringRef value = header.split(("'" + key + "'").str()).second;
    return consume(value, ":") ? value.ltrim() : StringRef();
  };
  StringRef description = valueOf("descr");
  if (!description.consume_front("'"))
    return damaged();
  int32_t dataType = llvm::StringSwitch<int32_t>(description.split('\'').first)
                         .Case("<f4", onnx::TensorProto::FLOAT)
                         .Case("<f8", onnx::TensorProto::DOUBLE)
                         .Case("<f2", onnx::TensorProto::FLOAT16)
                         .Case("|b1", onnx::TensorProto::BOOL)
                         .Case("|i1", onnx::TensorProto::INT8)
                         .Case("<i2", onnx::TensorProto::INT16)
                         .Case("<i4", onnx::TensorProto::INT32)
                         .Case("<i8", onnx::TensorProto::INT64)
                         .Case("|u1", onnx::TensorProto::UINT8)
                         .Case("<u2", onnx::TensorProto::UINT16)
                         .Case("<u4", onnx::TensorProto::UINT32)
                         .Case("<u8", onnx::TensorProto::UINT64)
                         .Default(onnx::TensorProto::UNDEFINED);
  if (dataType == onnx::TensorProto::UNDEFINED)
    return emitError(loc) << "the .npy file must hold little-endian numbers, but holds '"
                          << description.split('\'').first << "'";
  if (!valueOf("fortran_order").starts_with("False"))
    return emitError(loc) << "the .npy file must be in C order, but is in Fortran order";
  std::optional<SmallVector<int64_t>> shape = parseNpyShape(valueOf("shape"));
  if (!shape)
    return damaged();
  Type elementType = fromDataType(dataType, loc.getContext());
  std::optional<int64_t> count = nn::countElements(*shape);
  if (!count)
    return damaged();
  int64_t size = *count * getElementBytes(elementType);
  if (static_cast<uint64_t>(size) != bytes.size())
    return emitError(loc) << "the .npy file must hold " << size << " bytes of elements, but holds " << bytes.size();
  return OnnxTensor{RankedTensorType::get(*shape, elementType), ArrayRef(bytes.data(), bytes.size()), std::move(file)};
}

static FailureOr<ElementsAttr> readFile(StringRef path, const InputType &type, Location loc) {
  auto file = mapFile(path, loc);
  if (failed(file))
    return failure();
  FailureOr<OnnxTensor> tensor = failure();
  if (path.ends_with(".npy")) {
    tensor = parseNpy(*file, loc);
  } else {
    OnnxFile parsed(*file, /*folder=*/"");
    onnx::TensorProto proto;
    if (failed(parsed.parseTensor(loc, proto)))
      return failure();
    tensor = parsed.read(proto, loc);
  }
  if (failed(tensor))
    return failure();
  if (type.elementType && tensor->type.getElementType() != type.elementType)
    return emitError(loc) << "the value must have elements of type " << type.elementType << ", but '" << path
                          << "' holds " << tensor->type.getElementType();
  if (type.shape) {
    bool agrees = type.shape->size() == static_cast<size_t>(tensor->type.getRank()) &&
                  llvm::all_of(llvm::zip_equal(*type.shape, tensor->type.getShape()), [](auto dims) {
                    auto [declared, given] = dims;
                    return ShapedType::isDynamic(declared) || declared == given;
                  });
    if (!agrees)
      return emitError(loc) << "the value must have the shape that the model states, but '" << path << "' holds "
                            << tensor->type;
  }
  return makeConstant(*tensor, "set");
}

//===----------------------------------------------------------------------===//
// 3. Values from text
//===----------------------------------------------------------------------===//

static FailureOr<Attribute> parseNumber(StringRef text, Type elementType, Location loc) {
  auto fail = [&] { return emitError(loc) << "'" << text << "' is not a number of type " << elementType; };
  if (auto floatType = dyn_cast<FloatType>(elementType)) {
    double value;
    if (text.getAsDouble(value))
      return fail();
    return Attribute(FloatAttr::get(floatType, value));
  }
  if (elementType.isInteger(1) && (text == "true" || text == "false"))
    return Attribute(BoolAttr::get(loc.getContext(), text == "true"));
  unsigned width = elementType.getIntOrFloatBitWidth();
  bool isUnsigned = elementType.isUnsignedInteger() || width == 1;
  int64_t number;
  uint64_t unsignedNumber;
  if (isUnsigned ? text.getAsInteger(10, unsignedNumber) : text.getAsInteger(10, number))
    return fail();
  if (isUnsigned ? !llvm::isUIntN(width, unsignedNumber) : !llvm::isIntN(width, number))
    return fail();
  APInt bits(width, isUnsigned ? unsignedNumber : static_cast<uint64_t>(number), /*isSigned=*/!isUnsigned);
  return Attribute(IntegerAttr::get(elementType, bits));
}

static FailureOr<ElementsAttr> parseNumbers(StringRef text, const InputType &type, Location loc) {
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  auto count = static_cast<int64_t>(parts.size());

  SmallVector<int64_t> shape;
  if (!type.shape) {
    if (count > 1)
      shape.push_back(count);
  } else {
    shape = *type.shape;
    if (shape.size() == 1 && ShapedType::isDynamic(shape.front()))
      shape.front() = count;
    if (llvm::any_of(shape, ShapedType::isDynamic))
      return emitError(loc)
             << "the value of an input with symbolic dimensions must come from a .npy or .pb file, which "
                "states its shape";
    std::optional<int64_t> wanted = nn::countElements(shape);
    if (!wanted)
      return emitError(loc) << "is larger than any memory";
    if (*wanted != count)
      return emitError(loc) << "the value must have " << *wanted << " numbers, but has " << count;
  }

  SmallVector<Attribute> values;
  for (StringRef part : parts) {
    FailureOr<Attribute> value = parseNumber(part.trim(), type.elementType, loc);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  return ElementsAttr(DenseElementsAttr::get(RankedTensorType::get(shape, type.elementType), values));
}

FailureOr<ElementsAttr> readInputValue(StringRef text, const InputType &type, Location loc) {
  if (text.ends_with(".npy") || text.ends_with(".pb"))
    return readFile(text, type, loc);
  return parseNumbers(text, type, loc);
}

} // namespace nacre::importer::onnx_format
