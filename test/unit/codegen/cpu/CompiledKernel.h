// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a kernel as text, compiled for this machine and loaded into this process.
// Why:   what an emitter writes is right when it computes what it should; only its IR does not show that.
// How:   the compiler's own call (codegen/Backend.h), then LLVM's in-process linker.

#ifndef NACRE_TEST_UNIT_CODEGEN_CPU_COMPILEDKERNEL_H
#define NACRE_TEST_UNIT_CODEGEN_CPU_COMPILEDKERNEL_H

#include "codegen/Backend.h"
#include "dialects/plan/PlanDialect.h"
#include "runtime/include/nacre/model_format.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace llvm::orc {
class LLJIT;
}

namespace nacre::codegen::test {

/// A CPU for each instruction set that emitters know and this machine has, by LLVM's name.
std::vector<std::string> instructionSets();

class CompiledKernel {
public:
  /// Compiles for the CPU `cpu`, one of instructionSets(), or for this one. Fails the test that calls it where the
  /// kernel cannot be compiled: then there is no function.
  explicit CompiledKernel(plan::KernelOp kernel, const std::string &cpu = "");
  CompiledKernel(CompiledKernel &&) noexcept;
  ~CompiledKernel();

  explicit operator bool() const { return function != nullptr; }

  /// Computes the share [begin, end) of the cut axis: all units in one call, or one by one from the last.
  void run(llvm::ArrayRef<void *> buffers, int64_t begin, int64_t end, bool backwards = false) const;

  KernelCode code;

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
  nacre_kernel_function function = nullptr;
};

} // namespace nacre::codegen::test

#endif // NACRE_TEST_UNIT_CODEGEN_CPU_COMPILEDKERNEL_H
