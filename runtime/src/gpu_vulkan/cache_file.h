// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files in the app's cache folder: the driver's compiled code, and measurements of a device.
// Why: work that takes seconds in the first create takes milliseconds in the next.
// How: there is one file for each combination of kind, device, driver and model. The file's head repeats this key and
//      contains the size and hash of the data, because drivers crash on foreign data. A file is written under a
//      temporary name and then renamed.

#ifndef NACRE_RUNTIME_SRC_GPU_VULKAN_CACHE_FILE_H
#define NACRE_RUNTIME_SRC_GPU_VULKAN_CACHE_FILE_H

#include "runtime/src/gpu_vulkan/traits.h"

namespace nacre::runtime {
struct Session;
}

namespace nacre::runtime::gpu {

/// Room for every path that the system accepts, which has less than 4096 bytes. A path that is cut off here is still
/// too long for the system, so it never names another file.
constexpr size_t kMostPath = 4096 + 64;

enum class FileKind : uint64_t { Pipelines = 1, Verdicts = 2, Tuning = 3 };

/// Key of the file's data, and the size and hash of the data.
struct FileHead {
  char magic[8];
  uint64_t kind;
  uint32_t vendor;
  uint32_t product;
  uint32_t driver;
  uint32_t reserved;
  uint8_t identity[VK_UUID_SIZE];
  uint64_t model; // Hash of everything else that the file's data depends on.
  uint64_t data_bytes;
  uint64_t data_hash;
};

uint64_t hash(const void *data, uint64_t bytes, uint64_t seed = 0xcbf29ce484222325);

class CacheFile {
public:
  /// Prepares the file's path in `folder`. If `folder` is null or empty, nothing is read or written.
  CacheFile(const char *folder, FileKind kind, const Traits &traits, uint64_t model);

  /// Reads the file and returns its data in memory of the pool; nullptr if there is no usable file. An existing file
  /// that is not usable is reported to the session's log.
  const char *read(const Session &session, MemoryPool &pool, uint64_t &bytes);

  /// Writes `data`, unless it equals the data that was read. A failure is ignored.
  void write(const void *data, uint64_t bytes);

  /// Returns the size in bytes of the data that was read or written last.
  uint64_t data_bytes() const { return head.data_bytes; }

private:
  const char *folder;
  FileHead head; // The key, and the size and hash of the data that was read or written last.
  Text<kMostPath> path;
};

} // namespace nacre::runtime::gpu

#endif // NACRE_RUNTIME_SRC_GPU_VULKAN_CACHE_FILE_H
