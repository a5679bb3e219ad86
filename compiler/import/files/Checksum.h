// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checksum of files that hold weights: TensorFlow's checkpoints, and files of states.

#ifndef NACRE_COMPILER_IMPORT_FILES_CHECKSUM_H
#define NACRE_COMPILER_IMPORT_FILES_CHECKSUM_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace nacre::importer {

/// Returns the CRC-32C (Castagnoli) of data that has the checksum `before`, followed by `bytes`.
uint32_t computeCrc32c(llvm::StringRef bytes, uint32_t before = 0);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_FILES_CHECKSUM_H
