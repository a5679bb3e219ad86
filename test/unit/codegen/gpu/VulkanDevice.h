// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the least Vulkan that runs a GPU variant on storages in the host's memory.
// Why:   emitters are tested without the runtime, which has tests of its own.

#ifndef NACRE_TEST_UNIT_CODEGEN_GPU_VULKANDEVICE_H
#define NACRE_TEST_UNIT_CODEGEN_GPU_VULKANDEVICE_H

#include "codegen/Backend.h"
#include "test/unit/codegen/Storage.h"

namespace nacre::codegen {

class VulkanDevice {
public:
  /// A device, opened once; null if there is no device.
  static VulkanDevice *get();

  /// Returns whether the device has all features that `code` needs.
  bool meets(const GpuKernelCode &code) const;

  /// Runs `code` for the share [begin, end) of the cut axis. Each storage is at an odd multiple of its alignment, which
  /// is a power of two up to kGpuBufferAlignment. If Vulkan refuses a call, the program names it and ends.
  void run(const GpuKernelCode &code, llvm::MutableArrayRef<Storage> storages, llvm::ArrayRef<int64_t> alignments,
           int64_t begin, int64_t end);

private:
  VulkanDevice() = default;
  struct State;
  State *state = nullptr; ///< Lives as long as the process.
};

} // namespace nacre::codegen

#endif // NACRE_TEST_UNIT_CODEGEN_GPU_VULKANDEVICE_H
