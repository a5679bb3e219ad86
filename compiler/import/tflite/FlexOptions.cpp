// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A FlexBuffer ends with its root, the type of the root, and the root's width. A vector is its length, its elements,
// and a byte for the type of each element. A map is a vector of values. The offset of its sorted keys and their width
// are before the length. The lower two bits of a type are the logarithm of the width of the referenced object.

#include "compiler/import/tflite/FlexOptions.h"
#include "compiler/import/messages/TypeNames.h"

#include "dialects/PrintableText.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Endian.h"

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

enum FlexType : uint8_t {
  Int = 1,
  UInt = 2,
  Float = 3,
  IndirectInt = 6,
  IndirectUInt = 7,
  IndirectFloat = 8,
  Map = 9,
  Bool = 26
};

class FlexMap {
public:
  explicit FlexMap(ArrayRef<uint8_t> bytes) : bytes(bytes) {}

  /// Finds the map in the bytes. Returns false if the bytes are not a map.
  bool open() {
    if (bytes.size() < 3 || bytes[bytes.size() - 2] >> 2 != Map)
      return false;
    const unsigned rootWidth = bytes.back();
    width = widthOf(bytes[bytes.size() - 2]);
    std::optional<size_t> place = follow(bytes.size() - 2 - rootWidth, rootWidth);
    if (!place || *place < size_t(3) * width)
      return false;
    elements = *place;
    std::optional<uint64_t> size = readUnsigned(elements - width, width),
                            wide = readUnsigned(elements - size_t(2) * width, width);
    std::optional<size_t> at = follow(elements - size_t(3) * width, width);
    if (!size || !wide || !at || *size > bytes.size() / (width + 1))
      return false;
    count = *size;
    keyWidth = static_cast<unsigned>(std::min<uint64_t>(*wide, 255));
    keys = *at;
    return elements + count * (width + 1) <= bytes.size();
  }

  size_t getCount() const { return count; }

  /// Returns the key of an entry, or nullopt if it is invalid.
  std::optional<StringRef> getKey(size_t index) const {
    std::optional<size_t> place = follow(keys + index * keyWidth, keyWidth);
    if (!place)
      return std::nullopt;
    StringRef rest(reinterpret_cast<const char *>(bytes.data()) + *place, bytes.size() - *place);
    const size_t length = rest.find('\0');
    return length > 200 ? std::nullopt : std::optional(rest.take_front(length));
  }

  /// Returns the value of an entry, or null if it is not a number.
  Attribute getNumber(Builder &builder, size_t index) const {
    const uint8_t packed = bytes[elements + count * width + index];
    const unsigned type = packed >> 2;
    const size_t place = elements + index * width;
    if (type < IndirectInt || type > IndirectFloat)
      return read(builder, type, place, width);
    std::optional<size_t> other = follow(place, width);
    return other ? read(builder, type - IndirectInt + Int, *other, widthOf(packed)) : Attribute();
  }

private:
  static unsigned widthOf(uint8_t packed) { return 1U << (packed & 3); }

  std::optional<uint64_t> readUnsigned(size_t at, unsigned size) const {
    using namespace llvm::support::endian;
    if (at > bytes.size() || size > bytes.size() - at)
      return std::nullopt;
    const uint8_t *from = bytes.data() + at;
    switch (size) {
    case 1:
      return *from;
    case 2:
      return read16le(from);
    case 4:
      return read32le(from);
    case 8:
      return read64le(from);
    default:
      return std::nullopt;
    }
  }

  /// Returns the position to which the offset that is stored at `at` leads.
  std::optional<size_t> follow(size_t at, unsigned size) const {
    std::optional<uint64_t> back = readUnsigned(at, size);
    return back && *back <= at ? std::optional(static_cast<size_t>(at - *back)) : std::nullopt;
  }

  Attribute read(Builder &builder, unsigned type, size_t at, unsigned size) const {
    std::optional<uint64_t> bits = readUnsigned(at, size);
    if (!bits)
      return {};
    if (type == Int)
      return builder.getI64IntegerAttr(llvm::SignExtend64(*bits, size * 8));
    if (type == UInt || type == Bool)
      return builder.getI64IntegerAttr(static_cast<int64_t>(*bits));
    if (type == Float && size == 4)
      return builder.getF64FloatAttr(llvm::bit_cast<float>(static_cast<uint32_t>(*bits)));
    if (type == Float && size == 8)
      return builder.getF64FloatAttr(llvm::bit_cast<double>(*bits));
    return {};
  }

  ArrayRef<uint8_t> bytes;
  size_t elements = 0, count = 0, keys = 0;
  unsigned width = 1, keyWidth = 1;
};

} // namespace

LogicalResult readFlexOptions(ArrayRef<uint8_t> bytes, Location loc, SmallVectorImpl<NamedAttribute> &attributes) {
  // Operators may share a list of bytes, and its entries are copied, so its size is limited.
  constexpr size_t most = 4096;
  FlexMap map(bytes);
  if (bytes.size() > most || !map.open())
    return emitError(loc) << "its options must be a map from names to numbers of at most " << most
                          << " bytes, but are something else of " << describeCount(bytes.size(), "byte")
                          << "; export or download the model again";
  Builder builder(loc.getContext());
  for (size_t index = 0; index < map.getCount(); ++index) {
    std::optional<StringRef> key = map.getKey(index);
    if (!key || key->empty())
      return emitError(loc) << "its options must have names, but one has none; export or download the model again";
    if (key->starts_with("_"))
      continue;
    Attribute number = map.getNumber(builder, index);
    if (!number)
      return emitError(loc) << "attribute '" << toPrintable(*key) << "' must be a number, but is not";
    attributes.push_back(builder.getNamedAttr(*key, number));
  }
  return success();
}

} // namespace nacre::importer::tflite_format
