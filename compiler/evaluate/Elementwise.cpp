// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operators and conversions. The dialect itself defines the functions of single elements
// (dialects/nn/Functions.td, ScalarFunctions.h, FixedPoint.h).

#include "compiler/evaluate/Operators.h"
#include "compiler/evaluate/Walks.h"
#include "dialects/nn/FixedPoint.h"
#include "dialects/nn/NarrowTypes.h"
#include "dialects/nn/evaluate/ScalarFunctions.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace nacre::evaluate {
namespace {

/// Calls forEachElement for the result. The first `count` operands are broadcast to it.
template <size_t count, typename Body> void forEachElementOf(const Tensor &result, Operands operands, Body &&body) {
  Shape strides[count];
  for (size_t i = 0; i < count; ++i)
    strides[i] = broadcastStridesOf(operands[i].getShape(), result.getShape());
  forEachElement(result.getShape(), strides, body);
}

/// True for functions that are not continuous.
bool leaps(nn::UnaryKind kind) {
  switch (kind) {
  case nn::UnaryKind::Floor:
  case nn::UnaryKind::Ceil:
  case nn::UnaryKind::Round:
  case nn::UnaryKind::Sign:
  case nn::UnaryKind::IsInf:
    return true;
  default:
    return false;
  }
}

bool leaps(nn::BinaryKind kind) {
  return kind == nn::BinaryKind::Mod || kind == nn::BinaryKind::Fmod ||
         nn::getFacts(kind).is(nn::FunctionFacts::predicate);
}

/// Truncates `x` to the type `to`. Values out of range saturate, and NaN becomes 0. For integers of 4 and 2 bits, `x`
/// is rounded to nearest even, and wraps.
int64_t toInteger(Type to, double x) {
  const unsigned width = to.getIntOrFloatBitWidth();
  if (width == 1)
    return x != 0;
  if (std::isnan(x))
    return 0;
  const bool wraps = nn::isNarrow(to), isUnsigned = to.isUnsignedInteger() && !wraps;
  const unsigned range = wraps ? 32 : width;
  x = wraps ? std::nearbyint(x) : std::trunc(x);
  const double beyond = std::ldexp(1.0, int(isUnsigned ? range : range - 1)); // the smallest value that is too large
  int64_t integer = 0;
  if (x >= beyond)
    integer = isUnsigned ? int64_t(llvm::maskTrailingOnes<uint64_t>(range)) : llvm::maxIntN(range);
  else if (x < (isUnsigned ? 0 : -beyond))
    integer = isUnsigned ? 0 : llvm::minIntN(range);
  else
    integer = isUnsigned ? int64_t(uint64_t(x)) : int64_t(x);
  return wrapTo(to, integer);
}

} // namespace

Tensor evaluate(nn::UnaryOp op, Operands operands) {
  const nn::UnaryFacts &facts = nn::getFacts(op.getKind());
  const Tensor x = leaps(op.getKind()) ? operands[0].asStored() : operands[0];
  const double alpha = op.getAlpha().convertToDouble();
  Tensor result(op.getType());
  Cell *to = result.write();
  for (int64_t i = 0; i < result.size(); ++i)
    if (!x.isFloat())
      to[i].integer = wrapTo(op.getType().getElementType(), facts.ofInteger(x.integer(i), x.isUnsigned()));
    else if (result.isFloat())
      to[i].number = facts.ofFloat(x.number(i), alpha);
    else
      to[i].integer = facts.ofFloat(x.number(i), alpha) != 0;
  return result;
}

Tensor evaluate(nn::BinaryOp op, Operands operands) {
  const nn::BinaryKind kind = op.getKind();
  const bool compares = nn::getFacts(kind).is(nn::FunctionFacts::predicate);
  const Tensor a = leaps(kind) ? operands[0].asStored() : operands[0];
  const Tensor b = leaps(kind) ? operands[1].asStored() : operands[1];
  Tensor result(op.getType());
  Cell *to = result.write();
  const Type element = result.getElementType();
  auto asDouble = [](const Tensor &tensor, int64_t i) {
    return tensor.isFloat() ? tensor.number(i) : nn::toFloat(tensor.integer(i), tensor.isUnsigned(), /*isDouble=*/true);
  };
  const bool isMixed = a.getElementType() != b.getElementType(); // a power may have mixed types
  if (a.isFloat() && b.isFloat() && !compares && !isMixed) {
    forEachElementOf<2>(result, operands, [&](int64_t i, const int64_t *at) {
      to[i].number = nn::apply(kind, a.number(at[0]), b.number(at[1]));
    });
    return result;
  }
  forEachElementOf<2>(result, operands, [&](int64_t i, const int64_t *at) {
    if (a.isFloat() || b.isFloat()) {
      const double x = asDouble(a, at[0]), right = asDouble(b, at[1]);
      const double y = isMixed ? nn::toExponent(right, a.getElementType()) : right;
      if (compares)
        to[i].integer = nn::compare(kind, x, y);
      else if (const double value = nn::apply(kind, x, y); result.isFloat())
        to[i].number = value;
      else
        to[i].integer = toInteger(element, value);
      return;
    }
    const int64_t x = a.integer(at[0]), y = b.integer(at[1]);
    if (compares)
      to[i].integer = a.isUnsigned() ? nn::compare(kind, uint64_t(x), uint64_t(y)) : nn::compare(kind, x, y);
    else
      to[i].integer = wrapTo(element, nn::apply(kind, x, y, a.isUnsigned(), b.isUnsigned()));
  });
  return result;
}

