// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the kernels of a plan, compiled: for GPUs as soon as placement would give them one, for CPUs all at the end.
// Why:   a pool of threads, and which kernel has been compiled for what, are no phase's and not the pipeline's.
// How:   threads take kernels by number, so that results are in the order of the module; the first failure stops all.

#ifndef NACRE_COMPILER_COMPILEKERNELS_H
#define NACRE_COMPILER_COMPILEKERNELS_H

#include "codegen/Backend.h"
#include "codegen/package/TableObject.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

namespace nacre {

/// What takes less is not in a trace of where the compiler's time goes (llvm::timeTraceProfilerInitialize), microseconds.
constexpr unsigned kTraceGranularityUs = 100;

/// Told how many kernels are done of how many; one call at a time, from any thread.
using KernelProgress = llvm::function_ref<void(unsigned done, unsigned total)>;

/// What kernels are compiled for GPUs to, each once.
class GpuKernels {
public:
  GpuKernels(const codegen::GpuOptions &options, unsigned jobs) : options(options), jobs(jobs) {}

  /// Compiles what launches of `placed` give the GPU a share of and was not compiled before. What no GPU computes is
  /// noted on the kernel (plan::kGpuDeclined); returns how many those are. Errors are reported at a kernel.
  llvm::FailureOr<unsigned> compilePlaced(mlir::ModuleOp placed, KernelProgress progress);

  /// The code of a kernel that has been compiled. To be taken once.
  codegen::GpuKernel take(plan::KernelOp kernel);

private:
  codegen::GpuOptions options;
  unsigned jobs;
  llvm::StringMap<codegen::GpuKernel> byName;
};

struct CpuKernelOptions {
  llvm::ArrayRef<codegen::Target> targets;
  codegen::Emit emit = codegen::Emit::Object;
  llvm::StringRef modelName; ///< Of which symbols are made.
  unsigned jobs = 1;
};

/// All kernels of `scheduled` for all targets, in the order of the module, with the code of those that the GPU has a
/// share of.
llvm::FailureOr<std::vector<package::CompiledKernel>>
compileKernels(mlir::ModuleOp scheduled, const CpuKernelOptions &options, GpuKernels &gpu, KernelProgress progress);

} // namespace nacre

#endif // NACRE_COMPILER_COMPILEKERNELS_H
