// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see pipeline_cache.h.
// Why:   see there.
// How:   the head is read first: it tells how much follows.

#include "runtime/src/gpu_vulkan/pipeline_cache.h"
#include "runtime/src/platform.h"

namespace nacre::runtime::gpu {
namespace {

constexpr uint64_t kMostBytes = uint64_t(1) << 28;

using Path = Text<1024>;

CacheHead make_head(const Traits &traits, uint64_t code) {
  CacheHead head = {
      {'n', 'a', 'c', 'r', 'e', 'p', 'c', '1'}, traits.vendor, traits.product, traits.driver, 0, {}, code, 0, 0};
  __builtin_memcpy(head.identity, traits.cache_identity, sizeof head.identity);
  return head;
}

Path path_of(const char *folder, const CacheHead &head) {
  Path path;
  path << folder << "/nacre-" << hash(&head, offsetof(CacheHead, data_bytes)) << ".pipelines";
  return path;
}

/// The data of the file, in the pool; nullptr where there is none that serves.
const char *read_cache(const Path &path, CacheHead &head, Pool &pool) {
  CacheHead found;
  if (read_file(path.c_str(), &found, sizeof found) != int64_t(sizeof found) ||
      !equal_bytes(&found, &head, offsetof(CacheHead, data_bytes)) || found.data_bytes > kMostBytes)
    return nullptr;
  const uint64_t bytes = sizeof found + found.data_bytes;
  auto *file = static_cast<char *>(pool.take(bytes));
  if (!file || read_file(path.c_str(), file, bytes) != int64_t(bytes) ||
      hash(file + sizeof found, found.data_bytes) != found.data_hash)
    return nullptr;
  head = found;
  return file + sizeof found;
}

} // namespace

uint64_t hash(const void *data, uint64_t bytes, uint64_t seed) { // FNV-1a
  auto *byte = static_cast<const uint8_t *>(data);
  for (; bytes; --bytes)
    seed = (seed ^ *byte++) * 0x100000001b3;
  return seed;
}

bool open_cache(Device &device, const char *folder, uint64_t code_hash, const nacre_allocator &allocator,
                CacheHead &head, VkPipelineCache &cache, Reason &reason) {
  head = make_head(device.traits, code_hash);
  Pool pool(allocator);
  VkPipelineCacheCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  if (folder && *folder)
    info.pInitialData = read_cache(path_of(folder, head), head, pool);
  if (info.pInitialData)
    info.initialDataSize = head.data_bytes;
  const bool good = succeeded(device.loader.vk.CreatePipelineCache(device.handle, &info, nullptr, &cache),
                              "vkCreatePipelineCache", reason);
  pool.release();
  return good;
}

void save_cache(Device &device, const char *folder, const nacre_allocator &allocator, const CacheHead &found,
                VkPipelineCache cache) {
  const VulkanApi &vk = device.loader.vk;
  size_t bytes = 0;
  if (!folder || !*folder || vk.GetPipelineCacheData(device.handle, cache, &bytes, nullptr) != VK_SUCCESS ||
      bytes == 0 || bytes > kMostBytes)
    return;
  Pool pool(allocator);
  void *data = pool.take(bytes);
  CacheHead head = make_head(device.traits, found.code);
  if (data && vk.GetPipelineCacheData(device.handle, cache, &bytes, data) == VK_SUCCESS) {
    head.data_bytes = bytes;
    head.data_hash = hash(data, bytes);
    if (head.data_bytes != found.data_bytes || head.data_hash != found.data_hash) {
      const Path path = path_of(folder, head);
      Path beside;
      beside << path.c_str() << "." << process_number() << "." << now();
      if (write_file(beside.c_str(), &head, sizeof head, data, bytes))
        rename_file(beside.c_str(), path.c_str());
    }
  }
  pool.release();
}

} // namespace nacre::runtime::gpu
