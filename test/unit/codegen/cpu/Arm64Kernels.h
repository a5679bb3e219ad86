// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  kernels that are compiled for an arm64 CPU, and run by qemu.
// Why:   most machines that run tests have another instruction set.
// How:   one program has all kernels of a test. It reads their storages from a file, and writes them back to another.

#ifndef NACRE_TEST_UNIT_CODEGEN_CPU_ARM64KERNELS_H
#define NACRE_TEST_UNIT_CODEGEN_CPU_ARM64KERNELS_H

#include "codegen/Backend.h"
#include "dialects/plan/PlanDialect.h"
#include "test/unit/codegen/Storage.h"

#include <string>
#include <vector>

namespace nacre::codegen::test {

/// True if this machine has qemu and a compiler for arm64.
bool runsArm64();

class Arm64Kernels {
public:
  explicit Arm64Kernels(const std::string &cpu);

  /// Adds `kernel`, whose arguments are `storages`. Inputs with an encoding are packed.
  void add(plan::KernelOp kernel, std::vector<Storage> storages);

  /// Runs all kernels, each in two shares of its cut axis, and reads their results.
  void run();

  size_t size() const { return kernels.size(); }
  /// Returns the storages of the kernel with the index `number`, as they are after run().
  std::vector<Storage> &storagesOf(size_t number) { return kernels[number].storages; }

private:
  struct Kernel {
    KernelCode code;
    int64_t extent = 1, middle = 1; ///< Size of the cut axis, and where the second share begins.
    std::vector<Storage> storages, packed;
    /// The storages that the function gets: packed weights, or those of the kernel.
    std::vector<Storage *> buffers();
  };

  std::string program() const;

  Target target;
  std::vector<Kernel> kernels;
};

} // namespace nacre::codegen::test

#endif // NACRE_TEST_UNIT_CODEGEN_CPU_ARM64KERNELS_H
