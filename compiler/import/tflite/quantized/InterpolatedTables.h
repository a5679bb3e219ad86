// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of 16-bit integers as tables, between whose entries the reference kernels interpolate. They compute
// numbers, not IR.
//
// A table of all integers would be exact, but would differ from the reference.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_INTERPOLATEDTABLES_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_INTERPOLATEDTABLES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>
#include <cstdint>

namespace nacre::importer::tflite_format {

/// One entry for every 128 integers, and one more at the end.
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

/// LOGISTIC and TANH of 16 bits: 256 entries of the logistic function at multiples of 1/24, for positive numbers only.
class LogisticTable {
public:
  explicit LogisticTable(float inputScale, bool isTanh);
  /// True if 16 bits suffice for the scale.
  bool isPossible() const { return multiplier > 0 && multiplier <= INT16_MAX; }
  /// Returns the function of an integer of the input scale, in Q0.
  int16_t operator()(int16_t x) const;

private:
  std::array<uint16_t, 256> entries;
  bool isTanh;
  int32_t multiplier, shift = 0; ///< factor to multiples of 1/24 with 9 bits after the point
};

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_INTERPOLATEDTABLES_H
