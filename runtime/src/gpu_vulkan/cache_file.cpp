// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements cache_file.h. The head is read first, because it contains the size of the data.

#include "runtime/src/gpu_vulkan/cache_file.h"
#include "runtime/src/platform.h"
#include "runtime/src/session.h"

namespace nacre::runtime::gpu {
namespace {

constexpr uint64_t kMostBytes = uint64_t(1) << 28;
constexpr const char *kSuffixes[] = {"", ".pipelines", ".verdicts", ".tuning"};

} // namespace

uint64_t hash(const void *data, uint64_t bytes, uint64_t seed) { // FNV-1a over 64-bit words, which hashes a megabyte in
                                                                 // less than a millisecond.
  constexpr uint64_t prime = 0x100000001b3;
  auto *byte = static_cast<const char *>(data);
  for (; bytes >= 8; bytes -= 8, byte += 8) {
    uint64_t word;
    __builtin_memcpy(&word, byte, sizeof word);
    seed = (seed ^ word) * prime;
    seed ^= seed >> 32; // Without this shift, a word's high bits would never change low bits.
  }
  for (; bytes; --bytes)
    seed = (seed ^ uint8_t(*byte++)) * prime;
  return seed;
}

CacheFile::CacheFile(const char *in, FileKind kind, const Traits &traits, uint64_t model)
    : folder(in && *in ? in : nullptr), head{{'n', 'a', 'c', 'r', 'e', 'c', 'f', '1'},
                                             uint64_t(kind),
                                             traits.vendor,
                                             traits.product,
                                             traits.driver,
                                             0,
                                             {},
                                             model,
                                             0,
                                             0} {
  __builtin_memcpy(head.identity, traits.cache_identity, sizeof head.identity);
  if (folder)
    path << folder << "/nacre-" << hash(&head, offsetof(FileHead, data_bytes)) << kSuffixes[uint64_t(kind)];
}

const char *CacheFile::read(const Session &session, MemoryPool &pool, uint64_t &bytes) {
  FileHead found;
  const int64_t size = folder ? read_file(path.c_str(), &found, sizeof found) : -1;
  if (size < 0)
    return nullptr;
  if (size == int64_t(sizeof found) && equal_bytes(&found, &head, offsetof(FileHead, data_bytes)) &&
      found.data_bytes <= kMostBytes) {
    const uint64_t whole = sizeof found + found.data_bytes;
    auto *file = static_cast<char *>(pool.take(whole));
    if (file && read_file(path.c_str(), file, whole) == int64_t(whole) &&
        hash(file + sizeof found, found.data_bytes) == found.data_hash) {
      head = found;
      bytes = found.data_bytes;
      return file + sizeof found;
    }
  }
  Reason text;
  text << "a cache file is damaged or foreign, and is rewritten: " << path.c_str();
  tell(session, text);
  return nullptr;
}

void CacheFile::write(const void *data, uint64_t bytes) {
  const uint64_t data_hash = hash(data, bytes);
  if (!folder || bytes == 0 || bytes > kMostBytes || (bytes == head.data_bytes && data_hash == head.data_hash))
    return;
  head.data_bytes = bytes;
  head.data_hash = data_hash;
  Text<kMostPath> beside;
  beside << path.c_str() << "." << process_number() << "." << now();
  if (write_file(beside.c_str(), &head, sizeof head, data, bytes))
    rename_file(beside.c_str(), path.c_str());
}

} // namespace nacre::runtime::gpu
