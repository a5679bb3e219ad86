// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table of element types (withElement) gives every conversion; f16 and bf16 have no C++ type and are converted by
// hand.

#include "dialects/nn/ConstantData.h"

#include "dialects/StoredBytes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;

namespace nacre::nn {

namespace {

/// Above this, a dense attribute would hash and copy its bytes for longer than it saves.
constexpr int64_t maxDenseBytes = 64 * 1024;

//===----------------------------------------------------------------------===//
// Floats without a C++ type
//===----------------------------------------------------------------------===//

/// A binary float of `ExponentBits` and `MantissaBits` in 16 bits.
template <unsigned ExponentBits, unsigned MantissaBits> struct SmallFloat {
  static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  static constexpr unsigned exponentMask = (1u << ExponentBits) - 1;
  uint16_t bits;

  explicit operator double() const {
    unsigned exponent = (bits >> MantissaBits) & exponentMask;
    unsigned mantissa = bits & ((1u << MantissaBits) - 1);
    double sign = bits & 0x8000 ? -1.0 : 1.0;
    if (exponent == exponentMask)
      return sign * (mantissa ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity());
    if (exponent == 0)
      return sign * std::ldexp(double(mantissa), 1 - bias - int(MantissaBits));
    return sign * std::ldexp(double(mantissa | (1u << MantissaBits)), int(exponent) - bias - int(MantissaBits));
  }

  /// Rounds to nearest, halves to even, once: from double, the only inexact step.
  static SmallFloat round(double value) {
    uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    uint16_t infinity = exponentMask << MantissaBits;
    if (std::isnan(value))
      return {uint16_t(sign | infinity | (1u << (MantissaBits - 1)))};
    double magnitude = std::fabs(value);
    if (std::isinf(magnitude))
      return {uint16_t(sign | infinity)};
    if (magnitude == 0) // has no exponent to round at
      return {sign};
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    // Denormals share the smallest exponent, so that the rounding below is at their one step.
    exponent = std::max(exponent - 1, 1 - bias);
    double steps = std::nearbyint(std::ldexp(magnitude, int(MantissaBits) - exponent));
    // A carry out of the mantissa lands in the exponent, where it belongs; past the largest it makes infinity.
    uint64_t code = (uint64_t(exponent + bias - 1) << MantissaBits) + uint64_t(steps);
    return {uint16_t(sign | std::min<uint64_t>(code, infinity))};
  }
};
using Half = SmallFloat<5, 10>;
using BFloat = SmallFloat<8, 7>;

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

struct Bool {
  uint8_t value;
};

template <typename To, typename From> To convert(From value) {
  if constexpr (std::is_same_v<From, Half> || std::is_same_v<From, BFloat>)
    return convert<To>(double(value));
  else if constexpr (std::is_same_v<From, Bool>)
    return To(value.value != 0);
  else if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, BFloat>)
    return To::round(double(value));
  else if constexpr (std::is_same_v<To, Bool>)
    return Bool{value != 0};
  else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    // The cast of a value outside the range is undefined; its ends as doubles are exact or just above the range.
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

/// Calls `body` with a value of the C++ type that elements of `type` have in memory.
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
  bool isUnsigned = type.isUnsignedInteger();
  switch (type.getIntOrFloatBitWidth()) {
  case 8:
    return isUnsigned ? body(uint8_t()) : body(int8_t());
  case 16:
    return isUnsigned ? body(uint16_t()) : body(int16_t());
  case 32:
    return isUnsigned ? body(uint32_t()) : body(int32_t());
  case 64:
    return isUnsigned ? body(uint64_t()) : body(int64_t());
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
  view.elementBytes = bytesOfElement(view.type.getElementType());
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || blob->getData().size() != size_t(view.type.getNumElements()) * view.elementBytes)
      return failure();
    view.bytes = blob->getData();
    view.splat = view.type.getNumElements() == 1;
    return view;
  }
  auto dense = dyn_cast<DenseElementsAttr>(attribute);
  if (!dense)
    return failure();
  view.splat = dense.isSplat();
  view.bytes = dense.getRawData();
  if (view.type.getElementType().isSignlessInteger(1)) {
    // MLIR packs booleans into bits.
    if (view.splat)
      view.unpacked.push_back(dense.getSplatValue<bool>());
    else
      llvm::append_range(view.unpacked, dense.getValues<bool>());
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
  // Empty tensors too have a blob, so that bytes is never null.
  blob = HeapAsmResourceBlob::allocate(std::max<size_t>(size, 1), alignof(std::max_align_t));
  bytes = blob.getMutableData().take_front(size);
}

void ConstantBuilder::write(int64_t index, ArrayRef<double> values) {
  writeAs(type.getElementType(), at(index), values);
}

void ConstantBuilder::write(int64_t index, ArrayRef<int64_t> values) {
  writeAs(type.getElementType(), at(index), values);
}

ElementsAttr ConstantBuilder::take() && {
  if (int64_t(bytes.size()) > maxDenseBytes)
    return DenseResourceElementsAttr::get(type, "folded", std::move(blob));
  if (type.getElementType().isSignlessInteger(1)) {
    SmallVector<bool> values(llvm::map_range(bytes, [](char byte) { return byte != 0; }));
    return DenseElementsAttr::get(type, values);
  }
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

FailureOr<ElementsAttr> reshapeConstant(ElementsAttr attribute, RankedTensorType type) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute))
    return ElementsAttr(DenseResourceElementsAttr::get(type, resource.getRawHandle()));
  if (auto dense = dyn_cast<DenseElementsAttr>(attribute))
    return ElementsAttr(dense.reshape(type));
  return failure();
}

} // namespace nacre::nn
