// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  recognizes operations of a body that round a float, add a zero point and clamp the result, or that clamp an
//        i32.
// Why:   bodies spell this out in many operations. Only their bounds and zero points together decide which instructions
//        give the same bits.
// How:   readQuantized() follows operands backwards from the last operation.

#ifndef NACRE_CODEGEN_CPU_QUANTIZEDCHAIN_H
#define NACRE_CODEGEN_CPU_QUANTIZEDCHAIN_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace nacre::codegen::cpu {

/// Chain clamp(round(x) + zero, low, high) of a float, where halves are rounded to even, or clamp(x, low, high) of an
/// i32.
struct QuantizedChain {
  mlir::Value x;
  mlir::Value zeroInput; ///< Value of type i16 that is added in addition to `zero`, or null
  int64_t zero = 0, low = 0, high = 0;
  std::optional<int64_t> ofNaN; ///< Result for NaN; `nullopt` if x is never NaN
  mlir::Type type;              ///< Type of the result: i8 or i32

  bool isRounded() const { return llvm::isa<mlir::FloatType>(x.getType()); }
  bool isUnsigned() const { return low >= 0; }
};

std::optional<QuantizedChain> readQuantized(mlir::Operation *op);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_QUANTIZEDCHAIN_H
