// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks over the segments before the first scan. The EXIF segment contains a TIFF file, whose first directory has the
// orientation.

#include "tools/run/media/Orientation.h"

#include <cstddef>
#include <cstdint>

namespace nacre::run {
namespace {

/// Reads a number of 2 or 4 bytes; returns 0 if it is outside of the bytes.
uint32_t readNumber(std::string_view bytes, size_t at, size_t width, bool isBigEndian) {
  uint32_t number = 0;
  if (at > bytes.size() || bytes.size() - at < width)
    return 0;
  for (size_t i = 0; i < width; ++i)
    number |= uint32_t(uint8_t(bytes[at + i])) << 8 * (isBigEndian ? width - 1 - i : i);
  return number;
}

int orientationOf(std::string_view tiff) {
  constexpr uint32_t kOrientation = 0x112, kEntryBytes = 12;
  const bool isBig = tiff.substr(0, 2) == "MM";
  const size_t folder = readNumber(tiff, 4, 4, isBig);
  const uint32_t entries = readNumber(tiff, folder, 2, isBig);
  for (uint32_t i = 0; i < entries; ++i) {
    const size_t entry = folder + 2 + size_t(i) * kEntryBytes;
    if (entry > tiff.size())
      break;
    if (readNumber(tiff, entry, 2, isBig) == kOrientation) {
      const uint32_t value = readNumber(tiff, entry + 8, 2, isBig);
      return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
    }
  }
  return 1;
}

} // namespace

int findOrientation(std::string_view jpeg) {
  constexpr std::string_view exif("Exif\0\0", 6);
  size_t at = 2;
  for (;;) {
    const uint32_t marker = readNumber(jpeg, at, 2, true), length = readNumber(jpeg, at + 2, 2, true);
    const bool isSegment = marker >= 0xffc0 && marker != 0xffda && length >= 2; // stops at the first scan
    if (!isSegment || jpeg.size() - at < 2 + length)
      return 1;
    const std::string_view body = jpeg.substr(at + 4, length - 2);
    if (marker == 0xffe1 && body.substr(0, exif.size()) == exif)
      return orientationOf(body.substr(exif.size()));
    at += 2 + length;
  }
}

} // namespace nacre::run
