// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sorted string table (SSTable). LevelDB writes such tables, and TensorFlow stores the index of a checkpoint in one.
//
// A table has ascending keys with their values, in blocks that may be compressed. A file may be damaged or malicious,
// so sizes and offsets are checked before anything is read or allocated. The footer, the index block and the data
// blocks are each read once, in this order. The checksum of a block is checked before its content is used.
//
// The file ends with a footer of 48 bytes: the places of the index of meta blocks, which is not read, and of the index
// block (offset and size, as varints), zeros, and a magic number. A block is its content, one byte for its compression,
// and the masked CRC-32C of both. The content is a list of entries, then the offsets of restarts, where keys share no
// bytes with the previous key, and the number of restarts. An entry is the number of bytes that its key shares with the
// previous key, the number of further bytes, the length of the value, the further bytes, and the value. The values of
// the index block are the places of the data blocks.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_CHECKPOINT_SORTEDTABLE_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_CHECKPOINT_SORTEDTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <vector>

namespace nacre::importer::tensorflow_format {

class SortedTable {
public:
  struct Entry {
    llvm::StringRef key, value;
  };

  /// Reads a whole table. Values that are not compressed refer to `file`. Fails if the file is damaged, or if the table
  /// would need more than `memoryBudget` bytes.
  static llvm::Expected<SortedTable> read(llvm::StringRef file, uint64_t memoryBudget);

  /// Returns the entries in the order of keys.
  llvm::ArrayRef<Entry> getEntries() const { return entries; }
  std::optional<llvm::StringRef> find(llvm::StringRef key) const;

private:
  friend class TableReader;

  std::vector<Entry> entries;
  llvm::BumpPtrAllocator memory; ///< memory of keys and of decompressed blocks
};

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CHECKPOINT_SORTEDTABLE_H
