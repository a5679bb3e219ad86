// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements content_sum.h.
// How: hashes blocks of at most 4096 bytes. The hash of each block starts with the hash of the previous block. The ELF
//      header, the table of segments and the notes count as zeros, because tools may rewrite their bytes. Instead, the
//      addresses and sizes in the table of segments are hashed.

#include "runtime/inspect/content_sum.h"
#include "runtime/src/weights/content_hash.h"

namespace nacre::inspect {
namespace {

using runtime::ContentHash;

constexpr uint64_t kBlockBytes = 4096;
constexpr uint32_t kSumType = 2;

struct NoteHead {
  uint32_t name_bytes, content_bytes, type;
};

constexpr uint64_t round_up(uint64_t bytes, uint64_t to) { return (bytes + to - 1) / to * to; }

class Sum {
public:
  explicit Sum(const ElfFile &file) : file(file) {}

  bool add_all() {
    uint64_t loads = 0;
    for (const Segment &segment : file)
      if (segment.type != Segment::None) {
        const uint64_t facts[] = {segment.type | uint64_t(segment.flags) << 32, segment.address, segment.file_bytes,
                                  segment.memory_bytes};
        __builtin_memcpy(block.data, facts, sizeof facts);
        close_block(sizeof facts);
      }
    for (const Segment &segment : file)
      if (segment.type == Segment::Load && !add_load(segment, loads++ == 0))
        return false;
    return true;
  }

  uint64_t get() const { return block.before; }

private:
  bool add_load(const Segment &load, bool is_first) {
    const uint64_t end = load.file_bytes;
    const bool is_weights = !is_first && load.flags == Segment::Readable && end > 2 * kBlockBytes;
    for (uint64_t at = 0; at < end; at += kBlockBytes) {
      if (is_weights && at == kBlockBytes)
        at = end - kBlockBytes;
      const uint64_t bytes = end - at < kBlockBytes ? end - at : kBlockBytes;
      if (!file.read(load.offset + at, block.data, bytes))
        return false;
      blank_all(load.offset + at, bytes);
      close_block(bytes);
    }
    return true;
  }

  void blank_all(uint64_t offset, uint64_t bytes) {
    const FileHeader &header = file.get_header();
    blank(offset, bytes, 0, sizeof header);
    blank(offset, bytes, header.segments, header.segment_count * sizeof(Segment));
    for (const Segment &segment : file)
      if (segment.type == Segment::Note)
        blank(offset, bytes, segment.offset, segment.file_bytes);
  }

  /// Clears those bytes of the block that are at [first, first + count) in the file. The block contains `bytes` bytes
  /// from `offset` on.
  void blank(uint64_t offset, uint64_t bytes, uint64_t first, uint64_t count) {
    const uint64_t begin = first > offset ? first - offset : 0;
    const uint64_t end = first + count > offset ? first + count - offset : 0;
    for (uint64_t at = begin; at < end && at < bytes; ++at)
      block.data[at] = 0;
  }

  void close_block(uint64_t bytes) {
    const uint64_t padded = round_up(bytes, ContentHash::kStripe);
    for (uint64_t at = bytes; at < padded; ++at)
      block.data[at] = 0;
    block.before = ContentHash::of(reinterpret_cast<const char *>(&block), offsetof(Block, data) + padded);
  }

  struct Block {
    uint64_t before = 0, zeros[3] = {};
    char data[kBlockBytes];
  };

  const ElfFile &file;
  Block block;
};

/// Returns the offset of a note's contents in the file; 0 if no note has the name `wanted` and the type `type`.
uint64_t find_note(const ElfFile &file, const char *wanted, uint32_t wanted_bytes, uint32_t type,
                   uint64_t &content_bytes) {
  constexpr uint32_t kMostName = 8;
  for (const Segment &segment : file) {
    if (segment.type != Segment::Note)
      continue;
    const uint64_t alignment = segment.alignment == 8 ? 8 : 4;
    NoteHead head;
    for (uint64_t at = 0;
         fits(at, sizeof head, segment.file_bytes) && file.read(segment.offset + at, &head, sizeof head);) {
      char name[kMostName];
      const uint64_t content = at + round_up(sizeof head + head.name_bytes, alignment);
      if (head.type == type && head.name_bytes == wanted_bytes &&
          fits(content, head.content_bytes, segment.file_bytes) &&
          file.read(segment.offset + at + sizeof head, name, wanted_bytes) &&
          runtime::equal_bytes(name, wanted, wanted_bytes)) {
        content_bytes = head.content_bytes;
        return segment.offset + content;
      }
      at = content + round_up(head.content_bytes, alignment);
    }
  }
  return 0;
}

} // namespace

uint64_t find_sum(const ElfFile &file) {
  uint64_t bytes = 0;
  const uint64_t place = find_note(file, "Nacre", sizeof "Nacre", kSumType, bytes);
  return bytes == sizeof(uint64_t) ? place : 0;
}

void read_build_id(const ElfFile &file, nacre_library_facts &facts) {
  constexpr uint32_t kBuildIdType = 3;
  unsigned char id[(sizeof facts.build_id - 1) / 2];
  uint64_t bytes = 0;
  const uint64_t place = find_note(file, "GNU", sizeof "GNU", kBuildIdType, bytes);
  if (place == 0 || bytes > sizeof id || !file.read(place, id, bytes))
    bytes = 0;
  for (uint64_t i = 0; i < bytes; ++i) {
    facts.build_id[2 * i] = "0123456789abcdef"[id[i] >> 4];
    facts.build_id[2 * i + 1] = "0123456789abcdef"[id[i] & 15];
  }
  facts.build_id[2 * bytes] = 0;
}

bool compute_sum(const ElfFile &file, uint64_t &sum) {
  Sum all(file);
  if (!all.add_all())
    return false;
  sum = all.get();
  return true;
}

} // namespace nacre::inspect
