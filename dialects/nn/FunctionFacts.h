// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what is known of an elementwise function: a row of Functions.td.
// Why:   folding, type inference, narrowing and evaluation read the row, so that a new function is one row.

#ifndef NACRE_DIALECTS_NN_FUNCTIONFACTS_H
#define NACRE_DIALECTS_NN_FUNCTIONFACTS_H

#include <cstdint>

namespace nacre::nn {

enum class UnaryKind : uint32_t;
enum class BinaryKind : uint32_t;

struct FunctionFacts {
  // Of which element types it is defined.
  static constexpr unsigned floats = 1, integers = 2, booleans = 4;
  static constexpr unsigned numbers = floats | integers, discrete = integers | booleans, any = numbers | booleans;
  // What else holds. Of one value:
  static constexpr unsigned idempotent = 1; ///< Twice is once.
  static constexpr unsigned involution = 2; ///< Twice is the value itself.
  static constexpr unsigned bounded = 4;    ///< No result is large.
  // Of any:
  static constexpr unsigned predicate = 8; ///< The result is a boolean.
  // Of two:
  static constexpr unsigned commutative = 16;
  static constexpr unsigned neutralZero = 32; ///< With 0 on the right it gives the left value.
  static constexpr unsigned neutralOne = 64;  ///< With 1 on the right it gives the left value.
  static constexpr unsigned mixed = 128;      ///< The values may have different types; the result has the left one's.

  unsigned types;
  unsigned facts;

  bool is(unsigned fact) const { return (facts & fact) != 0; }
};

struct UnaryFacts : FunctionFacts {
  UnaryKind kind;
  double (*ofFloat)(double x, double alpha);        ///< Null where it is not defined for floats.
  int64_t (*ofInteger)(int64_t x, bool isUnsigned); ///< Null where it is defined for floats alone.
};

struct BinaryFacts : FunctionFacts {
  BinaryKind kind;
};

const UnaryFacts &getFacts(UnaryKind kind);
const BinaryFacts &getFacts(BinaryKind kind);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_FUNCTIONFACTS_H
