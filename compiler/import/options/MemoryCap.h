// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory limit that a model itself states.

#ifndef NACRE_COMPILER_IMPORT_OPTIONS_MEMORYCAP_H
#define NACRE_COMPILER_IMPORT_OPTIONS_MEMORYCAP_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace nacre::importer {

struct MemoryCap {
  int64_t bytes;          ///< limit in bytes for the weights and one session together
  llvm::StringRef origin; ///< name of the limit in the model
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPTIONS_MEMORYCAP_H
