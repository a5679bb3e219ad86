// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the driver's compiled code in a file of the folder that the app names.
// Why:   what took seconds at the first create takes milliseconds at the next.
// How:   one file for each device, driver and set of kernels; its head repeats the key and tells size and hash of the
//        data, because drivers crash on data that is not theirs. A file is written beside and then renamed.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_PIPELINE_CACHE_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_PIPELINE_CACHE_H

#include "runtime/src/gpu_vulkan/device.h"

namespace nacre::runtime::gpu {

/// What the data belong to, and that they are whole.
struct CacheHead {
  char magic[8];
  uint32_t vendor;
  uint32_t product;
  uint32_t driver;
  uint32_t reserved;
  uint8_t identity[VK_UUID_SIZE];
  uint64_t code; // hash of all SPIR-V
  uint64_t data_bytes;
  uint64_t data_hash;
};

uint64_t hash(const void *data, uint64_t bytes, uint64_t seed = 0xcbf29ce484222325);

/// A cache with what the folder has, which may be nothing; `head` gets its key and what was found.
bool open_cache(Device &device, const char *folder, uint64_t code_hash, const nacre_allocator &allocator,
                CacheHead &head, VkPipelineCache &cache, Reason &reason);

/// Writes what the driver has added. A file that cannot be written is no failure of the session.
void save_cache(Device &device, const char *folder, const nacre_allocator &allocator, const CacheHead &head,
                VkPipelineCache cache);

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_PIPELINE_CACHE_H
