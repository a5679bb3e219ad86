// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table of element types (withElement) defines every conversion. NarrowTypes.h defines the codes of types that do
// not exist in C++.

#include "dialects/nn/ConstantData.h"

#include "dialects/StoredBytes.h"
#include "dialects/nn/NarrowTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;

namespace nacre::nn {

namespace {

/// Size in bytes of the largest dense attribute. Larger ones would take more time to hash and to copy than they save.
constexpr int64_t maxDenseBytes = 64 * 1024;

//===----------------------------------------------------------------------===//
// Elements without a C++ type
//===----------------------------------------------------------------------===//

struct Bool {
  uint8_t value;
};

/// A float of 16 bits or less.
template <const FloatFormat &format, typename Bits> struct CodedFloat {
  Bits bits;

  explicit operator double() const { return decode(format, bits); }
  static CodedFloat round(double value) { return {Bits(encode(format, value, /*saturates=*/sizeof(Bits) == 1))}; }
};
using Half = CodedFloat<formatF16, uint16_t>;
using BFloat = CodedFloat<formatBF16, uint16_t>;

struct Scale {
  uint8_t bits;

  explicit operator double() const { return decodeScale(bits); }
  static Scale round(double value) { return {uint8_t(encodeScale(value, ScaleRounding::Up, /*saturates=*/true))}; }
};

/// An integer of `width` bits that is stored in a byte.
template <typename Byte, unsigned width> struct NarrowInteger {
  Byte value;

  static NarrowInteger wrap(int64_t value) {
    return {std::is_signed_v<Byte> ? Byte(llvm::SignExtend64<width>(value)) : Byte(value & ((1 << width) - 1))};
  }
};

template <typename T> constexpr bool isCoded = false;
template <const FloatFormat &format, typename Bits> constexpr bool isCoded<CodedFloat<format, Bits>> = true;
template <> constexpr bool isCoded<Scale> = true;
template <typename T> constexpr bool isNarrowInteger = false;
template <typename Byte, unsigned width> constexpr bool isNarrowInteger<NarrowInteger<Byte, width>> = true;

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

template <typename To, typename From> To convert(From value) {
  if constexpr (isCoded<From>)
    return convert<To>(double(value));
  else if constexpr (isNarrowInteger<From>)
    return convert<To>(value.value);
  else if constexpr (std::is_same_v<From, Bool>)
    return To(value.value != 0);
  else if constexpr (isCoded<To>)
    return To::round(double(value));
  else if constexpr (std::is_same_v<To, Bool>)
    return Bool{value != 0};
  else if constexpr (isNarrowInteger<To> && std::is_floating_point_v<From>)
    return To::wrap(convert<int32_t>(std::nearbyint(value)));
  else if constexpr (isNarrowInteger<To>)
    return To::wrap(int64_t(value));
  else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    // A cast of a value outside the range would be undefined. The ends of the range, converted to From, are exact or
    // just above the range.
    if (std::isnan(value))
      return 0;
    if (value >= From(std::numeric_limits<To>::max()))
      return std::numeric_limits<To>::max();
    if (value <= From(std::numeric_limits<To>::min()))
      return std::numeric_limits<To>::min();
    return To(value);
  } else
    return To(value);
}

template <typename Body> void withNarrowElement(Type type, Body &&body) {
  const bool isUnsigned = type.isUnsignedInteger();
  llvm::TypeSwitch<Type>(type)
      .Case([&](Float8E4M3FNType) { body(CodedFloat<formatE4M3FN, uint8_t>()); })
      .Case([&](Float8E4M3FNUZType) { body(CodedFloat<formatE4M3FNUZ, uint8_t>()); })
      .Case([&](Float8E5M2Type) { body(CodedFloat<formatE5M2, uint8_t>()); })
      .Case([&](Float8E5M2FNUZType) { body(CodedFloat<formatE5M2FNUZ, uint8_t>()); })
      .Case([&](Float4E2M1FNType) { body(CodedFloat<formatE2M1, uint8_t>()); })
      .Case([&](Float8E8M0FNUType) { body(Scale()); })
      .Default([&](Type) {
        if (type.getIntOrFloatBitWidth() == 4)
          isUnsigned ? body(NarrowInteger<uint8_t, 4>()) : body(NarrowInteger<int8_t, 4>());
        else
          isUnsigned ? body(NarrowInteger<uint8_t, 2>()) : body(NarrowInteger<int8_t, 2>());
      });
}

/// Calls `body` with a number of the type `Unsigned`, or of its signed counterpart if `type` is signed.
template <typename Unsigned, typename Body> void withInteger(Type type, Body &&body) {
  if (type.isUnsignedInteger())
    return body(Unsigned());
  return body(std::make_signed_t<Unsigned>());
}

/// Calls `body` with a value of the C++ type that represents elements of `type` in memory.
template <typename Body> void withElement(Type type, Body &&body) {
  if (type.isF32())
    return body(float());
  if (type.isF64())
    return body(double());
  if (type.isF16())
    return body(Half());
  if (type.isBF16())
    return body(BFloat());
  if (type.isSignlessInteger(1))
    return body(Bool());
  if (isNarrow(type))
    return withNarrowElement(type, body);
  switch (type.getIntOrFloatBitWidth()) {
  case 8:
    return withInteger<uint8_t>(type, body);
  case 16:
    return withInteger<uint16_t>(type, body);
  case 32:
    return withInteger<uint32_t>(type, body);
  case 64:
    return withInteger<uint64_t>(type, body);
  }
  llvm_unreachable("nn has no other element type");
}

template <typename T> void readAs(const ConstantView &view, int64_t index, int64_t stride, int64_t count, T *out) {
  withElement(view.getElementType(), [&](auto element) {
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(&element, view.at(index + i * stride), sizeof(element));
      out[i] = convert<T>(element);
    }
  });
}