Tensor evaluate(nn::SelectOp op, Operands operands) {
  Tensor result(op.getType());
  Cell *to = result.write();
  forEachElementOf<3>(result, operands, [&](int64_t i, const int64_t *at) {
    to[i] = operands[0].integer(at[0]) ? operands[1][at[1]] : operands[2][at[2]];
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

namespace {

/// Rounds a value to the 8- or 4-bit float type `to`, by the rules of the cast.
double toNarrowFloat(nn::CastOp op, Type to, double x) {
  const bool saturates = !op.getOverflows();
  if (const nn::FloatFormat *format = nn::findFormat(to))
    return nn::decode(*format, nn::encode(*format, x, saturates));
  return nn::decodeScale(nn::encodeScale(x, op.getRounding(), saturates));
}

} // namespace

Tensor evaluate(nn::CastOp op, Operands operands) {
  const Type to = op.getType().getElementType();
  const bool isNarrowFloat = isa<FloatType>(to) && nn::isNarrow(to);
  Tensor result(op.getType());
  const Tensor x = result.isFloat() ? operands[0] : operands[0].asStored(); // a conversion to integers is discontinuous
  Cell *cells = result.write();
  for (int64_t i = 0; i < result.size(); ++i) {
    if (!result.isFloat()) {
      cells[i].integer = x.isFloat() ? toInteger(to, x.number(i)) : wrapTo(to, x.integer(i));
      continue;
    }
    // Integers become floats of less than 32 bits in two steps, through f32.
    const double number = x.isFloat() ? x.number(i) : nn::toFloat(x.integer(i), x.isUnsigned(), to.isF64());
    cells[i].number = isNarrowFloat ? toNarrowFloat(op, to, number) : roundTo(to, number);
  }
  return result;
}

Tensor evaluate(nn::RequantizeOp op, Operands operands) {
  Tensor result(op.getType());
  Cell *to = result.write();
  forEachElementOf<3>(result, operands, [&](int64_t i, const int64_t *at) {
    to[i].integer = nn::requantize(op.getRounding(), operands[0].integer(at[0]),
                                   {int32_t(operands[1].integer(at[1])), int32_t(operands[2].integer(at[2]))});
  });
  return result;
}

namespace {

uint64_t bitsOf(Type type, Cell cell) {
  if (!isa<FloatType>(type))
    return uint64_t(cell.integer) & llvm::maskTrailingOnes<uint64_t>(type.getIntOrFloatBitWidth());
  uint64_t bits = 0;
  const auto narrow = float(cell.number);
  if (type.isF64())
    std::memcpy(&bits, &cell.number, sizeof(double));
  else if (type.isF32())
    std::memcpy(&bits, &narrow, sizeof(float));
  else
    bits = codeOf(type, cell.number);
  return bits;
}

Cell cellOf(Type type, uint64_t bits) {
  Cell cell{};
  float narrow = 0;
  if (!isa<FloatType>(type)) {
    cell.integer = wrapTo(type, int64_t(bits));
  } else if (type.isF64()) {
    std::memcpy(&cell.number, &bits, sizeof(double));
  } else if (type.isF32()) {
    std::memcpy(&narrow, &bits, sizeof(float));
    cell.number = narrow;
  } else if (type.isF16() || type.isBF16()) {
    cell.number = nn::decode(type.isF16() ? nn::formatF16 : nn::formatBF16, unsigned(bits));
  } else if (const nn::FloatFormat *format = nn::findFormat(type)) {
    cell.number = nn::decode(*format, unsigned(bits));
  } else {
    cell.number = nn::decodeScale(unsigned(bits));
  }
  return cell;
}

} // namespace

Tensor evaluate(nn::BitcastOp op, Operands operands) {
  const Tensor &x = operands[0];
  const Type from = x.getElementType(), to = op.getType().getElementType();
  const unsigned width = from.getIntOrFloatBitWidth(), newWidth = to.getIntOrFloatBitWidth();
  Tensor result(op.getType());
  Cell *cells = result.write();
  if (newWidth <= width) { // several elements come from one, lowest bits first
    const unsigned parts = width / newWidth;
    for (int64_t i = 0; i < result.size(); ++i)
      cells[i] =
          cellOf(to, bitsOf(from, x[i / parts]) >> (i % parts * newWidth) & llvm::maskTrailingOnes<uint64_t>(newWidth));
    return result;
  }
  const unsigned parts = newWidth / width;
  for (int64_t i = 0; i < result.size(); ++i) {
    uint64_t bits = 0;
    for (unsigned part = 0; part < parts; ++part)
      bits |= bitsOf(from, x[i * parts + part]) << part * width;
    cells[i] = cellOf(to, bits);
  }
  return result;
}

} // namespace nacre::evaluate
