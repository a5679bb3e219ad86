// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Checksum.h.
//
// Processes eight bytes per step, by eight tables. This should be as fast as reading memory, because the checksum
// covers all weights.

#include "compiler/import/files/Checksum.h"

#include "llvm/Support/Endian.h"
#include <array>

namespace nacre::importer {
namespace {

/// Tables of the checksum. tables[k][b] is the contribution of byte b if k zero bytes follow it.
using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables makeTables() {
  constexpr uint32_t polynomial = 0x82f63b78; // in reversed bit order
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t behind = 1; behind < 8; ++behind)
    for (uint32_t byte = 0; byte < 256; ++byte)
      tables[behind][byte] = tables[behind - 1][byte] >> 8 ^ tables[0][tables[behind - 1][byte] & 255];
  return tables;
}

constexpr Tables tables = makeTables();

} // namespace

uint32_t computeCrc32c(llvm::StringRef bytes, uint32_t before) {
  uint32_t crc = ~before;
  for (; bytes.size() >= 8; bytes = bytes.drop_front(8)) {
    uint64_t word = llvm::support::endian::read64le(bytes.data()) ^ crc;
    crc = 0;
    for (size_t at = 0; at < 8; ++at)
      crc ^= tables[7 - at][word >> 8 * at & 255];
  }
  for (char byte : bytes)
    crc = crc >> 8 ^ tables[0][(crc ^ static_cast<uint8_t>(byte)) & 255];
  return ~crc;
}

} // namespace nacre::importer
