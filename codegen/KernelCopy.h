// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  one kernel as a module in an MLIR context of the thread that compiles it.
// Why:   contexts are not shared between threads, and kernels are compiled by many: each call works on a copy. A thread keeps its
//        context, since to load the dialects of one takes as long as to lower a small kernel.
// How:   the kernel travels as text; errors of whatever happens to the copy are collected as one line.

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
  /// A context of this thread, of which no other copy is in use.
  explicit KernelCopy(mlir::MLIRContext &context);

  /// Fills `module` with `kernel`, named `symbol`. The dialects that its compilation builds from must be loaded.
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
