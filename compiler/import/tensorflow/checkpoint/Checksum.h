// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checksum of checkpoints: CRC-32C, masked, so that checksums of bytes that contain checksums stay reliable.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_CHECKPOINT_CHECKSUM_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_CHECKPOINT_CHECKSUM_H

#include "compiler/import/files/Checksum.h"

namespace nacre::importer::tensorflow_format {

/// Returns a checksum as files store it.
constexpr uint32_t maskCrc(uint32_t crc) { return (crc >> 15 | crc << 17) + 0xa282ead8; }

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CHECKPOINT_CHECKSUM_H
