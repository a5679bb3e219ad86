// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that the user sets for inputs, from files and from text.

#include "compiler/import/entry/InputValues.h"

#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/npy/Npy.h"
#include "dialects/Count.h"
#include "dialects/NearestNames.h"
#include "dialects/nn/NarrowTypes.h"
#include "dialects/nn/shapes/ShapeRules.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer {

//===----------------------------------------------------------------------===//
// 1. Values from files
//===----------------------------------------------------------------------===//

/// Returns the type of a .npy file's elements.
static Type getType(npy::Element element, MLIRContext *context) {
  Builder builder(context);
  unsigned bits = element.bytes * 8;
  switch (element.kind) {
  case npy::Kind::Float:
    return bits == 16 ? Type(builder.getF16Type()) : bits == 32 ? Type(builder.getF32Type()) : builder.getF64Type();
  case npy::Kind::Bool:
    return builder.getI1Type();
  case npy::Kind::Unsigned:
    return builder.getIntegerType(bits, /*isSigned=*/false);
  case npy::Kind::Signed:
    return builder.getIntegerType(bits);
  case npy::Kind::Bfloat:
    return builder.getBF16Type();
  }
  llvm_unreachable("every kind has a type");
}

static FailureOr<StoredTensor> readNpy(StringRef path, FileBytes file, Location loc) {
  npy::Array array;
  std::string problem = npy::parse(file->getBuffer(), array);
  if (!problem.empty())
    return emitError(loc) << "'" << path << "': " << problem;
  if (!nn::countElements(array.dims))
    return emitError(loc) << "'" << path << "' must fit into memory, but has shape [" << ArrayRef(array.dims) << "]";
  auto type = RankedTensorType::get(array.dims, getType(array.element, loc.getContext()));
  return StoredTensor{type, ArrayRef(array.data, array.bytes()), std::move(file)};
}

static bool agrees(const DeclaredType &type, ArrayRef<int64_t> shape) {
  return !type.shape ||
         (type.shape->size() == shape.size() && llvm::all_of(llvm::zip_equal(*type.shape, shape), [](auto dims) {
            auto [declared, given] = dims;
            return declared.isOpen() || declared.size == given;
          }));
}

static FailureOr<ElementsAttr> readFile(StringRef path, const DeclaredType &type, ModelView &model, Location loc) {
  FailureOr<FileBytes> file = mapFile(path, loc);
  if (failed(file))
    return failure();
  FailureOr<StoredTensor> tensor =
      path.ends_with(".npy") ? readNpy(path, *file, loc) : model.readTensorFile(*file, loc);
  if (failed(tensor))
    return failure();
  // NumPy has no 8-bit floats, so their bits are stored as bytes.
  Type element = tensor->type.getElementType();
  if (element.isUnsignedInteger(8) && nn::isNarrow(type.elementType) && !nn::isPacked(type.elementType))
    tensor->type = tensor->type.clone(type.elementType);
  if (tensor->type.getElementType() != type.elementType)
    return emitError(loc) << "the value must have elements of type " << getTypeName(type.elementType) << ", but '"
                          << path << "' holds " << describe(tensor->type);
  if (!agrees(type, tensor->type.getShape()))
    return emitError(loc) << "the value must have the declared shape, but '" << path << "' holds "
                          << describe(tensor->type);
  return makeConstant(*tensor, "set");
}

//===----------------------------------------------------------------------===//
// 2. Values from text
//===----------------------------------------------------------------------===//

static FailureOr<Attribute> parseNumber(StringRef text, Type elementType, Location loc) {
  auto fail = [&] { return emitError(loc) << "'" << text << "' is not a number of type " << getTypeName(elementType); };
  if (auto floatType = dyn_cast<FloatType>(elementType)) {
    double value;
    if (text.getAsDouble(value))
      return fail();
    return Attribute(FloatAttr::get(floatType, nn::isNarrow(floatType) ? nn::roundTo(floatType, value) : value));
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

static FailureOr<ElementsAttr> parseNumbers(StringRef text, const DeclaredType &type, Location loc) {
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  auto count = static_cast<int64_t>(parts.size());

  SmallVector<int64_t> shape;
  if (!type.shape) {
    if (count > 1)
      shape.push_back(count);
  } else {
    for (const Dimension &dim : *type.shape)
      shape.push_back(dim.size);
    if (shape.size() == 1 && ShapedType::isDynamic(shape.front()))
      shape.front() = count;
    if (llvm::any_of(shape, ShapedType::isDynamic))
      return emitError(loc)
             << "the value of an input with symbolic dimensions must come from a .npy or .pb file, which has its shape";
    std::optional<int64_t> wanted = nn::countElements(shape);
    if (!wanted)
      return emitError(loc) << "does not fit into any memory";
    if (*wanted != count)
      return emitError(loc) << "the value must have " << describeCount(*wanted, "number") << ", but has " << count;
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

FailureOr<ElementsAttr> readInputValue(StringRef text, const DeclaredType &type, ModelView &model, Location loc) {
  if (text.ends_with(".npy") || text.ends_with(".pb"))
    return readFile(text, type, model, loc);
  return parseNumbers(text, type, loc);
}

std::string askForValues(ArrayRef<StringRef> inputs) {
  auto join = [&](auto describe, StringRef separator) {
    return llvm::join(llvm::map_range(inputs, describe), separator);
  };
  return "the inputs " + join([](StringRef name) { return ("'" + name + "'").str(); }, ", ") +
         " must be known at compile time; fix them with " +
         join([](StringRef name) { return ("--set " + name + "=<value|file>").str(); }, " ");
}

std::string describeInputs(StringRef name, const std::set<StringRef> &names, const std::set<StringRef> &required) {
  constexpr size_t kMostListed = 8;
  if (required.empty())
    return "it has no inputs";
  SmallVector<StringRef> listed(required.begin(), required.end());
  std::string text = "inputs are '" + llvm::join(ArrayRef(listed).take_front(kMostListed), "', '") + "'";
  if (listed.size() > kMostListed)
    text += " and " + describeCount(listed.size() - kMostListed, "other");
  const StringRef nearest = nearestName(name, SmallVector<StringRef>(names.begin(), names.end()));
  // If the list has only one name, it need not be repeated.
  if (!nearest.empty() && (listed.size() > 1 || nearest != listed.front()))
    text += "; is it '" + nearest.str() + "'?";
  return text;
}

} // namespace nacre::importer
