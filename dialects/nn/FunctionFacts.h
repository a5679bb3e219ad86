// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the properties of an elementwise function: a row of Functions.td.
// Why:   folding, type inference, narrowing and evaluation read this row. A new function then only needs a new row.

#ifndef NACRE_DIALECTS_NN_FUNCTIONFACTS_H
#define NACRE_DIALECTS_NN_FUNCTIONFACTS_H

#include <cstdint>

namespace nacre::nn {

enum class UnaryKind : uint32_t;
enum class BinaryKind : uint32_t;

struct FunctionFacts {
  // Bits of the element types that a function is defined for.
  static constexpr unsigned floats = 1, integers = 2, booleans = 4;
  static constexpr unsigned numbers = floats | integers, discrete = integers | booleans, any = numbers | booleans;
  // Bits of other properties. The first three are for unary functions.
  static constexpr unsigned idempotent = 1; ///< f(f(x)) = f(x).
  static constexpr unsigned involution = 2; ///< f(f(x)) = x.
  static constexpr unsigned bounded = 4;    ///< No result is large, for any operand.
  // The next property may be set for any function.
  static constexpr unsigned predicate = 8; ///< The result is a boolean.
  // The next properties are for binary functions.
  static constexpr unsigned commutative = 16;
  static constexpr unsigned neutralZero = 32; ///< f(x, 0) = x.
  static constexpr unsigned neutralOne = 64;  ///< f(x, 1) = x.
  /// Operands may have different types. The result has the type of the left operand.
  static constexpr unsigned mixed = 128;

  unsigned types;
  unsigned facts;

  bool is(unsigned fact) const { return (facts & fact) != 0; }
};

struct UnaryFacts : FunctionFacts {
  UnaryKind kind;
  double (*ofFloat)(double x, double alpha);        ///< Null if the function is not defined for floats.
  int64_t (*ofInteger)(int64_t x, bool isUnsigned); ///< Null if the function is only defined for floats.
};

struct BinaryFacts : FunctionFacts {
  BinaryKind kind;
};

const UnaryFacts &getFacts(UnaryKind kind);
const BinaryFacts &getFacts(BinaryKind kind);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_FUNCTIONFACTS_H
