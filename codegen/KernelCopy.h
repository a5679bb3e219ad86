// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  copies a kernel to a module in an MLIR context of the thread that compiles it.
// Why:   threads compile kernels in parallel and cannot share contexts, so each call works on a copy. A thread keeps
//        its context, because loading dialects takes as long as lowering a small kernel.
// How:   the kernel is copied as text. Errors about the copy are collected in one line.

#ifndef NACRE_CODEGEN_KERNELCOPY_H
#define NACRE_CODEGEN_KERNELCOPY_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>

namespace nacre::plan {
class KernelOp;
} // namespace nacre::plan

namespace nacre::codegen {

class KernelCopy {
public:
  /// `context` belongs to this thread, and no other copy uses it.
  explicit KernelCopy(mlir::MLIRContext &context);

  /// Fills `module` with a copy of `kernel`, named `symbol`. All dialects that its compilation creates must be loaded.
  llvm::LogicalResult read(plan::KernelOp kernel, llvm::StringRef symbol);
  plan::KernelOp kernel();

  mlir::MLIRContext &context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string messages; ///< Errors so far.

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_KERNELCOPY_H
