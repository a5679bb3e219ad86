// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checksum of checkpoints: a masked CRC-32C. The mask is needed because a CRC is weak for data that contains its
// own CRC.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_CHECKPOINT_CHECKSUM_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_CHECKPOINT_CHECKSUM_H

#include "compiler/import/files/Checksum.h"

namespace nacre::importer::tensorflow_format {

/// Returns the masked checksum, which files store.
constexpr uint32_t maskCrc(uint32_t crc) { return (crc >> 15 | crc << 17) + 0xa282ead8; }

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CHECKPOINT_CHECKSUM_H
