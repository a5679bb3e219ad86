// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits binary operators of `nn` on floats, and powers. Float operators are plain formulas, whereas integer operators
// (ScalarBodies.cpp) must handle wrapping and trapping. Operators that have an operation in `math` are left to the
// engines.

#ifndef NACRE_COMPILER_KERNELS_BODIES_FLOATBODIES_H
#define NACRE_COMPILER_KERNELS_BODIES_FLOATBODIES_H

#include "compiler/kernels/bodies/ElementTypes.h"
#include "dialects/nn/NnDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace nacre::kernels {

/// Builds scalars at one insertion point.
struct Scalars {
  mlir::OpBuilder &builder;
  mlir::Location loc;

  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...);
  }
  mlir::Value constant(mlir::Type type, double value) { return emitConstant(builder, loc, type, value); }
  mlir::Value like(mlir::Value x, double value) { return constant(x.getType(), value); }
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value a, mlir::Value b) {
    return make<mlir::arith::CmpFOp>(predicate, a, b);
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a, mlir::Value b) {
    return make<mlir::arith::CmpIOp>(predicate, a, b);
  }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return make<mlir::arith::SelectOp>(condition, a, b);
  }
};

/// Emits a binary operator on floats. Returns null if it is not defined for floats.
mlir::Value emitFloatBinary(Scalars scalars, nn::BinaryKind kind, mlir::Value a, mlir::Value b);

/// Emits x to the power of y. Uses multiplications and roots if y is a suitable constant.
mlir::Value emitPower(Scalars scalars, mlir::Value x, mlir::Value y);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_FLOATBODIES_H