template <typename T> void writeAs(Type type, char *to, ArrayRef<T> values) {
  withElement(type, [&](auto element) {
    for (T value : values) {
      element = convert<decltype(element)>(value);
      std::memcpy(to, &element, sizeof(element));
      to += sizeof(element);
    }
  });
}

} // namespace

//===----------------------------------------------------------------------===//
// ConstantView
//===----------------------------------------------------------------------===//

FailureOr<ConstantView> ConstantView::get(ElementsAttr attribute) {
  ConstantView view;
  view.type = dyn_cast<RankedTensorType>(attribute.getType());
  if (!view.type || !view.type.getElementType().isIntOrFloat())
    return failure();
  Type element = view.type.getElementType();
  view.elementBytes = bytesOfElement(element);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    const int64_t bytes = isPacked(element) ? packedBytes(view.type) : storedBytes(view.type);
    if (!blob || blob->getData().size() != size_t(bytes))
      return failure();
    view.bytes = blob->getData();
    view.splat = view.type.getNumElements() == 1;
    if (isPacked(element)) {
      view.unpacked.resize_for_overwrite(view.type.getNumElements());
      unpackElements(element, view.bytes, view.unpacked);
    }
    return view;
  }
  auto dense = dyn_cast<DenseElementsAttr>(attribute);
  if (!dense)
    return failure();
  view.splat = dense.isSplat();
  view.bytes = dense.getRawData();
  if (element.isSignlessInteger(1)) {
    // MLIR packs dense booleans into bits.
    if (view.splat)
      view.unpacked.push_back(dense.getSplatValue<bool>());
    else
      llvm::append_range(view.unpacked, dense.getValues<bool>());
  } else if (isPacked(element)) {
    // The unused bits of the byte are undefined.
    for (char byte : view.bytes)
      view.unpacked.push_back(elementOf(element, codeOf(element, byte)));
  }
  return view;
}

void ConstantView::read(int64_t index, int64_t stride, int64_t count, double *out) const {
  readAs(*this, index, stride, count, out);
}

