// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the options of an operator as attributes.

#include "compiler/import/tflite/Options.h"

#include "compiler/import/tflite/FlexOptions.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace nacre::importer::tflite_format {

/// Returns the offset of field `index` in its table, or 0 if the field is absent.
static flatbuffers::voffset_t locate(const flatbuffers::Table &table, size_t index) {
  constexpr size_t header = 2; // a vtable begins with its own size and the size of the table
  return table.GetOptionalFieldOffset(
      static_cast<flatbuffers::voffset_t>((header + index) * sizeof(flatbuffers::voffset_t)));
}

/// Returns the number of fields that the table's vtable has entries for.
static size_t countFields(const flatbuffers::Table &table) {
  size_t entries = flatbuffers::ReadScalar<flatbuffers::voffset_t>(table.GetVTable()) / sizeof(flatbuffers::voffset_t);
  return entries - std::min<size_t>(entries, 2);
}

template <typename T> static ArrayRef<T> readList(const uint8_t *field) {
  return toArray(
      reinterpret_cast<const flatbuffers::Vector<T> *>(field + flatbuffers::ReadScalar<flatbuffers::uoffset_t>(field)));
}

/// Returns a short list as an attribute. Returns null for a long list, because lists are copied and operators may share
/// them.
template <typename T, typename Make> static Attribute readFew(const uint8_t *field, Make make) {
  constexpr size_t most = 4096;
  ArrayRef<T> list = readList<T>(field);
  return list.size() <= most ? make(list) : Attribute();
}

/// Returns a field with the type `type` as an attribute; null if it is a long list.
static Attribute readField(Builder builder, flatbuffers::TypeCode type, const uint8_t *field) {
  if (type.is_repeating && type.base_type == flatbuffers::ET_INT)
    return readFew<int32_t>(field, [&](ArrayRef<int32_t> list) -> Attribute {
      return builder.getDenseI64ArrayAttr(llvm::to_vector_of<int64_t>(list));
    });
  if (type.is_repeating && type.base_type == flatbuffers::ET_FLOAT)
    return readFew<float>(field, [&](ArrayRef<float> list) -> Attribute { return builder.getDenseF32ArrayAttr(list); });
  if (type.base_type == flatbuffers::ET_STRING)
    return UnitAttr::get(
        builder.getContext()); // only VAR_HANDLE has strings, and the reader handles it; in other operators, strings
                               // are an error
  if (type.base_type == flatbuffers::ET_FLOAT)
    return builder.getF32FloatAttr(flatbuffers::ReadScalar<float>(field));
  if (type.base_type == flatbuffers::ET_INT)
    return builder.getI64IntegerAttr(flatbuffers::ReadScalar<int32_t>(field));
  if (type.base_type == flatbuffers::ET_LONG)
    return builder.getI64IntegerAttr(flatbuffers::ReadScalar<int64_t>(field));
  assert((type.base_type == flatbuffers::ET_BOOL || type.base_type == flatbuffers::ET_CHAR) && !type.is_repeating &&
         "tflite.fbs has options of only these types");
  return builder.getI64IntegerAttr(flatbuffers::ReadScalar<int8_t>(field));
}

LogicalResult readOptions(const schema::Operator &op, bool isCustom, Location loc,
                          SmallVectorImpl<NamedAttribute> &attributes) {
  if (isCustom && op.large_custom_options_size() == 0)
    return readFlexOptions(toArray(op.custom_options()), loc, attributes);
  if (isCustom)
    return emitError(loc) << "its options must be in the model's tables, but follow them, which is not supported";
  if (!op.builtin_options() || op.builtin_options_type() == schema::BuiltinOptions_NONE)
    return success();
  if (op.builtin_options_type() > schema::BuiltinOptions_MAX)
    return emitError(loc) << "its options must be of a known kind, but are of kind " << int(op.builtin_options_type());
  const flatbuffers::TypeTable &kinds = *schema::BuiltinOptionsTypeTable();
  const flatbuffers::TypeTable &fields = *kinds.type_refs[kinds.type_codes[op.builtin_options_type()].sequence_ref]();
  const auto &table = *static_cast<const flatbuffers::Table *>(op.builtin_options());
  Builder builder(loc.getContext());
  for (size_t index = 0, count = countFields(table); index < count; ++index) {
    flatbuffers::voffset_t place = locate(table, index);
    if (!place)
      continue;
    if (index >= fields.num_elems)
      return emitError(loc) << "its options must be known, but one belongs to a newer version of the format";
    const auto *field = reinterpret_cast<const uint8_t *>(&table) + place;
    Attribute value = readField(builder, fields.type_codes[index], field);
    if (!value)
      return emitError(loc) << "attribute '" << fields.names[index] << "' must be a short list, but is too long";
    attributes.push_back(builder.getNamedAttr(fields.names[index], value));
  }
  return success();
}

} // namespace nacre::importer::tflite_format
