// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the result of each elementwise operator of two numbers (for one number, see Functions.td), and the initial
//        values of reductions.
// Why:   this definition serves folding, and generated code is compared with it (test/e2e/models/folding_test.py). So a
//        constant gives the same at compile time as a value at run time, even at the ends of ranges.
// How:   floats of every width are computed in double, and the caller rounds once. Integers are computed in 64 bits,
//        and the caller wraps them to the width. The functions below and NnOps.td define special cases.

#ifndef NACRE_DIALECTS_NN_EVALUATE_SCALARFUNCTIONS_H
#define NACRE_DIALECTS_NN_EVALUATE_SCALARFUNCTIONS_H

#include "dialects/nn/NnDialect.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include <type_traits>

namespace nacre::nn {

/// Compares two numbers. T must order the operands as their element type does.
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

/// Supports only the kinds that are defined for the operand's type; InferTypes.cpp refuses the others.
double apply(BinaryKind kind, double a, double b);
/// The same for integers. A division by zero gives 0, and so does its remainder. A shift by the width or more, or by a
/// negative amount, gives 0; to the right, a negative number gives -1. A power with a negative exponent is 0, except
/// for 1 and -1. `isUnsigned` is the signedness of both operands; for a power, only that of the exponent.
int64_t apply(BinaryKind kind, int64_t a, int64_t b, bool isUnsigned);

/// Returns an integer as a float, rounded once to f64 or else to f32, from which narrower floats are rounded. For the
/// inverse conversion, see ConstantBuilder::write.
double toFloat(int64_t x, bool isUnsigned, bool isDouble);

/// Returns the exponent of a power, rounded to the type in which a base of type `base` is computed: f32 or f64.
inline double toExponent(double exponent, mlir::Type base) {
  return mlir::isa<mlir::FloatType>(base) && !base.isF64() ? double(float(exponent)) : exponent;
}

/// Returns the initial value of a reduction to elements of `type`, which is also its result without elements. Only a
/// mean, which is a divided sum, has another result without elements: NaN, or 0 for integers.
mlir::TypedAttr getIdentity(ReduceKind kind, mlir::Type type);

/// Adds two numbers. Integers wrap, because overflow would be undefined; so do products.
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
