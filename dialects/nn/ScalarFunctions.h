// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what each kind of elementwise operator computes, of single numbers.
// Why:   it is the definition that folding uses and that tests of generated code can be compared with.
// How:   floats of every width are computed in double and rounded once by the caller; integers in 64 bits, which the
//        caller wraps to the width.

#ifndef NACRE_DIALECTS_NN_SCALARFUNCTIONS_H
#define NACRE_DIALECTS_NN_SCALARFUNCTIONS_H

#include "dialects/nn/NnDialect.h"

#include <type_traits>

namespace nacre::nn {

inline bool isComparison(BinaryKind kind) { return kind >= BinaryKind::Equal && kind <= BinaryKind::GreaterEqual; }

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
double apply(UnaryKind kind, double x, double alpha);
int64_t apply(UnaryKind kind, int64_t x, bool isUnsigned);
double apply(BinaryKind kind, double a, double b);
/// Division by zero gives 0, and so does its remainder.
int64_t apply(BinaryKind kind, int64_t a, int64_t b, bool isUnsigned);

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

#endif // NACRE_DIALECTS_NN_SCALARFUNCTIONS_H
