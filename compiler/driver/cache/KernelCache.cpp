// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/cache/KernelCache.h"

#include "compiler/driver/cache/KernelEntry.h"
#include "compiler/driver/cache/KernelKey.h"
#include "dialects/plan/PlanDialect.h"

#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace nacre {

/// Name of the function in stored objects.
static constexpr StringLiteral kStoredSymbol = "nacre_kernel";

/// Returns the path of an entry. pruneCache() removes files with this prefix only.
static std::string pathOf(StringRef folder, StringRef key) {
  SmallString<128> path(folder);
  sys::path::append(path, "llvmcache-" + key);
  return path.str().str();
}

/// Returns the bytes of a file and marks it as used, or null if there is no such file.
static std::unique_ptr<MemoryBuffer> readEntry(const std::string &path) {
  Expected<sys::fs::file_t> file = sys::fs::openNativeFileForRead(path, sys::fs::OF_UpdateAtime);
  if (!file) {
    consumeError(file.takeError());
    return nullptr;
  }
  auto read = MemoryBuffer::getOpenFile(*file, path, /*FileSize=*/-1, /*RequiresNullTerminator=*/false);
  if (sys::fs::closeFile(*file))
    return nullptr;
  return read ? std::move(*read) : nullptr;
}

/// Creates a file as a whole, so that no other process sees a part of it.
static Error writeEntry(const std::string &path, StringRef bytes) {
  Expected<sys::fs::TempFile> file = sys::fs::TempFile::create(path + ".%%%%%%.tmp");
  if (!file)
    return file.takeError();
  raw_fd_ostream os(file->FD, /*shouldClose=*/false);
  os << bytes;
  os.flush();
  if (os.has_error()) {
    os.clear_error();
    return file->discard();
  }
  return file->keep(path);
}

/// Replaces the name of the function in a stored object, also in the name of its section.
static void rename(codegen::KernelCode &code, StringRef symbol) {
  objcopy::ConfigManager config;
  config.Common.SymbolsToRename[kStoredSymbol] = symbol;
  const std::string stored = (".text." + kStoredSymbol).str(), own = (".text." + symbol).str();
  config.Common.SectionsToRename[stored] = {stored, own, std::nullopt};
  SmallVector<char, 0> renamed;
  raw_svector_ostream os(renamed);
  std::unique_ptr<object::ObjectFile> object = cantFail(
      object::ObjectFile::createELFObjectFile(MemoryBufferRef({code.object.data(), code.object.size()}, "kernel")));
  cantFail(objcopy::executeObjcopyOnBinary(config, *object, os));
  code.object = std::move(renamed);
}

/// True unless the kernel needs more scratch than it may, so that it was not compiled.
static bool hasCode(const codegen::KernelCode &code) { return !code.object.empty(); }
/// True, also for kernels that no GPU computes.
static bool hasCode(const codegen::GpuKernel &) { return true; }

Expected<KernelCache> KernelCache::open(StringRef path) {
  constexpr auto onlyOwner = sys::fs::owner_all; // because the files are code
  if (std::error_code problem = sys::fs::create_directories(path, /*IgnoreExisting=*/true, onlyOwner))
    return createStringError(problem, problem.message());
  if (std::error_code problem = sys::fs::access(path, sys::fs::AccessMode::Write))
    return createStringError(problem, problem.message());
  return KernelCache(path.str(), describeCompiler());
}

template <typename Code, typename Compile>
FailureOr<Code> KernelCache::findOrCompile(const std::string &key, Compile compile) const {
  const std::string file = pathOf(path, key);
  if (std::unique_ptr<MemoryBuffer> entry = readEntry(file))
    if (std::optional<Code> code = fromEntry<Code>(entry->getBuffer()))
      return std::move(*code);
  FailureOr<Code> code = compile();
  // The compilation needs no entry, so a full disk is no error.
  if (succeeded(code) && hasCode(*code))
    consumeError(writeEntry(file, toEntry(*code)));
  return code;
}

FailureOr<codegen::KernelCode> KernelCache::compile(plan::KernelOp kernel, StringRef text,
                                                    const codegen::Target &target, StringRef symbol,
                                                    int64_t mostScratchBytes) const {
  using codegen::KernelCode;
  FailureOr<KernelCode> code = findOrCompile<KernelCode>(keyOf(compiler, text, target), [&] {
    return codegen::compileKernel(kernel, target, codegen::Emit::Object, kStoredSymbol, mostScratchBytes);
  });
  if (succeeded(code) && hasCode(*code))
    rename(*code, symbol);
  return code;
}

FailureOr<codegen::GpuKernel> KernelCache::compile(plan::KernelOp kernel, StringRef text,
                                                   const codegen::GpuOptions &options) const {
  return findOrCompile<codegen::GpuKernel>(keyOf(compiler, text, options),
                                           [&] { return codegen::compileGpuKernel(kernel, options); });
}

void KernelCache::prune() const {
  CachePruningPolicy policy;
  policy.Expiration = std::chrono::hours(24 * 90);
  policy.MaxSizeBytes = uint64_t(1) << 30;
  pruneCache(path, policy);
}

} // namespace nacre
