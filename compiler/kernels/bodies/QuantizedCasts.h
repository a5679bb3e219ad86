// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes casts that end a quantization: operators before it round a float, add a zero point and clamp the sum, or
// clamp an i32. Together they are one operation of a kernel's body (dialects/plan/ScalarOps.h), for which emitters have
// short sequences of instructions.
//
// The graph phase has expanded quantizations to such operators, and has merged other operators with them.

#ifndef NACRE_COMPILER_KERNELS_BODIES_QUANTIZEDCASTS_H
#define NACRE_COMPILER_KERNELS_BODIES_QUANTIZEDCASTS_H

#include "dialects/nn/NnDialect.h"
#include "mlir/IR/Builders.h"
#include <optional>

namespace nacre::kernels {

/// Integer clamp(round(operand) + zero, low, high), or clamp(operand, low, high) of an i32.
struct QuantizedCast {
  mlir::Value operand; ///< Tensor of f32 or i32
  int64_t zero = 0, low = 0, high = 0;
  bool mayBeNaN = false;
  mlir::Type type; ///< Stored type of the result: i8 or i32

  /// Emits the result for `x`, an element of the operand.
  mlir::Value emit(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x) const;
};

/// Reads a cast. `mayPass` is true for values that the kernel computes only with elementwise operators, so that their
/// operators may become a part of the result. Returns `nullopt` if `op` is no cast or does not end a quantization.
std::optional<QuantizedCast> readQuantizedCast(mlir::Operation *op, llvm::function_ref<bool(mlir::Value)> mayPass);

/// Emits the quantized value of `steps`, an f32 that is already divided by the scale. `codes` has 8 bits.
mlir::Value emitQuantized(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value steps, int64_t zero,
                          mlir::IntegerType codes);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_QUANTIZEDCASTS_H
