// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of integers of 16 bits as tables between whose entries the reference kernels interpolate: numbers, no IR.
//
// Why:  a table of every integer would be exact, and is not what the reference computes.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_INTERPOLATEDTABLES_H
#define NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_INTERPOLATEDTABLES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>
#include <cstdint>

namespace nacre::importer::tflite_format {

/// An entry for each 128 integers, and one behind the last.
using Entries16 = std::array<int16_t, 513>;

/// What integers of 16 bits stand for, in the precision in which entries are computed.
template <typename Real> struct Scale16 {
  Real scale;
  int32_t zero;
};

/// The entries of a function of reals, each moved by half of what the interpolation is off in the middle behind it.
template <typename Real>
Entries16 makeEntries16(Scale16<Real> input, Scale16<Real> result, llvm::function_ref<Real(Real)> function);

/// The entry, or what lies between two.
int16_t interpolate16(const Entries16 &entries, int16_t x);

/// LOGISTIC and TANH of 16 bits: 256 entries of the logistic function of multiples of 1/24, on one side of 0.
class LogisticTable {
public:
  explicit LogisticTable(float inputScale, bool isTanh);
  /// Whether the scale is one that 16 bits are enough for.
  bool isPossible() const { return multiplier > 0 && multiplier <= INT16_MAX; }
  /// Of an integer by the scale, in Q0.
  int16_t operator()(int16_t x) const;

private:
  std::array<uint16_t, 256> entries;
  bool isTanh;
  int32_t multiplier, shift = 0; ///< to multiples of 1/24 with 9 bits behind the point
};

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_QUANTIZED_INTERPOLATEDTABLES_H
