// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the kernels of a plan: for GPUs as soon as placement would give them one, for CPUs all at the end.
//
// Threads take kernels by number, so that results are in the order of the module. The first failure stops all threads.

#ifndef NACRE_COMPILER_DRIVER_COMPILEKERNELS_H
#define NACRE_COMPILER_DRIVER_COMPILEKERNELS_H

#include "codegen/Backend.h"
#include "codegen/package/TableObject.h"
#include "compiler/driver/cache/KernelCache.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

namespace nacre {

/// Microseconds below which a step is not in a trace of the compiler's time (llvm::timeTraceProfilerInitialize).
constexpr unsigned kTraceGranularityUs = 100;

/// Receives how many kernels are done of how many. One call at a time, from any thread.
using KernelProgress = llvm::function_ref<void(unsigned done, unsigned total)>;

/// The code of a plan's kernels for GPUs, by their names. GpuKernels owns it.
using GpuCode = llvm::StringMap<const codegen::GpuKernel *>;

/// Kernels compiled for GPUs. Equal kernels of all plans are compiled once.
class GpuKernels {
public:
  /// `cache` may be null.
  GpuKernels(const codegen::GpuOptions &options, unsigned jobs, const KernelCache *cache)
      : options(options), jobs(jobs), cache(cache) {}

  /// Lets products of f32 stay f32, whatever the precision.
  void multiplyFloats() { options.precision = GpuPrecision::F32; }

  /// Adds to `code` the missing code of the kernels of `placed` whose launches give the GPU a share. Kernels that no
  /// GPU computes are noted (plan::kGpuDeclined). Returns how many of those are new. Errors are reported at a kernel.
  llvm::FailureOr<unsigned> compilePlaced(mlir::ModuleOp placed, GpuCode &code, KernelProgress progress);

private:
  codegen::GpuOptions options;
  unsigned jobs;
  const KernelCache *cache;
  llvm::StringMap<codegen::GpuKernel> byText;
};

struct CpuKernelOptions {
  llvm::ArrayRef<codegen::Target> targets;
  codegen::Emit emit = codegen::Emit::Object;
  llvm::StringRef modelName;          ///< First part of symbols.
  const KernelCache *cache = nullptr; ///< Cache of objects; may be null.
  unsigned jobs = 1;
  int64_t mostScratchBytes = INT64_MAX; ///< Limit of a thread. If a kernel needs more, no more code is generated.
};

struct CpuKernels {
  std::vector<package::CompiledKernel> kernels; ///< Kernels in the order of the module; empty if one exceeds the limit.
  int64_t scratchBytes = 0;                     ///< Scratch memory of a thread, whichever variant of kernels it runs.
};

/// Compiles all kernels of `scheduled` for all targets. The result has the code of those that the GPU has a share of,
/// too.
llvm::FailureOr<CpuKernels> compileKernels(mlir::ModuleOp scheduled, const CpuKernelOptions &options,
                                           const GpuCode &gpu, KernelProgress progress);

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_COMPILEKERNELS_H
