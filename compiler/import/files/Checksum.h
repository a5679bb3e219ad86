// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checksum of files that hold weights: TensorFlow's checkpoints, and states.

#ifndef NACRE_COMPILER_IMPORT_FILES_CHECKSUM_H
#define NACRE_COMPILER_IMPORT_FILES_CHECKSUM_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace nacre::importer {

/// Continues the CRC-32C (Castagnoli) `before` with `bytes`.
uint32_t computeCrc32c(llvm::StringRef bytes, uint32_t before = 0);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_FILES_CHECKSUM_H
