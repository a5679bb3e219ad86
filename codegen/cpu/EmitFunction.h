// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a kernel as a function, by the first emitter that takes it.
// Why:   an emitter may have parts of its kernel emitted as functions, and call them.

#ifndef NACRE_CODEGEN_CPU_EMITFUNCTION_H
#define NACRE_CODEGEN_CPU_EMITFUNCTION_H

#include "codegen/cpu/KernelFunction.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::codegen::cpu {

struct EmittedFunction {
  mlir::func::FuncOp function; ///< Function in the kernel's module, with its name
  KernelFunction body;
};

/// Emits a kernel. Fails, and removes the function, if all emitters decline.
llvm::FailureOr<EmittedFunction> emitFunction(plan::KernelOp kernel, const Target &target);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_EMITFUNCTION_H
