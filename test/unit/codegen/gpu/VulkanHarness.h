// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  compares a kernel's GPU variants with the CPU's fallback, on random data.
// Why:   the fallback is upstream's lowering: whatever differs is an emitter's mistake. And a share that is cut in two
//        must never change a bit.
// How:   a test derives from GpuDifferential and calls check(text of one kernel). Every variant must pass SPIRV-Tools'
//        validator; those that the device (lavapipe, where there is no other) meets are run.

#ifndef NACRE_TEST_UNIT_CODEGEN_GPU_VULKANHARNESS_H
#define NACRE_TEST_UNIT_CODEGEN_GPU_VULKANHARNESS_H

#include "codegen/Backend.h"
#include "dialects/plan/PlanDialect.h"
#include "test/unit/codegen/Storage.h"
#include "gtest/gtest.h"

namespace nacre::codegen {

class GpuDifferential : public testing::Test {
protected:
  static void SetUpTestSuite();
  GpuDifferential();

  /// `text` is one kernel. Some emitter must take it, and do what the fallback does up to `tolerance`, relative to the
  /// largest result.
  void check(const std::string &text, double tolerance = 1e-5, const GpuOptions &options = {});
  /// `text` with every NAME replaced by its value.
  static std::string with(std::string text, const std::vector<std::pair<const char *, std::string>> &values);
  void checkWith(const std::string &text, const std::vector<std::pair<const char *, std::string>> &values,
                 double tolerance = 1e-5) {
    check(with(text, values), tolerance);
  }
  /// The same of operands that begin on any element, and on any 16 bytes; packed weights never do.
  void checkAnywhere(const std::string &text, double tolerance = 1e-5);

  /// The same of operands that are bound in pieces of `bytes`; some must be larger.
  void checkInPieces(const std::string &text, uint32_t bytes, double tolerance = 1e-5);

  /// `text` is one kernel, a product of bytes. Its first variant with `tile` must multiply matrices, and do what the
  /// fallback does if dot products play the matrices.
  void checkPlayed(const std::string &text, const std::string &tile);

  /// Returns the reason why `text`, which is one kernel, cannot be compiled.
  std::string refusal(const std::string &text, const GpuOptions &options);

  /// Returns the reason why no emitter takes `text`, which is one kernel; empty if one does.
  std::string declined(const std::string &text, const GpuOptions &options = {});

  /// Returns the variants of `text`, which is one kernel; the best variant first.
  std::vector<GpuKernelCode> variantsOf(const std::string &text, const GpuOptions &options = {});

  /// Returns for each variant of `text` whether it writes a NaN, if the elements of the input `input` from `first` on
  /// are NaNs. Empty if there is no device.
  std::vector<bool> readNans(const std::string &text, unsigned input, int64_t first);

private:
  void checkKernel(plan::KernelOp kernel, double tolerance, const GpuOptions &options);
  std::vector<Storage> randomStorages(plan::KernelOp kernel);
  void runReference(plan::KernelOp kernel, std::vector<Storage> &storages);
  void runVariant(plan::KernelOp kernel, const GpuKernelCode &code, const std::vector<Storage> &before,
                  const std::vector<Storage> &expected, double tolerance);

  mlir::MLIRContext context;
};

} // namespace nacre::codegen

#endif // NACRE_TEST_UNIT_CODEGEN_GPU_VULKANHARNESS_H
