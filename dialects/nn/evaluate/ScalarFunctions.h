// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what each kind of elementwise operator of two values computes, of single numbers (Functions.td: of one value), and
//        what reductions start from.
// Why:   it is the definition that folding uses and that generated code is compared with (test/e2e/models/folding_test.py):
//        what a constant gives when the model is compiled, a value gives when it runs, at the ends of ranges too.
// How:   floats of every width are computed in double and rounded once by the caller; integers in 64 bits, which the
//        caller wraps to the width. What must hold for every number is said at the functions and in NnOps.td.

#ifndef NACRE_DIALECTS_NN_EVALUATE_SCALARFUNCTIONS_H
#define NACRE_DIALECTS_NN_EVALUATE_SCALARFUNCTIONS_H

#include "dialects/nn/NnDialect.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include <type_traits>

namespace nacre::nn {

/// A comparison, in the type that orders the operands as their element type does.
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

/// The kinds that are defined for the operand's type; InferTypes.cpp refuses the others.
double apply(BinaryKind kind, double a, double b);
/// Division by zero gives 0, and so does its remainder. Shifts by the width or more, which all negative amounts are,
/// leave no bit: 0, and -1 of a negative number to the right. A power with a negative exponent is 0 but of 1 and -1.
/// `isUnsigned` is said of both operands, of a power the exponent alone.
int64_t apply(BinaryKind kind, int64_t a, int64_t b, bool isUnsigned);

/// An integer as a float, rounded once to f64 or else to f32, through which narrower floats go. (A float becomes the
/// nearest integer towards zero that the type has, and NaN 0: ConstantBuilder::write.)
double toFloat(int64_t x, bool isUnsigned, bool isDouble);

/// The exponent of a power, rounded to the type that a base of type `base` is computed in: f32 or f64.
inline double toExponent(double exponent, mlir::Type base) {
  return mlir::isa<mlir::FloatType>(base) && !base.isF64() ? double(float(exponent)) : exponent;
}

/// What a reduction to elements of `type` starts from, and so what nothing reduces to. A mean is a sum that is divided:
/// of nothing, NaN, or for integers 0.
mlir::TypedAttr getIdentity(ReduceKind kind, mlir::Type type);

/// Sums and products wrap for integers, where plain ones would be undefined.
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
