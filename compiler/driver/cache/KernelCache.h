// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles kernels, and keeps their code in a folder, so that a later compilation only reads it.
//
// Code generation takes most of a compilation's time, and most kernels of a changed model are the same as before.
// A kernel's file has its key as name (KernelKey.h). Objects are stored with one name for their function, which is
// replaced by the model's name of the kernel. So a library is the same with and without the cache.

#ifndef NACRE_COMPILER_DRIVER_CACHE_KERNELCACHE_H
#define NACRE_COMPILER_DRIVER_CACHE_KERNELCACHE_H

#include "codegen/Backend.h"
#include "llvm/Support/Error.h"
#include <string>

namespace nacre {

/// All functions may be called from several threads, and several processes may use one folder.
class KernelCache {
public:
  /// Opens the cache in the folder `path`, which is created for this user only if it is missing. Returns an error if no
  /// file can be created there.
  static llvm::Expected<KernelCache> open(llvm::StringRef path);

  /// Returns the result of codegen::compileKernel with Emit::Object. `text` is that of plan::printUnnamed(kernel);
  /// other threads must not call that function meanwhile.
  llvm::FailureOr<codegen::KernelCode> compile(plan::KernelOp kernel, llvm::StringRef text,
                                               const codegen::Target &target, llvm::StringRef symbol,
                                               int64_t mostScratchBytes) const;
  /// Returns the result of codegen::compileGpuKernel with GpuEmit::Binary. `text` is as above.
  llvm::FailureOr<codegen::GpuKernel> compile(plan::KernelOp kernel, llvm::StringRef text,
                                              const codegen::GpuOptions &options) const;

  /// Removes files until 1 GiB remains, first those that were not used for the longest time.
  void prune() const;

private:
  KernelCache(std::string path, std::string compiler) : path(std::move(path)), compiler(std::move(compiler)) {}

  template <typename Code, typename Compile>
  llvm::FailureOr<Code> findOrCompile(const std::string &key, Compile compile) const;

  std::string path;
  std::string compiler; ///< Result of describeCompiler().
};

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_CACHE_KERNELCACHE_H
