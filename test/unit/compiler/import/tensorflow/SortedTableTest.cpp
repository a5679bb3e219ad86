// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorted tables: what is read of good ones, and that bad ones are refused.

#include "compiler/import/tensorflow/checkpoint/Checksum.h"
#include "test/unit/compiler/import/tensorflow/CheckpointWriter.h"
#include "gtest/gtest.h"

using namespace nacre::importer;
using namespace nacre::importer::tensorflow_format;

constexpr uint64_t plenty = 1 << 30;

static std::string errorOf(llvm::StringRef file, uint64_t budget = plenty) {
  llvm::Expected<SortedTable> table = SortedTable::read(file, budget);
  return table ? "" : llvm::toString(table.takeError());
}

TEST(Checksum, IsThatOfTheStandard) {
  // Of RFC 3720, and of all lengths around the eight bytes that are taken at a time.
  EXPECT_EQ(computeCrc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(computeCrc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(computeCrc32c(std::string(32, '\xff')), 0x62a8ab43u);
  std::string text = "a text of some more bytes than thirty-two";
  for (size_t cut = 0; cut < text.size(); ++cut)
    EXPECT_EQ(computeCrc32c(text.substr(cut), computeCrc32c(text.substr(0, cut))), computeCrc32c(text));
}

TEST(SortedTable, KeysAreRebuiltFromWhatTheyShare) {
  for (bool isCompressed : {false, true})
    for (size_t entriesInBlock : {1, 3, 100}) {
      std::vector<std::pair<std::string, std::string>> entries;
      for (int index = 100; index < 140; ++index)
        entries.push_back({"layer/" + std::to_string(index) + "/kernel", std::string(index, 'v')});
      std::string file = writeTable(entries, {entriesInBlock, isCompressed});
      llvm::Expected<SortedTable> table = SortedTable::read(file, plenty);
      ASSERT_TRUE(static_cast<bool>(table)) << llvm::toString(table.takeError());
      ASSERT_EQ(table->getEntries().size(), entries.size());
      for (const auto &[key, value] : entries)
        EXPECT_EQ(table->find(key), std::optional<llvm::StringRef>(value));
      EXPECT_FALSE(table->find("layer/1"));
      EXPECT_FALSE(table->find("layer/99"));
    }
}

TEST(SortedTable, AnEmptyTableHasNoEntries) {
  llvm::Expected<SortedTable> table = SortedTable::read(writeTable({}), plenty);
  ASSERT_TRUE(static_cast<bool>(table));
  EXPECT_TRUE(table->getEntries().empty());
}

TEST(SortedTable, KeysMustAscend) {
  EXPECT_NE(errorOf(writeTable({{"b", "1"}, {"a", "2"}})).find("keys must ascend"), std::string::npos);
  EXPECT_NE(errorOf(writeTable({{"a", "1"}, {"a", "2"}})).find("keys must ascend"), std::string::npos);
  EXPECT_NE(errorOf(writeTable({{"b", "1"}, {"a", "2"}}, {1})).find("keys must ascend"), std::string::npos);
}

TEST(SortedTable, EveryFlippedBitOfABlockIsFound) {
  std::string file = writeTable({{"a", "1"}, {"b", "2"}, {"c", "3"}}, {2});
  size_t blockBytes = file.size() - 48;
  for (size_t at = 0; at < blockBytes; ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = file;
      damaged[at] = static_cast<char>(damaged[at] ^ 1 << bit);
      // The index of meta blocks is not read: it is the block before that of the index.
      llvm::Expected<SortedTable> table = SortedTable::read(damaged, plenty);
      if (!table)
        llvm::consumeError(table.takeError());
      else
        EXPECT_EQ(table->getEntries().size(), 3u) << at;
    }
  std::string damaged = file;
  damaged[0] ^= 1;
  EXPECT_NE(errorOf(damaged).find("checksum"), std::string::npos);
}

TEST(SortedTable, EveryTruncationIsRefused) {
  std::string file = writeTable({{"a", "1"}, {"b", "2"}}, {1});
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_NE(errorOf(llvm::StringRef(file).take_front(size)), "") << size;
}

TEST(SortedTable, MemoryIsBounded) {
  // A key of one byte more than the one before, each time: its bytes are not in the file.
  std::vector<std::pair<std::string, std::string>> entries;
  for (int index = 1; index < 2000; ++index)
    entries.push_back({std::string(index, 'k'), ""});
  std::string file = writeTable(entries, {entries.size()});
  EXPECT_EQ(errorOf(file), "");
  EXPECT_NE(errorOf(file, 1 << 20).find("memory"), std::string::npos);
  // Thousands of bytes compressed to some.
  std::string packed = writeTable({{"a", std::string(100000, 'x')}}, {1, /*isCompressed=*/true});
  EXPECT_EQ(errorOf(packed), "");
  EXPECT_NE(errorOf(packed, 50000).find("memory"), std::string::npos);
}