void ConstantView::read(int64_t index, int64_t stride, int64_t count, int64_t *out) const {
  readAs(*this, index, stride, count, out);
}

SmallVector<int64_t> ConstantView::readIntegers() const {
  SmallVector<int64_t> values(type.getNumElements());
  read(0, 1, values.size(), values.data());
  return values;
}

//===----------------------------------------------------------------------===//
// ConstantBuilder
//===----------------------------------------------------------------------===//

ConstantBuilder::ConstantBuilder(RankedTensorType type, bool splat)
    : type(type), elementBytes(bytesOfElement(type.getElementType())) {
  size_t size = size_t(splat ? 1 : type.getNumElements()) * elementBytes;
  // Empty tensors also have a blob, so that `bytes` is never null.
  blob = HeapAsmResourceBlob::allocate(std::max<size_t>(size, 1), alignof(std::max_align_t));
  bytes = blob.getMutableData().take_front(size);
}

void ConstantBuilder::write(int64_t index, ArrayRef<double> values) {
  writeAs(type.getElementType(), at(index), values);
}

void ConstantBuilder::write(int64_t index, ArrayRef<int64_t> values) {
  writeAs(type.getElementType(), at(index), values);
}

void ConstantBuilder::write(int64_t index, ArrayRef<uint8_t> codes) {
  assert(elementBytes == 1 && "elements are bytes");
  std::memcpy(at(index), codes.data(), codes.size());
}

ElementsAttr ConstantBuilder::take() && {
  Type element = type.getElementType();
  if (int64_t(bytes.size()) > maxDenseBytes) {
    if (!isPacked(element))
      return DenseResourceElementsAttr::get(type, "folded", std::move(blob));
    AsmResourceBlob packed = HeapAsmResourceBlob::allocate(packedBytes(type), alignof(std::max_align_t));
    packElements(element, bytes, packed.getMutableData());
    return DenseResourceElementsAttr::get(type, "folded", std::move(packed));
  }
  if (element.isSignlessInteger(1)) {
    SmallVector<bool> values(llvm::map_range(bytes, [](char byte) { return byte != 0; }));
    return DenseElementsAttr::get(type, values);
  }
  if (isPacked(element)) // Equal constants must have equal bytes, whatever created them.
    for (char &byte : bytes)
      byte = char(codeOf(element, byte));
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

FailureOr<ElementsAttr> reshapeConstant(ElementsAttr attribute, RankedTensorType type) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute))
    return ElementsAttr(DenseResourceElementsAttr::get(type, resource.getRawHandle()));
  if (auto dense = dyn_cast<DenseElementsAttr>(attribute))
    return ElementsAttr(dense.reshape(type));
  return failure();
}

/// Number of bytes that hashBeginning() reads.
static constexpr size_t hashedBytes = 4096;

/// Returns the bytes of all elements; empty for splats and for resources without their blob.
static ArrayRef<char> dataOf(ElementsAttr attribute) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    return blob ? blob->getData() : ArrayRef<char>();
  }
  auto dense = dyn_cast<DenseElementsAttr>(attribute);
  return dense && !dense.isSplat() ? dense.getRawData() : ArrayRef<char>();
}

bool haveSameData(ElementsAttr a, ElementsAttr b) {
  return a == b || (a.getShapedType() == b.getShapedType() && !dataOf(a).empty() && dataOf(a) == dataOf(b));
}

bool beginsWith(ElementsAttr whole, ElementsAttr part) {
  const ArrayRef<char> all = dataOf(whole), first = dataOf(part);
  return whole.getElementType() == part.getElementType() && first.size() >= hashedBytes && first.size() <= all.size() &&
         all.take_front(first.size()) == first;
}

uint64_t hashBeginning(ElementsAttr attribute) {
  const ArrayRef<char> data = dataOf(attribute).take_front(hashedBytes);
  return data.empty() ? uint64_t(hash_value(Attribute(attribute)))
                      : llvm::xxh3_64bits(StringRef(data.data(), data.size()));
}

} // namespace nacre::nn
