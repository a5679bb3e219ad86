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

/// The code of a plan's kernels for GPUs, by their names. GpuKernels owns it.
using GpuCode = llvm::StringMap<const codegen::GpuKernel *>;

/// What kernels are compiled for GPUs to: equal kernels once, of whichever plan.
class GpuKernels {
public:
  GpuKernels(const codegen::GpuOptions &options, unsigned jobs) : options(options), jobs(jobs) {}

  /// Lets products of f32 be of f32, whatever the precision.
  void multiplyFloats() { options.precision = GpuPrecision::F32; }

  /// Adds to `code` that of the kernels of `placed` whose launches give the GPU a share and that it does not have. Kernels that no
  /// GPU computes are noted (plan::kGpuDeclined); returns how many of those are new. Errors are reported at a kernel.
  llvm::FailureOr<unsigned> compilePlaced(mlir::ModuleOp placed, GpuCode &code, KernelProgress progress);

private:
  codegen::GpuOptions options;
  unsigned jobs;
  llvm::StringMap<codegen::GpuKernel> byText;
};

struct CpuKernelOptions {
  llvm::ArrayRef<codegen::Target> targets;
  codegen::Emit emit = codegen::Emit::Object;
  llvm::StringRef modelName; ///< Of which symbols are made.
  unsigned jobs = 1;
  int64_t mostScratchBytes = INT64_MAX; ///< That a thread may have: if a kernel needs more, no more code is generated.
};

struct CpuKernels {
  std::vector<package::CompiledKernel> kernels; ///< In the order of the module; none where scratch exceeds the bound.
  int64_t scratchBytes = 0;                     ///< Of a thread, whichever variant of its kernels it runs.
};

/// All kernels of `scheduled` for all targets, with the code of those that the GPU has a share of.
llvm::FailureOr<CpuKernels> compileKernels(mlir::ModuleOp scheduled, const CpuKernelOptions &options,
                                           const GpuCode &gpu, KernelProgress progress);

} // namespace nacre

#endif // NACRE_COMPILER_COMPILEKERNELS_H
