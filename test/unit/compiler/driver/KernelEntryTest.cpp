// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/cache/KernelEntry.h"

#include <gtest/gtest.h>

using namespace nacre;
using namespace nacre::codegen;

namespace {

KernelCode cpuCode() {
  KernelCode code;
  code.object = {'E', '\n', '\0', '\xff'};
  code.unitExtent = 3;
  code.unitsPerBlock = 5;
  code.scratchBytes = uint64_t(1) << 63;
  code.unitNanoseconds = UINT32_MAX;
  code.needs = UINT64_MAX;
  code.flops = 1e300 / 3;
  code.executedFlops = 0.1;
  code.fallback = true;
  code.declinedBy = "contraction, \"attention\"";
  return code;
}

TEST(KernelEntry, KeepsCodeOfCpus) {
  const KernelCode code = cpuCode();
  std::optional<KernelCode> read = fromEntry<KernelCode>(toEntry(code));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->object, code.object);
  EXPECT_EQ(read->unitExtent, code.unitExtent);
  EXPECT_EQ(read->unitsPerBlock, code.unitsPerBlock);
  EXPECT_EQ(read->scratchBytes, code.scratchBytes);
  EXPECT_EQ(read->unitNanoseconds, code.unitNanoseconds);
  EXPECT_EQ(read->needs, code.needs);
  EXPECT_EQ(read->flops, code.flops);
  EXPECT_EQ(read->executedFlops, code.executedFlops);
  EXPECT_EQ(read->fallback, code.fallback);
  EXPECT_EQ(read->declinedBy, code.declinedBy);
}

GpuKernel gpuKernel() {
  GpuKernel kernel;
  kernel.declined = "a reason";
  for (uint32_t number : {1, 2}) {
    GpuKernelCode code;
    code.code.assign(number, 0x07230203 + number);
    code.bindings = {0, uint8_t(number), 255};
    code.needs = uint64_t(number) << 40;
    code.unitExtent = 7 * number;
    code.groups = 11 * number;
    code.workgroupSize = 64 * number;
    code.sharedBytes = 1000 * number;
    code.families = 2 * number;
    code.shifted = 4 * number;
    code.pieceBytes = number << 30;
    code.flops = 0.3 * number;
    kernel.variants.push_back(code);
  }
  return kernel;
}

TEST(KernelEntry, KeepsVariantsOfGpus) {
  const GpuKernel kernel = gpuKernel();
  std::optional<GpuKernel> read = fromEntry<GpuKernel>(toEntry(kernel));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->declined, kernel.declined);
  ASSERT_EQ(read->variants.size(), kernel.variants.size());
  for (auto [own, other] : llvm::zip_equal(read->variants, kernel.variants)) {
    EXPECT_EQ(own.code, other.code);
    EXPECT_EQ(own.bindings, other.bindings);
    EXPECT_EQ(own.needs, other.needs);
    EXPECT_EQ(own.unitExtent, other.unitExtent);
    EXPECT_EQ(own.groups, other.groups);
    EXPECT_EQ(own.workgroupSize, other.workgroupSize);
    EXPECT_EQ(own.sharedBytes, other.sharedBytes);
    EXPECT_EQ(own.families, other.families);
    EXPECT_EQ(own.shifted, other.shifted);
    EXPECT_EQ(own.pieceBytes, other.pieceBytes);
    EXPECT_EQ(own.flops, other.flops);
  }
  EXPECT_TRUE(fromEntry<GpuKernel>(toEntry(GpuKernel())));
}

/// Each byte counts: those of the code by the checksum, those of the line by its names and types.
TEST(KernelEntry, RefusesCutEntries) {
  const std::string ofCpu = toEntry(cpuCode()), ofGpu = toEntry(gpuKernel());
  for (size_t size = 0; size < ofCpu.size(); ++size)
    EXPECT_FALSE(fromEntry<KernelCode>(llvm::StringRef(ofCpu).take_front(size))) << size;
  for (size_t size = 0; size < ofGpu.size(); ++size)
    EXPECT_FALSE(fromEntry<GpuKernel>(llvm::StringRef(ofGpu).take_front(size))) << size;
}

TEST(KernelEntry, RefusesOtherKinds) {
  EXPECT_FALSE(fromEntry<GpuKernel>(toEntry(cpuCode())));
  EXPECT_FALSE(fromEntry<KernelCode>(toEntry(gpuKernel())));
}

/// A file with the checksum of its code can still have a wrong number of words.
TEST(KernelEntry, RefusesWrongNumbersOfWords) {
  std::string entry = toEntry(gpuKernel());
  const size_t at = entry.find("\"words\":2");
  ASSERT_NE(at, std::string::npos);
  for (const char *number : {"1", "3", "9"}) {
    entry.replace(at + 8, 1, number);
    EXPECT_FALSE(fromEntry<GpuKernel>(entry)) << number;
  }
}

} // namespace
