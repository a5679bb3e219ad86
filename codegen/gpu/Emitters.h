// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emitters of kernels for GPUs. The file named after each function describes its emitter.

#ifndef NACRE_CODEGEN_GPU_EMITTERS_H
#define NACRE_CODEGEN_GPU_EMITTERS_H

#include "codegen/gpu/KernelFunction.h"

namespace nacre::codegen::gpu {

llvm::LogicalResult emitAttention(plan::KernelOp kernel, KernelFunction &function);   ///< EmitAttention.cpp
llvm::LogicalResult emitContraction(plan::KernelOp kernel, KernelFunction &function); ///< EmitContraction.cpp
llvm::LogicalResult emitRow(plan::KernelOp kernel, KernelFunction &function);         ///< EmitRow.cpp
llvm::LogicalResult emitPoints(plan::KernelOp kernel, KernelFunction &function);      ///< EmitPoints.cpp
llvm::LogicalResult emitSeparable(plan::KernelOp kernel, KernelFunction &function);   ///< EmitContraction.cpp
llvm::LogicalResult emitSerial(plan::KernelOp kernel, KernelFunction &function);      ///< EmitSerial.cpp
llvm::LogicalResult emitTeam(plan::KernelOp kernel, KernelFunction &function);        ///< EmitTeam.cpp
llvm::LogicalResult emitTranspose(plan::KernelOp kernel, KernelFunction &function);   ///< EmitTranspose.cpp

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_EMITTERS_H
