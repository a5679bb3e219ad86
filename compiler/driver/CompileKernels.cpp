// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/CompileKernels.h"

#include "dialects/StoredBytes.h"
#include "dialects/plan/KernelText.h"
#include "dialects/plan/Notes.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/TimeProfiler.h"
#include <atomic>
#include <mutex>

using namespace mlir;

namespace nacre {

/// The trace of one thread's time.
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

/// Calls `work` with 0 to `total` - 1 on `jobs` threads, until a call fails.
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

/// Returns the names of kernels of which the GPU has a share in some launch.
static llvm::StringSet<> kernelsOnGpu(ModuleOp placed) {
  llvm::StringSet<> names;
  placed.walk([&](plan::LaunchOp launch) {
    if (plan::gpuShareOf(launch) > 0)
      names.insert(launch.getKernel());
  });
  return names;
}

llvm::FailureOr<unsigned> GpuKernels::compilePlaced(ModuleOp placed, GpuCode &code, KernelProgress progress) {
  const llvm::StringSet<> wanted = kernelsOnGpu(placed);
  SmallVector<plan::KernelOp> kernels, unknown;
  SmallVector<StringRef> texts; // of the unknown ones
  SmallVector<codegen::GpuKernel *> found, compiled;
  for (auto kernel : placed.getOps<plan::KernelOp>())
    if (wanted.contains(kernel.getSymName()) && !code.contains(kernel.getSymName())) {
      auto [known, isNew] = byText.try_emplace(plan::printUnnamed(kernel));
      kernels.push_back(kernel);
      found.push_back(&known->second);
      if (isNew) {
        unknown.push_back(kernel);
        texts.push_back(known->first());
        compiled.push_back(&known->second);
      }
    }
  auto compile = [&](size_t number) {
    const llvm::TimeTraceScope scope("gpu kernel", unknown[number].getSymName());
    llvm::FailureOr<codegen::GpuKernel> result = cache ? cache->compile(unknown[number], texts[number], options)
                                                       : codegen::compileGpuKernel(unknown[number], options);
    if (succeeded(result))
      *compiled[number] = std::move(*result);
    return LogicalResult(result);
  };
  if (!unknown.empty() && failed(doInParallel(jobs, unknown.size(), progress, compile)))
    return failure();
  unsigned declined = 0;
  for (auto [kernel, result] : llvm::zip_equal(kernels, found)) {
    code[kernel.getSymName()] = result;
    if (!result->variants.empty())
      continue;
    kernel->setAttr(plan::kGpuDeclined, StringAttr::get(kernel.getContext(), result->declined));
    ++declined;
  }
  return declined;
}

/// Numbers of kernels, those of the largest operands first: they take long, and need most scratch.
static SmallVector<size_t> orderOf(ArrayRef<package::CompiledKernel> kernels) {
  SmallVector<std::pair<int64_t, size_t>> sizes;
  for (auto [number, kernel] : llvm::enumerate(kernels)) {
    int64_t bytes = 0;
    for (Type type : plan::KernelOp(kernel.kernel).getBody().getArgumentTypes())
      bytes += storedBytes(cast<ShapedType>(type));
    sizes.emplace_back(-bytes, number);
  }
  llvm::sort(sizes);
  return llvm::to_vector(llvm::make_second_range(sizes));
}

/// Returns the texts of kernels for the cache. None if there is no cache; only objects are in it.
static std::vector<std::string> textsForCache(ArrayRef<package::CompiledKernel> kernels,
                                              const CpuKernelOptions &options) {
  std::vector<std::string> texts;
  if (options.cache && options.emit == codegen::Emit::Object)
    for (const package::CompiledKernel &kernel : kernels)
      texts.push_back(plan::printUnnamed(kernel.kernel));
  return texts;
}

llvm::FailureOr<CpuKernels> compileKernels(ModuleOp scheduled, const CpuKernelOptions &options, const GpuCode &gpu,
                                           KernelProgress progress) {
  const llvm::StringSet<> onGpu = kernelsOnGpu(scheduled);
  CpuKernels result;
  for (auto kernel : scheduled.getOps<plan::KernelOp>()) {
    result.kernels.push_back({kernel, std::vector<codegen::KernelCode>(options.targets.size()), {}});
    if (onGpu.contains(kernel.getSymName()))
      result.kernels.back().gpu = *gpu.lookup(kernel.getSymName());
  }
  const std::vector<std::string> texts = textsForCache(result.kernels, options);
  const size_t variants = options.targets.size();
  const SmallVector<size_t> order = orderOf(result.kernels);
  std::atomic<bool> isExceeded{options.mostScratchBytes < 0};
  auto compile = [&](size_t number) {
    package::CompiledKernel &kernel = result.kernels[order[number / variants]];
    plan::KernelOp op = kernel.kernel;
    const unsigned variant = number % variants;
    const codegen::Target &target = options.targets[variant];
    const llvm::TimeTraceScope scope("cpu kernel", [&] { return (op.getSymName() + " for " + target.tuneCpu).str(); });
    const std::string symbol = package::variantSymbol(options.modelName, op.getSymName(), variant);
    const int64_t mostScratch = isExceeded ? codegen::kOnlyScratch : options.mostScratchBytes;
    llvm::FailureOr<codegen::KernelCode> code =
        texts.empty() ? codegen::compileKernel(op, target, options.emit, symbol, mostScratch)
                      : options.cache->compile(op, texts[order[number / variants]], target, symbol, mostScratch);
    if (failed(code))
      return failure();
    kernel.variants[variant] = std::move(*code);
    if (int64_t(kernel.variants[variant].scratchBytes) > options.mostScratchBytes)
      isExceeded = true;
    return success();
  };
  if (failed(doInParallel(options.jobs, order.size() * variants, progress, compile)))
    return failure();
  for (const package::CompiledKernel &kernel : result.kernels)
    for (const codegen::KernelCode &code : kernel.variants)
      result.scratchBytes = std::max(result.scratchBytes, int64_t(code.scratchBytes));
  if (isExceeded)
    result.kernels.clear();
  return result;
}

} // namespace nacre
