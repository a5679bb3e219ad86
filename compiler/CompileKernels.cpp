// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CompileKernels.h"

#include "dialects/plan/Notes.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/TimeProfiler.h"
#include <atomic>
#include <mutex>

using namespace mlir;

namespace nacre {

/// What a thread does for a trace of where time goes, each thread has its own.
class TraceOfThread {
public:
  explicit TraceOfThread(bool isTraced) : isTraced(isTraced) {
    if (isTraced)
      llvm::timeTraceProfilerInitialize(kTraceGranularityUs, "nacre-compile");
  }
  ~TraceOfThread() {
    if (isTraced)
      llvm::timeTraceProfilerFinishThread();
  }
  TraceOfThread(const TraceOfThread &) = delete;
  TraceOfThread &operator=(const TraceOfThread &) = delete;

private:
  const bool isTraced;
};

/// Does work number 0 to `total` - 1, until some of it fails.
static LogicalResult doInParallel(unsigned jobs, size_t total, KernelProgress progress,
                                  llvm::function_ref<LogicalResult(size_t)> work) {
  std::atomic<size_t> next{0};
  std::atomic<bool> anyFailed{false};
  std::mutex progressMutex;
  size_t done = 0;
  const bool isTraced = llvm::timeTraceProfilerEnabled();
  auto take = [&] {
    const TraceOfThread trace(isTraced);
    for (size_t at; (at = next++) < total && !anyFailed;) {
      if (failed(work(at))) {
        anyFailed = true;
        return;
      }
      std::lock_guard<std::mutex> lock(progressMutex);
      progress(++done, total);
    }
  };
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(jobs));
  for (unsigned job = 0; job < jobs; ++job)
    pool.async(take);
  pool.wait();
  return failure(anyFailed);
}

/// Of which the GPU has a share in some launch.
static llvm::StringSet<> kernelsOnGpu(ModuleOp placed) {
  llvm::StringSet<> names;
  placed.walk([&](plan::LaunchOp launch) {
    if (plan::gpuShareOf(launch) > 0)
      names.insert(launch.getKernel());
  });
  return names;
}

llvm::FailureOr<unsigned> GpuKernels::compilePlaced(ModuleOp placed, KernelProgress progress) {
  const llvm::StringSet<> wanted = kernelsOnGpu(placed);
  SmallVector<plan::KernelOp> kernels;
  for (auto kernel : placed.getOps<plan::KernelOp>())
    if (wanted.contains(kernel.getSymName()) && !byName.contains(kernel.getSymName()))
      kernels.push_back(kernel);
  if (kernels.empty())
    return 0;
  if (byName.empty())
    codegen::noteAlignments(placed);
  std::vector<codegen::GpuKernel> compiled(kernels.size());
  auto compile = [&](size_t number) {
    const llvm::TimeTraceScope scope("gpu kernel", kernels[number].getSymName());
    llvm::FailureOr<codegen::GpuKernel> code = codegen::compileGpuKernel(kernels[number], options);
    if (succeeded(code))
      compiled[number] = std::move(*code);
    return LogicalResult(code);
  };
  if (failed(doInParallel(jobs, kernels.size(), progress, compile)))
    return failure();
  unsigned declined = 0;
  for (auto [kernel, code] : llvm::zip_equal(kernels, compiled)) {
    if (code.variants.empty()) {
      kernel->setAttr(plan::kGpuDeclined, StringAttr::get(kernel.getContext(), code.declined));
      ++declined;
    }
    byName[kernel.getSymName()] = std::move(code);
  }
  return declined;
}

codegen::GpuKernel GpuKernels::take(plan::KernelOp kernel) { return std::move(byName[kernel.getSymName()]); }

llvm::FailureOr<std::vector<package::CompiledKernel>>
compileKernels(ModuleOp scheduled, const CpuKernelOptions &options, GpuKernels &gpu, KernelProgress progress) {
  const llvm::StringSet<> onGpu = kernelsOnGpu(scheduled);
  std::vector<package::CompiledKernel> compiled;
  for (auto kernel : scheduled.getOps<plan::KernelOp>()) {
    compiled.push_back({kernel, std::vector<codegen::KernelCode>(options.targets.size()), {}});
    if (onGpu.contains(kernel.getSymName()))
      compiled.back().gpu = gpu.take(kernel);
  }
  const size_t variants = options.targets.size();
  auto compile = [&](size_t number) {
    package::CompiledKernel &kernel = compiled[number / variants];
    const unsigned variant = number % variants;
    const llvm::TimeTraceScope scope("cpu kernel", [&] {
      return (plan::KernelOp(kernel.kernel).getSymName() + " for " + options.targets[variant].tuneCpu).str();
    });
    llvm::FailureOr<codegen::KernelCode> code = codegen::compileKernel(
        kernel.kernel, options.targets[variant], options.emit,
        package::variantSymbol(options.modelName, plan::KernelOp(kernel.kernel).getSymName(), variant));
    if (succeeded(code))
      kernel.variants[variant] = std::move(*code);
    return LogicalResult(code);
  };
  if (failed(doInParallel(options.jobs, compiled.size() * variants, progress, compile)))
    return failure();
  return compiled;
}

} // namespace nacre
