// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's in-process linker, whose headers cost more than a test's own code.

#include "test/unit/codegen/cpu/CompiledKernel.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cstdlib>

namespace nacre::codegen::test {

std::vector<std::string> instructionSets() {
  const llvm::StringMap<bool> has = llvm::sys::getHostCPUFeatures();
  if (!has.lookup("sse4.2"))
    return {""}; // arm64 has one
  std::vector<std::string> names = {"x86-64-v2"};
  if (has.lookup("avx2") && has.lookup("fma"))
    names.push_back("x86-64-v3");
  if (has.lookup("avx512f") && has.lookup("avx512vl"))
    names.push_back("x86-64-v4");
  return names;
}

CompiledKernel::CompiledKernel(plan::KernelOp kernel, const std::string &cpu) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto targets = parseTargets("host", cpu);
  if (!targets) {
    ADD_FAILURE() << llvm::toString(targets.takeError());
    return;
  }
  llvm::FailureOr<KernelCode> compiled = compileKernel(kernel, targets->front(), Emit::Object, "kernel");
  if (failed(compiled)) {
    ADD_FAILURE() << "the kernel cannot be compiled";
    return;
  }
  code = std::move(*compiled);
  jit = llvm::cantFail(llvm::orc::LLJITBuilder().create());
  llvm::StringRef object(code.object.data(), code.object.size());
  llvm::cantFail(jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(object, "kernel")));
  function = llvm::cantFail(jit->lookup("kernel")).toPtr<nacre_kernel_function>();
}

CompiledKernel::CompiledKernel(CompiledKernel &&) noexcept = default;
CompiledKernel::~CompiledKernel() = default;

void CompiledKernel::run(llvm::ArrayRef<void *> buffers, int64_t begin, int64_t end, bool backwards) const {
  constexpr size_t alignment = 64;
  const size_t scratchBytes = code.scratchBytes / alignment * alignment + alignment;
  void *scratch = aligned_alloc(alignment, scratchBytes);
  // What others left there: as floats, subnormal numbers.
  std::fill_n(static_cast<uint32_t *>(scratch), scratchBytes / sizeof(uint32_t), 1);
  nacre_kernel_args arguments{buffers.data(), scratch, begin, end, nullptr};
  const int64_t units = (end - begin + code.unitExtent - 1) / code.unitExtent * code.unitsPerBlock;
  if (!backwards)
    function(&arguments, 0, units);
  for (int64_t unit = units; backwards && unit-- > 0;)
    function(&arguments, unit, unit + 1);
  free(scratch);
}

} // namespace nacre::codegen::test
