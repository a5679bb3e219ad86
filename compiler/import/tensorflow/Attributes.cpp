// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Attributes.h.

#include "compiler/import/tensorflow/Attributes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

/// True if the attribute only repeats the element types of operands, or is a hint. Most names that begin with T repeat
/// types; Targmax and Tout give the type of a result.
bool isRedundant(StringRef name, const tensorflow::AttrValue &value) {
  bool isType =
      value.value_case() == tensorflow::AttrValue::kType || (value.has_list() && value.list().type_size() > 0);
  bool namesOperand = (name.starts_with("T") && name != "Targmax" && name != "Tout") || name == "SrcT" || name == "U" ||
                      name == "Index";
  // A complex result becomes a list of its two parts, which have their own types.
  bool isComplex = value.type() == tensorflow::DT_COMPLEX64 || value.type() == tensorflow::DT_COMPLEX128;
  namesOperand |= name == "Tout" && isComplex;
  // The element type of a list of lists says nothing about the rows of the inner lists.
  namesOperand |= name == "element_dtype" && value.type() == tensorflow::DT_VARIANT;
  return name.starts_with("_") || (isType && namesOperand);
}

/// Returns the complex type of the tensorflow::DataType `type`, or null for other types.
Type getComplexType(int type, Builder builder) {
  if (type == tensorflow::DT_COMPLEX64)
    return ComplexType::get(builder.getF32Type());
  return type == tensorflow::DT_COMPLEX128 ? ComplexType::get(builder.getF64Type()) : Type();
}

FailureOr<Attribute> readType(int type, StringRef name, Location loc) {
  Type element = fromDataType(type, loc.getContext());
  // Only Cast gives its result a complex type by an attribute.
  if (!element && name == "DstT")
    element = getComplexType(type, Builder(loc.getContext()));
  if (!element)
    return emitError(loc) << "attribute '" << name << "' must be a type of numbers, but is '" << getDataTypeName(type)
                          << "'";
  return Attribute(TypeAttr::get(element));
}

/// Returns a list as an attribute. Returns null for an empty list, which means the same as a missing list.
FailureOr<Attribute> readList(const tensorflow::AttrValue::ListValue &list, StringRef name, Location loc) {
  Builder builder(loc.getContext());
  if (list.i_size())
    return Attribute(builder.getDenseI64ArrayAttr(ArrayRef(list.i().data(), list.i_size())));
  if (list.f_size())
    return Attribute(builder.getDenseF32ArrayAttr(ArrayRef(list.f().data(), list.f_size())));
  if (list.b_size())
    return Attribute(builder.getDenseI64ArrayAttr(llvm::to_vector_of<int64_t>(list.b())));
  if (list.s_size())
    return Attribute(builder.getStrArrayAttr(llvm::to_vector_of<StringRef>(list.s())));
  if (list.type_size() || list.shape_size() || list.tensor_size() || list.func_size())
    return emitError(loc) << "attribute '" << name << "' must be a list of numbers or of strings";
  return Attribute();
}

FailureOr<Attribute> readAttribute(TensorFlowModel &model, const tensorflow::AttrValue &value, StringRef name,
                                   Location loc) {
  Builder builder(loc.getContext());
  switch (value.value_case()) {
  case tensorflow::AttrValue::kI:
    return Attribute(builder.getI64IntegerAttr(value.i()));
  case tensorflow::AttrValue::kB:
    return Attribute(builder.getI64IntegerAttr(value.b()));
  case tensorflow::AttrValue::kF:
    return Attribute(builder.getF32FloatAttr(value.f()));
  case tensorflow::AttrValue::kS:
    return Attribute(builder.getStringAttr(value.s()));
  case tensorflow::AttrValue::kType:
    return readType(value.type(), name, loc);
  case tensorflow::AttrValue::kShape:
    if (std::optional<SmallVector<int64_t>> shape = readShape(value.shape()))
      return Attribute(builder.getDenseI64ArrayAttr(*shape));
    return Attribute();
  case tensorflow::AttrValue::kList:
    return readList(value.list(), name, loc);
  case tensorflow::AttrValue::kTensor: {
    FailureOr<ElementsAttr> tensor = model.readConstant(value.tensor(), name, loc);
    if (failed(tensor))
      return failure();
    return Attribute(*tensor);
  }
  case tensorflow::AttrValue::VALUE_NOT_SET:
    return Attribute(builder.getUnitAttr()); // some writers omit zeros, and the kind of the value is then unknown
  default:
    return emitError(loc) << "attribute '" << name
                          << "' must be a number, a string, a type, a shape, a tensor or a list of those";
  }
}

} // namespace

FailureOr<SmallVector<NamedAttribute>> readAttributes(const tensorflow::NodeDef &node, TensorFlowModel &model,
                                                      Location loc) {
  SmallVector<NamedAttribute> result;
  llvm::StringMap<const tensorflow::AttrValue *> values;
  for (const tensorflow::AttrEntry &entry : node.attr())
    values[entry.key()] = &entry.value();
  for (const tensorflow::AttrEntry &entry : node.attr()) {
    StringRef name = entry.key();
    // If several attributes have one name, the last one counts.
    if (values.lookup(name) != &entry.value() || isRedundant(name, entry.value()))
      continue;
    FailureOr<Attribute> value = readAttribute(model, entry.value(), name, loc);
    if (failed(value))
      return failure();
    if (*value)
      result.emplace_back(StringAttr::get(loc.getContext(), name), *value);
  }
  return result;
}

} // namespace nacre::importer::tensorflow_format
