// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the emitters: each emits kernels of one form, and declines all others. Their files describe them.

#ifndef NACRE_CODEGEN_CPU_EMITTERS_H
#define NACRE_CODEGEN_CPU_EMITTERS_H

#include "codegen/cpu/KernelFunction.h"

namespace nacre::codegen::cpu {

llvm::LogicalResult emitAttention(plan::KernelOp kernel, KernelFunction &function);
llvm::LogicalResult emitContraction(plan::KernelOp kernel, KernelFunction &function);
llvm::LogicalResult emitDepthwise(plan::KernelOp kernel, KernelFunction &function);
llvm::LogicalResult emitFallback(plan::KernelOp kernel, KernelFunction &function);
llvm::LogicalResult emitHalves(plan::KernelOp kernel, KernelFunction &function);
llvm::LogicalResult emitIndexed(plan::KernelOp kernel, KernelFunction &function);
llvm::LogicalResult emitNest(plan::KernelOp kernel, KernelFunction &function);
llvm::LogicalResult emitPack(plan::KernelOp kernel, KernelFunction &function);
llvm::LogicalResult emitPermute(plan::KernelOp kernel, KernelFunction &function);
llvm::LogicalResult emitRow(plan::KernelOp kernel, KernelFunction &function);
llvm::LogicalResult emitSerial(plan::KernelOp kernel, KernelFunction &function);
llvm::LogicalResult emitWinograd(plan::KernelOp kernel, KernelFunction &function);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_EMITTERS_H
