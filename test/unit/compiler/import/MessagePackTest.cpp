// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers in arrays of MessagePack: every way to store them, and files that are cut off, uneven or something else.

#include "compiler/import/cnndroid/MessagePack.h"
#include "gtest/gtest.h"

using namespace nacre::importer::cnndroid_format;
using Shape = llvm::SmallVector<int64_t>;

namespace {

std::string errorOf(llvm::StringRef bytes, size_t rank) {
  llvm::Expected<PackedNumbers> numbers = MessageReader(bytes).readNumbers(rank);
  return numbers ? "" : llvm::toString(numbers.takeError());
}

std::vector<float> elementsOf(const PackedNumbers &numbers) {
  const auto *begin = reinterpret_cast<const float *>(numbers.elements->getBufferStart());
  const size_t count = numbers.elements->getBufferSize() / sizeof(float);
  return {begin, begin + count};
}

/// A literal may have zeros inside.
template <size_t size> llvm::StringRef bytesOf(const char (&literal)[size]) { return {literal, size - 1}; }

} // namespace

TEST(MessagePack, NestedArraysAreOneTensor) {
  MessageReader reader(bytesOf("\x92\x93\x01\x02\x03\x93\x04\x05\x06\x91\x07"));
  llvm::Expected<PackedNumbers> first = reader.readNumbers(2);
  ASSERT_TRUE(static_cast<bool>(first)) << llvm::toString(first.takeError());
  EXPECT_EQ(first->shape, Shape({2, 3}));
  EXPECT_EQ(elementsOf(*first), std::vector<float>({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(reader.getBytesLeft(), 2u);
  llvm::Expected<PackedNumbers> second = reader.readNumbers(1);
  ASSERT_TRUE(static_cast<bool>(second)) << llvm::toString(second.takeError());
  EXPECT_EQ(elementsOf(*second), std::vector<float>({7}));
  EXPECT_EQ(reader.getBytesLeft(), 0u);
}

TEST(MessagePack, EveryKindOfNumber) {
  MessageReader reader(
      bytesOf("\x9d\x7f\xe0\xca\x3f\xc0\x00\x00\xcb\x3f\xd0\x00\x00\x00\x00\x00\x00\xcc\xc8\xcd\x01\x2c"
              "\xce\x00\x01\x11\x70\xcf\x00\x00\x01\x00\x00\x00\x00\x00\xd0\xfd\xd1\xfe\xd4\xd2\xff\xfe\xee\x90"
              "\xd3\xff\xff\xff\xff\xff\xff\xff\xfb\x00"));
  llvm::Expected<PackedNumbers> numbers = reader.readNumbers(1);
  ASSERT_TRUE(static_cast<bool>(numbers)) << llvm::toString(numbers.takeError());
  EXPECT_EQ(elementsOf(*numbers),
            std::vector<float>({127, -32, 1.5f, 0.25f, 200, 300, 70000, 1099511627776.0f, -3, -300, -70000, -5, 0}));
}

TEST(MessagePack, LongArrays) {
  for (llvm::StringRef head : {bytesOf("\xdc\x00\x14"), bytesOf("\xdd\x00\x00\x00\x14")}) {
    const std::string bytes = head.str() + std::string(20, '\x05');
    llvm::Expected<PackedNumbers> numbers = MessageReader(bytes).readNumbers(1);
    ASSERT_TRUE(static_cast<bool>(numbers)) << llvm::toString(numbers.takeError());
    EXPECT_EQ(elementsOf(*numbers), std::vector<float>(20, 5));
  }
}

TEST(MessagePack, EveryCutIsAnError) {
  const std::string bytes =
      bytesOf("\x92\x92\xca\x3f\x80\x00\x00\x01\x92\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00\xcd\x00\x01").str();
  EXPECT_EQ(errorOf(bytes, 2), "");
  for (size_t end = 0; end < bytes.size(); ++end)
    EXPECT_NE(errorOf(llvm::StringRef(bytes).take_front(end), 2).find("truncated"), std::string::npos) << end;
}

TEST(MessagePack, AnnouncedSizesTakeNoMemory) {
  EXPECT_EQ(errorOf(bytesOf("\xdd\xff\xff\xff\xff\x01"), 1),
            "byte 0: the arrays announce more numbers than the file has bytes; it is truncated or damaged");
  EXPECT_EQ(errorOf(bytesOf("\x91\xdd\xff\xff\xff\xff\xdd\xff\xff\xff\xff\xdd\xff\xff\xff\xff"), 4),
            "byte 0: the arrays announce more numbers than the file has bytes; it is truncated or damaged");
}

TEST(MessagePack, OtherObjects) {
  EXPECT_EQ(errorOf(bytesOf("\x91\xc0"), 1), "byte 1: must be a number, but is nil");
  EXPECT_EQ(errorOf(bytesOf("\x91\xc3"), 1), "byte 1: must be a number, but is a boolean");
  EXPECT_EQ(errorOf(bytesOf("\x91\xa1x"), 1), "byte 1: must be a number, but is a string");
  EXPECT_EQ(errorOf(bytesOf("\x91\xd9\x01x"), 1), "byte 1: must be a number, but is a string");
  EXPECT_EQ(errorOf(bytesOf("\x91\xc4\x01x"), 1), "byte 1: must be a number, but is binary data");
  EXPECT_EQ(errorOf(bytesOf("\x91\xd4\x01x"), 1), "byte 1: must be a number, but is an extension");
  EXPECT_EQ(errorOf(bytesOf("\x91\xc7\x01x"), 1), "byte 1: must be a number, but is an extension");
  EXPECT_EQ(errorOf(bytesOf("\x91\xc1"), 1), "byte 1: must be a number, but is a byte that MessagePack does not use");
  EXPECT_EQ(errorOf(bytesOf("\x91\x91\x01"), 1), "byte 1: must be a number, but is an array");
  EXPECT_EQ(errorOf(bytesOf("\x81\x01\x01"), 1), "byte 0: must be an array, but is a map");
  EXPECT_EQ(errorOf(bytesOf("\xde\x00\x01\x01\x01"), 1), "byte 0: must be an array, but is a map");
  EXPECT_EQ(errorOf(bytesOf("\x91\x01"), 2), "byte 1: must be an array, but is a number");
  EXPECT_EQ(errorOf(bytesOf("\x91\x90"), 2), "byte 1: must be an array with elements, but is empty");
}

TEST(MessagePack, UnevenArrays) {
  EXPECT_EQ(errorOf(bytesOf("\x92\x92\x01\x02\x91\x01\x01"), 2),
            "byte 4: must be an array of 2 elements, as the first one of its level is, but has 1");
}
