// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits the operations on scalars of `plan`, on scalars or on vectors.
// Why:   machines compute most of these operations in fewer instructions than their definitions have
//        (dialects/plan/ScalarOps.h). All results have the bits of the definitions.

#ifndef NACRE_CODEGEN_CPU_SCALAROPS_H
#define NACRE_CODEGEN_CPU_SCALAROPS_H

#include "codegen/cpu/VectorBuilder.h"
#include "dialects/plan/ScalarOps.h"

namespace nacre::codegen::cpu {

/// Emits `op` on `x`. `zero` is null if the zero point is a constant. With `keepsWords`, a result of 8 bits may be
/// an i32 in the same bounds.
mlir::Value emitRound(VectorBuilder &build, plan::RoundOp op, mlir::Value x, mlir::Value zero, bool keepsWords);
mlir::Value emitClamp(VectorBuilder &build, plan::ClampOp op, mlir::Value x, bool keepsWords);
mlir::Value emitMultiplyHigh(VectorBuilder &build, plan::MultiplyHighOp op, mlir::Value a, mlir::Value b);
mlir::Value emitShiftHalfUp(VectorBuilder &build, plan::ShiftHalfUpOp op, mlir::Value x, mlir::Value places);
/// Emits `op` on `byte`. Its table is an argument of the kernel.
mlir::Value emitLookup(VectorBuilder &build, plan::LookupOp op, mlir::Value byte);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_SCALAROPS_H
