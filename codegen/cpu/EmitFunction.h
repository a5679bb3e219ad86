// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits a kernel as a function, by the first emitter that accepts it.
// Why:   the pass calls it for each kernel. An emitter can also call it to emit a part of its kernel as a separate
//        function.

#ifndef NACRE_CODEGEN_CPU_EMITFUNCTION_H
#define NACRE_CODEGEN_CPU_EMITFUNCTION_H

#include "codegen/cpu/KernelFunction.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nacre::codegen::cpu {

struct EmittedFunction {
  mlir::func::FuncOp function; ///< Function in the kernel's module, with the kernel's name
  KernelFunction body;
};

/// Emits the function of a kernel. If all emitters decline, removes the function and fails.
llvm::FailureOr<EmittedFunction> emitFunction(plan::KernelOp kernel, const Target &target);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_EMITFUNCTION_H
