// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements SortedTable.h.
//
// How:  1. the footer and the blocks that it names,
//       2. blocks,
//       3. entries.

#include "compiler/import/tensorflow/checkpoint/SortedTable.h"

#include "compiler/import/protobuf/WireScan.h"
#include "compiler/import/tensorflow/checkpoint/Checksum.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"
#include <snappy.h>

using namespace llvm;

namespace nacre::importer::tensorflow_format {

/// Position and size of a block in the file, without its trailer.
struct BlockPlace {
  uint64_t offset, size;
};

class TableReader {
public:
  TableReader(StringRef file, uint64_t memoryBudget) : file(file), memoryLeft(memoryBudget) {}

  Error read();

  SortedTable table;

private:
  Error fail(const Twine &what) const { return createStringError("byte " + Twine(position) + ": " + what); }

  Error charge(uint64_t bytes);
  Error takePlace(StringRef &bytes, BlockPlace &place) const;
  Expected<StringRef> readBlock(BlockPlace place);
  Expected<StringRef> decompress(StringRef content);
  Error forEachEntry(StringRef block, function_ref<Error(StringRef key, StringRef value)> visit);

  StringRef file;
  uint64_t memoryLeft;
  uint64_t position = 0; ///< offset of the bytes that are being read, for error messages
  uint64_t blocksEnd = 0;
};

constexpr uint64_t footerBytes = 48, trailerBytes = 5;
constexpr uint64_t magic = 0xdb4775248b80fb57;

//===----------------------------------------------------------------------===//
// 1. The footer and the blocks that it names
//===----------------------------------------------------------------------===//

Error TableReader::charge(uint64_t bytes) {
  if (bytes > memoryLeft)
    return fail("the table must not need more memory than its size allows, but does");
  memoryLeft -= bytes;
  return Error::success();
}

Error TableReader::takePlace(StringRef &bytes, BlockPlace &place) const {
  if (!takeVarint(bytes, place.offset) || !takeVarint(bytes, place.size))
    return fail("a block handle must be two numbers; the file is damaged");
  uint64_t end = file.size() - footerBytes;
  if (place.offset > end || place.size > end - place.offset || trailerBytes > end - place.offset - place.size)
    return fail("a block must lie inside the file, but lies at byte " + Twine(place.offset) + " and has " +
                Twine(place.size) + " bytes; the file is truncated or damaged");
  return Error::success();
}

Error TableReader::read() {
  if (file.size() < footerBytes || support::endian::read64le(file.end() - sizeof(magic)) != magic)
    return createStringError("not the index of a checkpoint; the file is truncated or damaged");
  position = file.size() - footerBytes;
  StringRef footer = file.drop_front(position).drop_back(sizeof(magic));
  BlockPlace meta, index;
  if (Error error = takePlace(footer, meta))
    return error;
  if (Error error = takePlace(footer, index))
    return error;
  Expected<StringRef> places = readBlock(index);
  if (!places)
    return places.takeError();
  return forEachEntry(*places, [&](StringRef, StringRef value) -> Error {
    BlockPlace place;
    if (Error error = takePlace(value, place))
      return error;
    // Blocks must be in order, and each is visited once. This also limits the time for a damaged file.
    if (place.offset < blocksEnd)
      return fail("blocks must follow one another; the file is damaged");
    blocksEnd = place.offset + place.size + trailerBytes;
    Expected<StringRef> block = readBlock(place);
    if (!block)
      return block.takeError();
    return forEachEntry(*block, [&](StringRef key, StringRef value) -> Error {
      if (!table.entries.empty() && key <= table.entries.back().key)
        return fail("keys must ascend, but two do not; the file is damaged");
      // A vector that grows by doubling needs memory for up to three times its entries.
      if (Error error = charge(key.size() + 3 * sizeof(SortedTable::Entry)))
        return error;
      table.entries.push_back({key.copy(table.memory), value});
      return Error::success();
    });
  });
}

//===----------------------------------------------------------------------===//
// 2. Blocks
//===----------------------------------------------------------------------===//

Expected<StringRef> TableReader::readBlock(BlockPlace place) {
  position = place.offset;
  StringRef content = file.substr(place.offset, place.size);
  uint32_t stored = support::endian::read32le(content.end() + 1);
  if (maskCrc(computeCrc32c(file.substr(place.offset, place.size + 1))) != stored)
    return fail("the checksum of a block is wrong; the file is damaged");
  enum Compression : char { None = 0, Snappy = 1 };
  switch (*content.end()) {
  case None:
    return content;
  case Snappy:
    return decompress(content);
  default:
    return fail("a block must be uncompressed or compressed with Snappy; write the checkpoint again");
  }
}

Expected<StringRef> TableReader::decompress(StringRef content) {
  constexpr uint64_t maxRatio = 64;
  size_t size;
  if (!snappy::GetUncompressedLength(content.data(), content.size(), &size))
    return fail("a compressed block does not state its size; the file is damaged");
  if (size > maxRatio * content.size())
    return fail("a compressed block claims to have " + Twine(size) + " bytes, more than " + Twine(content.size()) +
                " can encode; the file is damaged");
  if (Error error = charge(size))
    return std::move(error);
  auto *bytes = table.memory.Allocate<char>(size);
  if (!snappy::RawUncompress(content.data(), content.size(), bytes))
    return fail("a block cannot be decompressed; the file is damaged");
  return StringRef(bytes, size);
}

//===----------------------------------------------------------------------===//
// 3. Entries
//===----------------------------------------------------------------------===//

/// Removes the three sizes at the beginning of an entry from `rest`. Returns false if the entry exceeds the block.
static bool takeSizes(StringRef &rest, uint64_t &shared, uint64_t &unshared, uint64_t &value) {
  return takeVarint(rest, shared) && takeVarint(rest, unshared) && takeVarint(rest, value) && unshared <= rest.size() &&
         value <= rest.size() - unshared;
}

Error TableReader::forEachEntry(StringRef block, function_ref<Error(StringRef key, StringRef value)> visit) {
  constexpr uint64_t wordBytes = sizeof(uint32_t);
  uint64_t numRestarts = block.size() < wordBytes ? 0 : support::endian::read32le(block.end() - wordBytes);
  if (block.size() < wordBytes || numRestarts > block.size() / wordBytes - 1)
    return fail("a block must end with the offsets of its keys; the file is damaged");
  StringRef restarts = block.take_back((numRestarts + 1) * wordBytes);
  StringRef rest = block.drop_back(restarts.size());
  for (uint64_t index = 0; index < numRestarts; ++index)
    if (support::endian::read32le(restarts.data() + index * wordBytes) > rest.size())
      return fail("the keys of a block must lie inside it; the file is damaged");

  SmallString<128> key;
  while (!rest.empty()) {
    uint64_t shared, unshared, valueBytes;
    if (!takeSizes(rest, shared, unshared, valueBytes) || shared > key.size())
      return fail("an entry must lie inside its block; the file is damaged");
    key.truncate(shared);
    key += rest.take_front(unshared);
    rest = rest.drop_front(unshared);
    if (Error error = visit(key, rest.take_front(valueBytes)))
      return error;
    rest = rest.drop_front(valueBytes);
  }
  return Error::success();
}

Expected<SortedTable> SortedTable::read(StringRef file, uint64_t memoryBudget) {
  TableReader reader(file, memoryBudget);
  if (Error error = reader.read())
    return std::move(error);
  return std::move(reader.table);
}

std::optional<StringRef> SortedTable::find(StringRef key) const {
  const Entry *entry =
      llvm::lower_bound(getEntries(), key, [](const Entry &entry, StringRef wanted) { return entry.key < wanted; });
  if (entry == getEntries().end() || entry->key != key)
    return std::nullopt;
  return entry->value;
}

} // namespace nacre::importer::tensorflow_format
