// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sorted string table (SSTable), as LevelDB writes them, and TensorFlow the index of a checkpoint.
//
// What: keys with their values, ascending, in blocks that may be compressed.
// Why:  the file is a stranger's: what it says of sizes and places is checked before anything is read or allocated.
// How:  footer, index block, data blocks, each once and in order; a block's checksum is checked before its content is looked at.
//
// The file ends with a footer of 48 bytes: the places of the index of meta blocks, which is not read, and of the index block
// (offset and size, as varints), zeros, a magic number. A block is its content, one byte that says how it is compressed, and
// the masked CRC-32C of both. The content: entries (how many bytes the key shares with the key before, how many follow, the
// length of the value; these bytes; the value), then where keys begin afresh, and how many such places there are. The values
// of the index block are the places of the data blocks.

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

  /// Reads a whole table, whose values are views of `file` where it is not compressed. Fails where the file is damaged, or
  /// the table would take more than `memoryBudget` bytes.
  static llvm::Expected<SortedTable> read(llvm::StringRef file, uint64_t memoryBudget);

  /// In the order of keys.
  llvm::ArrayRef<Entry> getEntries() const { return entries; }
  std::optional<llvm::StringRef> find(llvm::StringRef key) const;

private:
  friend class TableReader;

  std::vector<Entry> entries;
  llvm::BumpPtrAllocator memory; ///< of keys and of blocks that were compressed
};

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CHECKPOINT_SORTEDTABLE_H
