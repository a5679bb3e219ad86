// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  reads how a body rounds, moves and clamps a float, or clamps an i32, to an integer.
// Why:   bodies spell this in many operations; only their bounds and zero points together decide which instructions
//        give the same bits.
// How:   from the last operation backwards.

#ifndef NACRE_CODEGEN_CPU_QUANTIZEDCHAIN_H
#define NACRE_CODEGEN_CPU_QUANTIZEDCHAIN_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace nacre::codegen::cpu {

/// The chain clamp(round(x) + zero, low, high) of a float, halves to even; or clamp(x, low, high) of an i32.
struct QuantizedChain {
  mlir::Value x;
  mlir::Value zeroInput; ///< An i16 that is added to `zero`, or null
  int64_t zero = 0, low = 0, high = 0;
  std::optional<int64_t> ofNaN; ///< Result for NaN; `nullopt` if x is never NaN
  mlir::Type type;              ///< Type of the result: i8 or i32

  bool isRounded() const { return llvm::isa<mlir::FloatType>(x.getType()); }
  bool isUnsigned() const { return low >= 0; }
};

std::optional<QuantizedChain> readQuantized(mlir::Operation *op);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_QUANTIZEDCHAIN_H
