// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the types of a product: its factors, its sums, and the steps that an operand holds.
// Why:   machine rows know no IR. The readers of forms translate types of the IR once.

#ifndef NACRE_CODEGEN_CPU_TILES_PRODUCTTYPES_H
#define NACRE_CODEGEN_CPU_TILES_PRODUCTTYPES_H

#include <cstdint>
#include <optional>

namespace mlir {
class Type;
} // namespace mlir

namespace nacre::codegen {
struct Contraction;
struct DepthwiseConvolution;
struct RightDecode;
} // namespace nacre::codegen

namespace nacre::codegen::cpu {

/// Types of factors and sums.
enum class Number : uint8_t { F64, F32, F16, BF16, S32, S16, S8, U8 };

constexpr int64_t bytesOf(Number number) {
  switch (number) {
  case Number::F64:
    return 8;
  case Number::F32:
  case Number::S32:
    return 4;
  case Number::F16:
  case Number::BF16:
  case Number::S16:
    return 2;
  case Number::S8:
  case Number::U8:
    break;
  }
  return 1;
}

/// Types of the factors and of their sum. `rhs` is the type of the columns in memory. Narrower operands are converted
/// when they are loaded. `lhs` is narrower than f32 only if a machine row may multiply the rows as they are stored.
struct ProductTypes {
  Number lhs = Number::F32, rhs = Number::F32, sum = Number::F32;
  int64_t k = 1;         ///< Number of steps of the depth in a word, side by side in rows and in each column
  bool pairsFit = false; ///< True if the sum of two products of bytes fits 16 bits: -128 * -128 never occurs twice
  /// Number of steps that may be added up in the type of the factors. Each such short sum is then added to a sum of
  /// type `sum`. In a machine row, this is the smallest number for which the row is worthwhile. 0 if there are no short
  /// sums: registers have sums of type `sum`.
  int64_t shortSums = 0;

  /// Returns the type of the sums in registers.
  constexpr Number inRegisters() const { return shortSums ? rhs : sum; }

  bool operator==(const ProductTypes &other) const {
    return lhs == other.lhs && rhs == other.rhs && sum == other.sum && k == other.k && pairsFit == other.pairsFit &&
           shortSums == other.shortSums;
  }
};

inline constexpr ProductTypes kSingles = {Number::F32, Number::F32, Number::F32};
inline constexpr ProductTypes kDoubles = {Number::F64, Number::F64, Number::F64};
/// Returns the types of a product of halves, of which `steps` steps may be added up in f16.
constexpr ProductTypes halvesOf(int64_t steps) {
  return {Number::F16, Number::F16, Number::F32, 1, /*pairsFit=*/false, steps};
}
/// Returns the types of a product of words of `k` bf16 values.
constexpr ProductTypes bfloatsOf(int64_t k) { return {Number::BF16, Number::BF16, Number::F32, k}; }

/// Returns the types of a contraction of floats whose operands are extended to the type of the accumulator.
ProductTypes productsOf(mlir::Type accumulator);
/// Returns the types of a contraction of floats whose columns are stored as `right` says.
ProductTypes productsOf(mlir::Type accumulator, const std::optional<RightDecode> &right);
/// Returns the types of a depthwise convolution of floats. They have short sums if such a sum may have all taps.
ProductTypes productsOf(const DepthwiseConvolution &convolution);
/// Returns the types of a contraction. `columns` is the type of columns in panels; integers and bf16 values are in
/// groups of `k` steps. `nullopt` if no machine row multiplies these integers.
std::optional<ProductTypes> productsOf(const Contraction &contraction, mlir::Type columns, int64_t k);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_PRODUCTTYPES_H
