// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of the folder that the app names: the driver's compiled code, and what was measured on a device.
// Why: what took seconds at the first create takes milliseconds at the next.
// How: one file for each kind, device, driver and model; its head repeats the key and tells size and hash of the data,
//      because drivers crash on data that is not theirs. A file is written beside and then renamed.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_CACHE_FILE_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_CACHE_FILE_H

#include "runtime/src/gpu_vulkan/traits.h"

namespace nacre::runtime {
struct Session;
}

namespace nacre::runtime::gpu {

/// Room for every path that the kernel takes, which are of less than 4096 bytes; one that is cut off here is still too
/// long for it, and so never another file's.
constexpr size_t kMostPath = 4096 + 64;

enum class FileKind : uint64_t { Pipelines = 1, Verdicts = 2, Tuning = 3 };

/// What the data belong to, and that they are whole.
struct FileHead {
  char magic[8];
  uint64_t kind;
  uint32_t vendor;
  uint32_t product;
  uint32_t driver;
  uint32_t reserved;
  uint8_t identity[VK_UUID_SIZE];
  uint64_t model; // hash of what the data depend on
  uint64_t data_bytes;
  uint64_t data_hash;
};

uint64_t hash(const void *data, uint64_t bytes, uint64_t seed = 0xcbf29ce484222325);

class CacheFile {
public:
  /// `folder` may be null or empty: then nothing is found and nothing is kept.
  CacheFile(const char *folder, FileKind kind, const Traits &traits, uint64_t model);

  /// The data, in the pool; nullptr where there is none that serves. A file that is there but does not serve is told to
  /// the session's log.
  const char *read(const Session &session, MemoryPool &pool, uint64_t &bytes);

  /// Keeps data that are not what was read. A file that cannot be written is no failure of the session.
  void write(const void *data, uint64_t bytes);

  /// Of what was read or written last.
  uint64_t data_bytes() const { return head.data_bytes; }

private:
  const char *folder;
  FileHead head; // with what the file has, as far as it is known
  Text<kMostPath> path;
};

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_CACHE_FILE_H
