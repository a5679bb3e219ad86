// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements Slices.h.
//
// How:  1. keys, in ordered code,
//       2. specifications as text,
//       3. parts of dense arrays.

#include "compiler/import/tensorflow/checkpoint/Slices.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstring>

using namespace llvm;

namespace nacre::importer::tensorflow_format {

//===----------------------------------------------------------------------===//
// 1. Keys
//===----------------------------------------------------------------------===//

/// Appends a number: one byte with the count of bytes that follow, then the big-endian bytes without leading zeros.
static void putUnsigned(uint64_t number, std::string &key) {
  char bytes[sizeof(number)];
  support::endian::write64be(bytes, number);
  size_t length = divideCeil(64 - countl_zero(number), 8);
  key.push_back(static_cast<char>(length));
  key.append(std::end(bytes) - length, length);
}

/// Appends a text. Its bytes 00 and ff are escaped, and 00 01 ends it.
static void putText(StringRef text, std::string &key) {
  for (char byte : text) {
    key.push_back(byte);
    if (byte == '\x00')
      key.push_back('\xff');
    else if (byte == '\xff')
      key.push_back('\x00');
  }
  key.append({'\x00', '\x01'});
}

/// Appends a signed number. The highest bit is 1 for numbers of at least 0, and 0 for negative numbers. For each
/// further byte, the same bit follows once more.
static void putSigned(int64_t number, std::string &key) {
  constexpr size_t maxLength = 10;
  uint64_t magnitude = number < 0 ? ~number : number;
  size_t length = (64 - countl_zero(magnitude)) / 7 + 1;
  // The number with two more bytes of its sign.
  char sign = number < 0 ? '\xff' : '\x00';
  char bytes[maxLength] = {sign, sign};
  support::endian::write64be(bytes + 2, number);
  char *begin = std::end(bytes) - length;
  for (size_t bit = 0; bit < length; ++bit)
    begin[bit / 8] = static_cast<char>(begin[bit / 8] ^ 0x80 >> bit % 8);
  key.append(begin, length);
}

std::string makeSliceKey(StringRef tensor, ArrayRef<SliceExtent> extents) {
  std::string key;
  putUnsigned(0, key);
  putText(tensor, key);
  putUnsigned(extents.size(), key);
  for (const SliceExtent &extent : extents) {
    putSigned(extent.start, key);
    putSigned(extent.length, key);
  }
  return key;
}

//===----------------------------------------------------------------------===//
// 2. Specifications
//===----------------------------------------------------------------------===//

static bool parseExtent(StringRef text, SliceExtent &extent) {
  if (text == "-")
    return true;
  auto [start, length] = text.split(',');
  return !start.getAsInteger(10, extent.start) && !length.getAsInteger(10, extent.length) && extent.start >= 0 &&
         extent.length >= 0;
}

Expected<SliceSpec> parseSliceSpec(StringRef text) {
  SliceSpec spec;
  SmallVector<StringRef> words;
  text.split(words, ' ');
  bool isValid = words.size() > 1;
  for (StringRef word : ArrayRef(words).drop_back()) {
    isValid &= !word.getAsInteger(10, spec.shape.emplace_back());
    isValid &= spec.shape.back() >= 0;
  }
  for (StringRef part : llvm::split(words.back(), ':'))
    isValid &= parseExtent(part, spec.extents.emplace_back());
  if (!isValid || spec.shape.size() != spec.extents.size())
    return createStringError(
        "a slice must be a shape followed by start,length of each axis, such as '4 6 0,2:-', but is '" + text + "'");
  return spec;
}

//===----------------------------------------------------------------------===//
// 3. Parts
//===----------------------------------------------------------------------===//

std::optional<Box> resolveSlice(ArrayRef<SliceExtent> extents, ArrayRef<int64_t> shape) {
  if (extents.size() != shape.size())
    return std::nullopt;
  Box box;
  for (auto [extent, size] : llvm::zip_equal(extents, shape)) {
    bool isFull = extent.length == SliceExtent::full;
    int64_t length = isFull ? size : extent.length;
    if ((isFull && extent.start != 0) || extent.start < 0 || length < 0 || length > size ||
        extent.start > size - length)
      return std::nullopt;
    box.starts.push_back(extent.start);
    box.sizes.push_back(length);
  }
  return box;
}

Box makeWhole(ArrayRef<int64_t> shape) { return {SmallVector<int64_t>(shape.size(), 0), SmallVector<int64_t>(shape)}; }

bool doOverlap(const Box &a, const Box &b) {
  for (size_t axis = 0; axis < a.sizes.size(); ++axis)
    if (std::max(a.starts[axis], b.starts[axis]) >=
        std::min(a.starts[axis] + a.sizes[axis], b.starts[axis] + b.sizes[axis]))
      return false;
  return true;
}

Box intersect(const Box &a, const Box &b) {
  Box shared;
  for (auto [aStart, aSize, bStart, bSize] : llvm::zip_equal(a.starts, a.sizes, b.starts, b.sizes)) {
    int64_t start = std::max(aStart, bStart);
    shared.starts.push_back(start);
    shared.sizes.push_back(std::max<int64_t>(std::min(aStart + aSize, bStart + bSize) - start, 0));
  }
  return shared;
}

bool isEmpty(const Box &box) { return llvm::is_contained(box.sizes, 0); }

void copyPart(const Box &part, const char *from, const Box &fromBox, char *to, const Box &toBox, size_t elementBytes) {
  if (isEmpty(part))
    return;
  size_t rank = part.sizes.size();
  auto offsetOf = [&](ArrayRef<int64_t> index, const Box &box) {
    int64_t offset = 0;
    for (size_t axis = 0; axis < rank; ++axis)
      offset = offset * box.sizes[axis] + part.starts[axis] - box.starts[axis] + index[axis];
    return static_cast<size_t>(offset) * elementBytes;
  };
  // Each iteration copies one row of the last axis.
  size_t rowBytes = (rank ? static_cast<size_t>(part.sizes.back()) : 1) * elementBytes;
  SmallVector<int64_t> index(rank, 0);
  while (true) {
    std::memcpy(to + offsetOf(index, toBox), from + offsetOf(index, fromBox), rowBytes);
    size_t axis = rank ? rank - 1 : 0;
    while (axis > 0 && ++index[axis - 1] == part.sizes[axis - 1])
      index[--axis] = 0;
    if (axis == 0)
      return;
  }
}

} // namespace nacre::importer::tensorflow_format
