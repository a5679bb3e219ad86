// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes of a node, as the handler of its operator reads them.
//
// 1. Attributes of the node, and their defaults.
// 2. Axes.

#include "compiler/import/binding/OperandBinder.h"
#include "compiler/import/messages/TypeNames.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace nacre::importer {

//===----------------------------------------------------------------------===//
// 1. Attributes
//===----------------------------------------------------------------------===//

std::optional<NamedAttribute> OperandBinder::find(StringRef name) const {
  auto found = llvm::find_if(node.attributes, [&](NamedAttribute attribute) { return attribute.getName() == name; });
  return found == node.attributes.end() ? std::nullopt : std::optional(*found);
}

/// Returns the kind of an attribute's value for messages.
static StringRef describeAttribute(Attribute value) {
  return isa<IntegerAttr>(value)         ? "an integer"
         : isa<FloatAttr>(value)         ? "a number"
         : isa<StringAttr>(value)        ? "a string"
         : isa<DenseI64ArrayAttr>(value) ? "a list of integers"
         : isa<DenseF32ArrayAttr>(value) ? "a list of numbers"
         : isa<ArrayAttr>(value)         ? "a list of strings"
         : isa<TypeAttr>(value)          ? "an element type"
                                         : "a tensor";
}

/// True if the attribute has the value 0, false or empty, of any kind.
static bool isEmpty(std::optional<NamedAttribute> attribute) {
  return attribute && isa<UnitAttr>(attribute->getValue());
}

template <typename Attr> Attr OperandBinder::get(StringRef name, StringRef kind) {
  seen.insert(name);
  std::optional<NamedAttribute> attribute = find(name);
  if (!attribute || isEmpty(attribute))
    return {};
  auto value = dyn_cast<Attr>(attribute->getValue());
  if (!value)
    error() << "attribute '" << name << "' must be " << kind << ", but is " << describeAttribute(attribute->getValue());
  return value;
}

int64_t OperandBinder::getInt(StringRef name, int64_t missing) {
  auto attribute = get<IntegerAttr>(name, "an integer");
  return attribute ? attribute.getInt() : isEmpty(find(name)) ? 0 : missing;
}

double OperandBinder::getFloat(StringRef name, double missing) {
  auto attribute = get<FloatAttr>(name, "a number");
  return attribute ? attribute.getValueAsDouble() : isEmpty(find(name)) ? 0 : missing;
}

StringRef OperandBinder::getString(StringRef name, StringRef missing) {
  auto attribute = get<StringAttr>(name, "a string");
  return attribute ? attribute.getValue() : isEmpty(find(name)) ? "" : missing;
}

SmallVector<int64_t> OperandBinder::getInts(StringRef name, Ints missing) {
  if (std::optional<NamedAttribute> attribute = find(name); attribute && isa<IntegerAttr>(attribute->getValue()))
    return {getInt(name, 0)}; // some exporters write one integer instead of a list
  auto attribute = get<DenseI64ArrayAttr>(name, "a list of integers");
  return llvm::to_vector(attribute ? attribute.asArrayRef() : missing);
}

SmallVector<double> OperandBinder::getFloats(StringRef name) {
  auto attribute = get<DenseF32ArrayAttr>(name, "a list of numbers");
  return attribute ? llvm::to_vector_of<double>(attribute.asArrayRef()) : SmallVector<double>();
}

SmallVector<StringRef> OperandBinder::getStrings(StringRef name) {
  auto attribute = get<ArrayAttr>(name, "a list of strings");
  return attribute ? llvm::to_vector(attribute.getAsValueRange<StringAttr>()) : SmallVector<StringRef>();
}

Type OperandBinder::getType(StringRef name, Type missing) {
  auto attribute = get<TypeAttr>(name, "an element type");
  return attribute ? attribute.getValue() : missing;
}

ElementsAttr OperandBinder::getTensor(StringRef name) { return get<ElementsAttr>(name, "a tensor"); }

Attribute OperandBinder::getTold(StringRef name) {
  seen.insert(name);
  std::optional<NamedAttribute> attribute = find(name);
  return attribute ? attribute->getValue() : Attribute();
}

SmallVector<int64_t> OperandBinder::getSizes(StringRef name, size_t count, int64_t missing, int64_t low) {
  SmallVector<int64_t> defaults(count, missing);
  SmallVector<int64_t> sizes = getInts(name, defaults);
  if (sizes.size() != count) {
    error() << "attribute '" << name << "' must have " << describeCount(count, "element") << ", but has "
            << sizes.size();
    return defaults;
  }
  for (int64_t size : sizes) {
    if (size >= low && size <= INT32_MAX)
      continue;
    error() << "attribute '" << name << "' must lie between " << low << " and " << INT32_MAX << ", but has " << size;
    return defaults;
  }
  return sizes;
}

StringRef OperandBinder::getChoice(StringRef name, ArrayRef<StringRef> choices) {
  StringRef choice = getString(name, choices.front());
  if (llvm::is_contained(choices, choice))
    return choice;
  error() << "attribute '" << name << "' must be " << llvm::join(choices.drop_back(), ", ") << " or " << choices.back()
          << ", but is '" << choice << "'; export the model with one of these";
  return choices.front();
}

//===----------------------------------------------------------------------===//
// 2. Axes
//===----------------------------------------------------------------------===//

FailureOr<int64_t> OperandBinder::getAxis(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  if (rank == 0)
    return error() << "a scalar has no axes to name, but " << axis << " is";
  return error() << "axis must lie between " << -rank << " and " << rank - 1 << ", but is " << axis;
}

FailureOr<SmallVector<int64_t>> OperandBinder::getAxes(Ints axes, int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes) {
    FailureOr<int64_t> normal = getAxis(axis, rank);
    if (mlir::failed(normal))
      return failure();
    if (llvm::is_contained(result, *normal))
      return error() << "axes must differ, but are [" << axes << "], which names axis " << *normal << " twice";
    result.push_back(*normal);
  }
  return result;
}

} // namespace nacre::importer
