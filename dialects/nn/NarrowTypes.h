// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the narrow element types: floats of 8 and 4 bits, integers of 4 and 2.
// Why:   models have weights and inputs of these types, but no supported machine computes with them.
// How:   these types are stored, moved and converted, but never computed with. Elements of less than a byte are packed
//        in the model's file and in the app's buffers, the first element in the lowest bits. Elsewhere, each element
//        has a byte. Its low bits are the code, and integers are sign-extended to the byte. FloatFormats.h defines the
//        codes of floats.

#ifndef NACRE_DIALECTS_NN_NARROWTYPES_H
#define NACRE_DIALECTS_NN_NARROWTYPES_H

#include "dialects/nn/FloatFormats.h"
#include "dialects/nn/NnDialect.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace nacre::nn {

/// True if elements of `type` are only stored, moved and converted.
inline bool isNarrow(mlir::Type type) {
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(type))
    return integer.getWidth() == 2 || integer.getWidth() == 4;
  return llvm::isa<mlir::FloatType>(type) && type.getIntOrFloatBitWidth() <= 8;
}

/// True if several elements of `type` share a byte in the model's file and in the app's buffers. Each boolean has a
/// whole byte.
inline bool isPacked(mlir::Type type) { return isNarrow(type) && type.getIntOrFloatBitWidth() < 8; }

inline int64_t elementsPerByte(mlir::Type type) { return isPacked(type) ? 8 / type.getIntOrFloatBitWidth() : 1; }

/// Returns the size in bytes of a tensor whose elements may share bytes.
inline int64_t packedBytes(mlir::ShapedType type) {
  return llvm::divideCeil(type.getNumElements(), elementsPerByte(type.getElementType()));
}

/// Returns the code in the low bits of an element's byte, for a packed type. elementOf() is the inverse.
inline unsigned codeOf(mlir::Type type, char element) {
  return uint8_t(element) & llvm::maskTrailingOnes<unsigned>(type.getIntOrFloatBitWidth());
}

inline char elementOf(mlir::Type type, unsigned code) {
  return char(type.isSignlessInteger() ? llvm::SignExtend32(code, type.getIntOrFloatBitWidth()) : int(code));
}

/// Converts elements of a packed type from shared bytes to one byte each. packElements() is the inverse.
inline void unpackElements(mlir::Type type, llvm::ArrayRef<char> packed, llvm::MutableArrayRef<char> elements) {
  const unsigned width = type.getIntOrFloatBitWidth(), perByte = 8 / width;
  for (auto [index, element] : llvm::enumerate(elements))
    element = elementOf(type, codeOf(type, char(uint8_t(packed[index / perByte]) >> index % perByte * width)));
}

inline void packElements(mlir::Type type, llvm::ArrayRef<char> elements, llvm::MutableArrayRef<char> packed) {
  const unsigned width = type.getIntOrFloatBitWidth(), perByte = 8 / width;
  llvm::fill(packed, 0);
  for (auto [index, element] : llvm::enumerate(elements))
    packed[index / perByte] |= char(codeOf(type, element) << index % perByte * width);
}

/// Returns the format of a narrow float; null for f8E8M0FNU and all other types.
inline const FloatFormat *findFormat(mlir::Type type) {
  return llvm::TypeSwitch<mlir::Type, const FloatFormat *>(type)
      .Case([](mlir::Float8E4M3FNType) { return &formatE4M3FN; })
      .Case([](mlir::Float8E4M3FNUZType) { return &formatE4M3FNUZ; })
      .Case([](mlir::Float8E5M2Type) { return &formatE5M2; })
      .Case([](mlir::Float8E5M2FNUZType) { return &formatE5M2FNUZ; })
      .Case([](mlir::Float4E2M1FNType) { return &formatE2M1; })
      .Default(nullptr);
}

/// Returns the code of `value` as f8E8M0FNU. Values outside the range, which include all negative ones, become the
/// nearest end of the range if `saturates` is true; otherwise, they become NaN.
inline unsigned encodeScale(double value, ScaleRounding rounding, bool saturates) {
  if (std::isnan(value))
    return scaleNaN;
  const double least = decodeScale(0), greatest = decodeScale(greatestScale);
  if (value < least)
    return saturates ? 0 : scaleNaN;
  int exponent = scaleBias + 1;
  if (std::isfinite(value)) {
    double mantissa = std::frexp(value, &exponent) * 2; // 1 to 2
    --exponent;
    const bool grows = rounding == ScaleRounding::Up        ? mantissa > 1
                       : rounding == ScaleRounding::Nearest ? mantissa >= 1.5
                                                            : false;
    exponent += grows;
  }
  if (exponent > std::ilogb(greatest))
    return saturates ? greatestScale : scaleNaN;
  return unsigned(exponent + scaleBias);
}

/// Returns the value of the narrow float `type` that is nearest to `value`.
inline double roundTo(mlir::Type type, double value) {
  if (const FloatFormat *format = findFormat(type))
    return decode(*format, encode(*format, value, /*saturates=*/true));
  return decodeScale(encodeScale(value, ScaleRounding::Nearest, /*saturates=*/true));
}

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_NARROWTYPES_H
