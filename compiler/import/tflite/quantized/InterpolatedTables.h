// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables for functions of 16-bit integers. The reference kernels interpolate between their entries. This code computes
// numbers at compile time.
//
// A table with an entry for each integer would be exact, but would not match the reference.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_INTERPOLATEDTABLES_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_INTERPOLATEDTABLES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>
#include <cstdint>

namespace nacre::importer::tflite_format {

/// Entries of a table: one for every 128 integers, and one at the end.
using Entries16 = std::array<int16_t, 513>;

/// Quantization of 16-bit integers, in the precision in which entries are computed.
template <typename Real> struct Scale16 {
  Real scale;
  int32_t zero;
};

/// Returns the entries of a function of reals. Each is corrected by half the error of the interpolation in the middle
/// of its interval.
template <typename Real>
Entries16 makeEntries16(Scale16<Real> input, Scale16<Real> result, llvm::function_ref<Real(Real)> function);

/// Returns the interpolated value at `x`.
int16_t interpolate16(const Entries16 &entries, int16_t x);

/// Table for LOGISTIC and TANH of 16-bit integers. It has 256 values of the logistic function, at non-negative
/// multiples of 1/24.
class LogisticTable {
public:
  explicit LogisticTable(float inputScale, bool isTanh);
  /// True if 16 bits suffice for the scale.
  bool isPossible() const { return multiplier > 0 && multiplier <= INT16_MAX; }
  /// Returns the value of the function in Q0. `x` is an integer with the input scale.
  int16_t operator()(int16_t x) const;

private:
  std::array<uint16_t, 256> entries;
  bool isTanh;
  int32_t multiplier, shift = 0; ///< factor that converts x to multiples of 1/24 with 9 bits after the point
};

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_INTERPOLATEDTABLES_H
