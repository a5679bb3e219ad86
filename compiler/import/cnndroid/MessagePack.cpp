// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads MessagePack arrays of numbers, in which CNNdroid's converters store parameters. The first array of each level
// decides the shape. Then the numbers are read level by level.

#include "compiler/import/cnndroid/MessagePack.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using llvm::Expected;

namespace nacre::importer::cnndroid_format {

//===----------------------------------------------------------------------===//
// 1. Heads of objects
//===----------------------------------------------------------------------===//

/// Returns the kind of an object, which its first byte decides.
static const char *describeObject(uint8_t head) {
  if (head <= 0x7f || head >= 0xe0 || (head >= 0xca && head <= 0xd3))
    return "a number";
  if (head <= 0x8f || head >= 0xde)
    return "a map";
  if (head <= 0x9f || head >= 0xdc)
    return "an array";
  if (head <= 0xbf || head >= 0xd9)
    return "a string";
  switch (head) {
  case 0xc0:
    return "nil";
  case 0xc2:
  case 0xc3:
    return "a boolean";
  case 0xc4:
  case 0xc5:
  case 0xc6:
    return "binary data";
  case 0xc1:
    return "a byte that MessagePack does not use";
  default:
    return "an extension";
  }
}

llvm::Error MessageReader::fail(size_t where, const llvm::Twine &message) const {
  return llvm::createStringError("byte " + llvm::Twine(where) + ": " + message);
}

/// Reads a big-endian number.
template <typename T> Expected<T> MessageReader::take() {
  if (getBytesLeft() < sizeof(T))
    return fail(at, "the file ends inside a value; it is truncated");
  T value = llvm::support::endian::read<T, llvm::endianness::big>(bytes.data() + at);
  at += sizeof(T);
  return value;
}

/// Converts a number of any type to float.
template <typename T> static Expected<float> toFloat(Expected<T> number) {
  if (!number)
    return number.takeError();
  return static_cast<float>(*number);
}

Expected<float> MessageReader::takeNumber() {
  const size_t begin = at;
  Expected<uint8_t> head = take<uint8_t>();
  if (!head)
    return head.takeError();
  if (*head <= 0x7f || *head >= 0xe0)
    return static_cast<float>(static_cast<int8_t>(*head));
  switch (*head) {
  case 0xca:
    return take<float>();
  case 0xcb:
    return toFloat(take<double>());
  case 0xcc:
    return toFloat(take<uint8_t>());
  case 0xcd:
    return toFloat(take<uint16_t>());
  case 0xce:
    return toFloat(take<uint32_t>());
  case 0xcf:
    return toFloat(take<uint64_t>());
  case 0xd0:
    return toFloat(take<int8_t>());
  case 0xd1:
    return toFloat(take<int16_t>());
  case 0xd2:
    return toFloat(take<int32_t>());
  case 0xd3:
    return toFloat(take<int64_t>());
  default:
    return fail(begin, llvm::Twine("must be a number, but is ") + describeObject(*head));
  }
}

Expected<int64_t> MessageReader::takeArrayHeader() {
  const size_t begin = at;
  Expected<uint8_t> head = take<uint8_t>();
  if (!head)
    return head.takeError();
  int64_t count = 0;
  if ((*head & 0xf0) == 0x90) {
    count = *head & 0x0f;
  } else if (*head == 0xdc) {
    Expected<uint16_t> size = take<uint16_t>();
    if (!size)
      return size.takeError();
    count = *size;
  } else if (*head == 0xdd) {
    Expected<uint32_t> size = take<uint32_t>();
    if (!size)
      return size.takeError();
    count = *size;
  } else {
    return fail(begin, llvm::Twine("must be an array, but is ") + describeObject(*head));
  }
  if (count == 0)
    return fail(begin, "must be an array with elements, but is empty");
  return count;
}

//===----------------------------------------------------------------------===//
// 2. The shape
//===----------------------------------------------------------------------===//

Expected<llvm::SmallVector<int64_t>> MessageReader::readShape(size_t rank) {
  const size_t begin = at;
  llvm::SmallVector<int64_t> shape;
  int64_t count = 1;
  bool fits = true;
  for (size_t level = 0; level < rank && fits; ++level) {
    Expected<int64_t> size = takeArrayHeader();
    if (!size)
      return size.takeError();
    shape.push_back(*size);
    // In the file, every number has at least one byte.
    fits = !llvm::MulOverflow(count, *size, count) && static_cast<uint64_t>(count) <= getBytesLeft();
  }
  if (!fits)
    return fail(begin, "the arrays announce more numbers than the file has bytes; it is truncated or damaged");
  at = begin;
  return shape;
}

//===----------------------------------------------------------------------===//
// 3. The numbers
//===----------------------------------------------------------------------===//

llvm::Error MessageReader::takeLevel(llvm::ArrayRef<int64_t> shape, float *&to) {
  const size_t begin = at;
  Expected<int64_t> size = takeArrayHeader();
  if (!size)
    return size.takeError();
  if (*size != shape.front())
    return fail(begin, "must be an array of " + llvm::Twine(shape.front()) +
                           " elements, as the first one of its level is, but has " + llvm::Twine(*size));
  for (int64_t index = 0; index < shape.front(); ++index) {
    if (shape.size() > 1) {
      if (llvm::Error error = takeLevel(shape.drop_front(), to))
        return error;
      continue;
    }
    Expected<float> number = takeNumber();
    if (!number)
      return number.takeError();
    *to++ = *number;
  }
  return llvm::Error::success();
}

Expected<PackedNumbers> MessageReader::readNumbers(size_t rank) {
  Expected<llvm::SmallVector<int64_t>> shape = readShape(rank);
  if (!shape)
    return shape.takeError();
  uint64_t count = 1;
  for (int64_t size : *shape)
    count *= static_cast<uint64_t>(size);
  std::unique_ptr<llvm::WritableMemoryBuffer> elements =
      llvm::WritableMemoryBuffer::getNewUninitMemBuffer(count * sizeof(float));
  if (!elements)
    return fail(at, "its numbers do not fit into memory");
  auto *to = reinterpret_cast<float *>(elements->getBufferStart());
  if (llvm::Error error = takeLevel(*shape, to))
    return error;
  return PackedNumbers{std::move(*shape), std::move(elements)};
}

} // namespace nacre::importer::cnndroid_format
