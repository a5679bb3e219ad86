// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  computes each elementwise operator of two scalars, and the initial values of reductions. Functions.td defines
//        the operators of one scalar.
// Why:   folding uses this definition, and a test compares generated code with it (test/e2e/models/folding_test.py). So
//        a result is the same at compile time and at run time, even at the ends of ranges.
// How:   floats of every width are computed in double, and the caller rounds once. Integers are computed in 64 bits,
//        and the caller wraps them to the width. The functions below and NnOps.td define special cases.

#ifndef NACRE_DIALECTS_NN_EVALUATE_SCALARFUNCTIONS_H
#define NACRE_DIALECTS_NN_EVALUATE_SCALARFUNCTIONS_H

#include "dialects/nn/NnDialect.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include <type_traits>

namespace nacre::nn {

/// Compares two scalars. T must have the order of their element type.
template <typename T> bool compare(BinaryKind kind, T a, T b) {
  switch (kind) {
  case BinaryKind::Equal:
    return a == b;
  case BinaryKind::Less:
    return a < b;
  case BinaryKind::LessEqual:
    return a <= b;
  case BinaryKind::Greater:
    return a > b;
  default:
    return a >= b;
  }
}

/// Computes `kind` for two floats. `kind` must be defined for floats; infer/InferTypes.cpp rejects other kinds.
double apply(BinaryKind kind, double a, double b);
/// Computes `kind` for two integers. A division by zero gives 0, and so does its remainder. A shift by a negative
/// amount, or by the width or more, gives 0; a right shift of a negative value gives -1. A power with a negative
/// exponent is 0, except for the bases 1 and -1. `isUnsigned` is the signedness of both operands, but the exponent of a
/// power has its own.
int64_t apply(BinaryKind kind, int64_t a, int64_t b, bool isUnsigned, bool isExponentUnsigned);

/// Converts an integer to a float, rounded once: to f64 if `isDouble`, otherwise to f32. Narrower floats are rounded
/// from f32. ConstantBuilder::write is the inverse conversion.
double toFloat(int64_t x, bool isUnsigned, bool isDouble);

/// Returns the exponent of a power, rounded to f32 or f64. A base of type `base` is computed in that type.
inline double toExponent(double exponent, mlir::Type base) {
  return mlir::isa<mlir::FloatType>(base) && !base.isF64() ? double(float(exponent)) : exponent;
}

/// Returns the initial value of a reduction to elements of `type`. It is also the result for no elements. A mean, which
/// is a divided sum, is the exception: without elements it is NaN, or 0 for integers.
mlir::TypedAttr getIdentity(ReduceKind kind, mlir::Type type);

/// Adds two scalars. Integers wrap, because overflow would be undefined.
template <typename T> T add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T(uint64_t(a) + uint64_t(b));
  else
    return a + b;
}

template <typename T> T multiply(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T(uint64_t(a) * uint64_t(b));
  else
    return a * b;
}

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_EVALUATE_SCALARFUNCTIONS_H
